"""The delays that the setting noise draws, by the formula of tape.conf(5) with
whole numbers of Python, and the alphas of a trace: JSON of tapedump on standard
input. Prints how many calls a delay follows, and those with less alpha.

    noise.py SEED MEAN SHARE <events
"""
import json
import sys

MASK = 2**64 - 1
CALLS = ("Send Isend Recv Irecv Sendrecv Wait Waitall Barrier Bcast Allreduce "
         "psend mcast precv trecv reduce gather scatter")


def scramble(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def draw(seed, mean_us, percent, rank, thread, call):
    own = scramble(seed + 0x9E3779B97F4A7C15 & MASK)
    own = scramble(own + rank & MASK)
    own = scramble(own + thread & MASK)
    slow = scramble((own ^ MASK) + call // 64 & MASK) % 16 == 0
    x = scramble(own + call & MASK)
    if not slow and x % 2**32 * 100 >= percent * 2**32:
        return 0
    return x // 2**32 * 2000 * mean_us // 2**32


def main():
    seed, mean_us, percent = (int(a) for a in sys.argv[1:])
    names = {p + n.lower() for n in CALLS.split() for p in ("mpi_", "pvm_")}
    calls, due, delayed, missing = {}, {}, 0, []
    for line in sys.stdin:
        e = json.loads(line)
        if "alpha_before_ns" not in e:
            continue
        flow = e["rank"], e.get("thread", 0)
        # from the end of a call to the start of the next one
        if flow in due:
            n, ns, alpha = due[flow]
            alpha += e["alpha_before_ns"]
            if e["call"] == "processor":
                due[flow] = n, ns, alpha + e["alpha_after_ns"]
                continue
            del due[flow]
            # the clocks of the delay and of the trace agree to 0.1 %
            if alpha < ns * 0.999 - 100:
                missing.append((flow, n, ns, alpha))
        if e["call"].lower() in names:
            n = calls.get(flow, 0)
            calls[flow] = n + 1
            ns = draw(seed, mean_us, percent, *flow, n)
            delayed += ns > 0
            due[flow] = n, ns, e["alpha_after_ns"]
    print(delayed, "delayed", missing[:5])


if __name__ == "__main__":
    main()
