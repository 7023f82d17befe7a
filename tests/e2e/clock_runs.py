"""clock_runs.py BUILD: sba on runs that are made up, in the current folder; TAP."""
import os
import sys

sys.dont_write_bytecode = True
top = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(top, "rigs", "clock_runs"))
from judged import corrected, judge, read_maps
from made import CLOCKS, LOADS, NETS, Case, Run

SIZES = [8, 65536, 1000000, 8000000]
build, tests, failed = sys.argv[1], 0, 0


def ok(held, text):
    global tests, failed
    tests += 1
    failed |= not held
    print(f"{'ok' if held else 'not ok'} {tests} - {text}", flush=True)


def judged(seed, case):
    run = Run(seed, case)
    report = corrected(build, run)
    return judge(run, "x.sba.tape", report), report


def even_clocks():
    """Idle hosts: whatever is sent, the line through the rounds is right."""
    worst, left = 0, 0
    for seed in range(12):
        case = Case(2 + seed % 2, "even", 0, SIZES[seed % 4], seed % 3 == 0,
                    ["lan", "loss", "partition"][seed // 4])
        clocks, report = judged(seed, case)
        worst = max([worst] + [c.worst for c in clocks])
        left += sum("messages" in c.source for c in clocks)
    ok(worst < 1000, f"even clocks: the worst timestamp is {worst:.0f} ns off")
    ok(not left, f"{left} even clocks are left for what messages say")


def third_host():
    """Only host 1 is busy: the clock of host 2 stays where it is."""
    worst = moved = 0
    for seed in range(12):
        case = Case(3, "even", 16, SIZES[seed % 4], seed % 2, "lan", (1,))
        clocks, report = judged(seed, case)
        if not report["followed"]["violated_straight"]:
            worst = max(worst, clocks[1].worst)
            moved += "messages" in clocks[1].source
    ok(0 < worst < 1000 and not moved, "a host that nobody delayed is not"
       f" moved: {worst:.0f} ns")


def guarantee():
    missed = runs = 0
    held = []
    for i, net in enumerate(NETS):
        for j, clock in enumerate(CLOCKS):
            for load in LOADS:
                case = Case(2 + (i + j) % 2, clock, load,
                            SIZES[(i + j + load) % (2 if net == "1Mbit" else 4)],
                            j % 2 == 1, net)
                for c in judged(100 + i, case)[0]:
                    runs += 1
                    missed += c.misses
                    if clock == "even" and net != "8/0.5ms" and \
                            c.offset_held is not None:
                        held += [c.offset_held, c.drift_held]
    ok(not missed, f"{runs} clocks: {missed} instants are outside of their"
       " guaranteed interval")
    ok(len(held) > 20 and sum(held) >= 0.9 * len(held),
       f"{sum(held)} of {len(held)} intervals of 95% hold the truth")


def more_samples():
    """Intervals with the rounds, and without: at the same instants."""
    median = widest = 0
    for seed in range(1, 13):
        case = Case(2, CLOCKS[seed % 2], list(LOADS)[seed % 3],
                    SIZES[seed % 4], seed % 2 == 0,
                    ["lan", "5ms", "loss", "partition"][seed // 2 % 4])
        width = []
        for samples in (True, False):
            run = Run(seed, case)
            corrected(build, run, samples)
            m = read_maps("x.sba.tape")[1]
            at = [m.at(run.reading(1, run.begun + (run.ended - run.begun) *
                                   k / 200)) for k in range(201)]
            width.append(sorted(hi - lo for _, lo, hi in at))
        median = max(median, width[0][100] / width[1][100])
        widest = max(widest, width[0][200] / width[1][200])
    # knots lie elsewhere, and intervals are linear in between
    ok(median < 1.03 and widest < 1.03, "samples make no interval wider: at"
       f" most {median:.3f} times as wide, the widest {widest:.3f}")


even_clocks()
third_host()
guarantee()
more_samples()
print(f"1..{tests}")
sys.exit(failed)
