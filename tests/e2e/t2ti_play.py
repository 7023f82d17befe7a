"""Plays a folder of t2ti without times: each rank goes on as far as it can, until
all are at their ends. Nobody may be stuck, no message be left or longer than
its receive allows; members of a collective call the same one. Prints what there
is. (An own reading of doc/actions.md.)"""
import collections
import gzip
import sys


def lines(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as f:
        return [line.split() for line in f if line.strip()]


folder = sys.argv[1]
names = [n.strip() for n in open(folder + "/ranks") if n.strip()]
files = [lines(f"{folder}/{n}") for n in names]
n = len(files)
at, step = [0] * n, [0] * n
sent = collections.defaultdict(list)      # (src, dst, tag): bytes
posted = collections.defaultdict(list)    # the same: bytes allowed
ended = collections.Counter()             # receives that are over
pending = [collections.defaultdict(list) for _ in range(n)]
rounds = collections.defaultdict(dict)    # (comm, k): rank: what
count = [collections.Counter() for _ in range(n)]
comms = {0: list(range(n))}
nonblocking = [{} for _ in range(n)]
windows = {}
mine = [None] * n                         # what a rank waits for
total = collections.Counter()


def check(good, *why):
    if not good:
        sys.exit("t2ti_play: " + " ".join(map(str, why)))


def meet(r, comm, what):
    """Enters the next round of comm; what is the same at all of them."""
    check(r in comms[comm], r, "is not in", comm)
    k = (comm, count[r][comm])
    count[r][comm] += 1
    rounds[k][r] = what
    check(len({w[:2] for w in rounds[k].values()}) == 1, k, rounds[k])
    return lambda: len(rounds[k]) == len(comms[comm])


def send(r, w, synchronous):
    dst, tag, size = map(int, w[2:5])
    key = (r, dst, tag)
    sent[key].append(size)
    k = len(sent[key])
    total["messages"] += 1
    total["bytes"] += size
    if synchronous:
        return key, lambda: len(posted[key]) >= k
    return key, lambda: True


def receive(r, w):
    src, tag, size = map(int, w[2:5])
    key = (src, r, tag)
    posted[key].append(size)
    k = len(posted[key])

    def over():
        if len(sent[key]) < k:
            return False
        check(sent[key][k - 1] <= size, key, sent[key][k - 1], ">", size)
        return True
    return key, over


def all_of(conditions):
    return lambda: all(c() for c in conditions)


def new_comm(r, w):
    comm, parent, color, key = map(int, w[2:6])
    if comm and parent == comm:
        members = list(map(int, w[6:]))
        check(comms.setdefault(comm, members) == members, w, comms[comm])
        check(members[key] == r, w)
        return meet(r, comm, ("comm",))
    k = (parent, count[r][parent])
    over = meet(r, parent, ("comm", "", r, comm, color, key))

    def made():
        if not over():
            return False
        of = sorted((m[5], m[2]) for m in rounds[k].values()
                    if m[4] == color and color >= 0)
        members = [m for _, m in of]
        if color >= 0:
            check(comms.setdefault(comm, members) == members, w, members)
        return True
    return made


def collective(r, comm, w):
    root = w[-2] if w[0] == "bcast" else ""
    total["collectives"] += 1
    return meet(r, comm, (w[0], root))


def do(r, w):
    """What the action waits for."""
    what = w[1]
    if what in ("isend", "issend"):
        key, over = send(r, w, what == "issend")
        pending[r][key].append(over)
    elif what in ("send", "ssend"):
        return send(r, w, what == "ssend")[1]
    elif what == "irecv":
        key, over = receive(r, w)
        pending[r][key].append(over)
    elif what == "recv":
        return receive(r, w)[1]
    elif what == "probe":
        key = (int(w[2]), r, int(w[3]))
        k = len(posted[key])
        return lambda: len(sent[key]) > k
    elif what in ("wait", "waits"):
        w = w[2:] if what == "wait" else w[3:]
        keys = [tuple(map(int, w[i:i + 3])) for i in range(0, len(w), 3)]
        check(all(pending[r][k] for k in keys), r, w, "is not pending")
        return all_of([pending[r][k].pop(0) for k in keys])
    elif what == "on":
        return collective(r, int(w[2]), w[3:])
    elif what == "begin":
        nonblocking[r][w[2]] = collective(r, int(w[3]), w[4:])
    elif what == "end":
        return all_of([nonblocking[r].pop(x) for x in w[2:]])
    elif what == "comm":
        return new_comm(r, w)
    elif what == "win":
        windows[int(w[2])] = comms[int(w[3])]
        comms[-int(w[2])] = comms[int(w[3])]
        return meet(r, int(w[3]), ("win", w[2]))
    elif what == "fence":
        return meet(r, -int(w[2]), ("fence",))
    elif what in ("put", "get", "accumulate"):
        check(0 <= int(w[3]) < len(windows[int(w[2])]), w)
        total["moved"] += 1
        total["moved bytes"] += int(w[4])
    elif what in ("barrier", "bcast", "reduce", "allreduce", "scan", "exscan",
                  "reduce_scatter", "gather", "scatter", "allgather",
                  "alltoall", "gatherv", "scatterv", "allgatherv",
                  "alltoallv"):
        return collective(r, 0, w[1:])
    else:
        check(what in ("init", "finalize", "compute", "pack", "sleep",
                       "comm_free", "win_free", "lock", "unlock", "flush",
                       "post", "start", "complete", "wait_win"), w)
    return None


going = True
while going:
    going = False
    for r in range(n):
        while at[r] < len(files[r]):
            if mine[r] is None:
                check(files[r][at[r]][0] == str(r), files[r][at[r]])
                mine[r] = do(r, files[r][at[r]])
                going = True
            if mine[r] is not None and not mine[r]():
                break
            mine[r] = None
            at[r] += 1
            going = True
for r in range(n):
    check(at[r] == len(files[r]), "rank", r, "is stuck at line", at[r] + 1,
          files[r][at[r]] if at[r] < len(files[r]) else "")
for key in sent:
    # nobody need have sent what was received without a wait
    check(len(sent[key]) <= len(posted[key]), key, len(sent[key]),
          "sent,", len(posted[key]), "received")
print(", ".join(f"{total[k]} {k}" for k in sorted(total)))
