#!/usr/bin/env python3
"""What tapestat is to say, added up a second time, slowly and simply.

    sums.py EVENTS TABLES

EVENTS is what `tapedump -c` prints of a trace on one clock, TABLES what
`tapestat -j` or `tapelive -j` prints of the same run. Nothing of Tape is used
but these columns and members.

From the events are computed, by their definitions in doc/analysis.md:
  calls, names   time between beginning and end, number, longest, by call site
                 and by call
  ranks          events, the time from the end of MPI_Init to the beginning of
                 the last MPI_Finalize, the time in calls within
  messages       each send's receiver, by the order of sends and receives of one
                 communicator, tag and pair of ranks; where all receive by
                 MPI_Recv, what receivers waited: from their beginning to the
                 send's, not longer than the receive
  sizes, hosts   the same by bytes, and in all
  collectives    the k-th of each communicator: what each member waited for the
                 last that came, not longer than its own call

Prints "N values compared" and each that differs; ends with 1 if one does.
"""
import collections
import csv
import json
import sys

SENDS = {"MPI_Send", "MPI_Isend", "MPI_Ssend", "MPI_Bsend", "MPI_Rsend",
         "MPI_Issend", "MPI_Ibsend", "MPI_Irsend", "MPI_Sendrecv"}
RECEIVES = {"MPI_Recv", "MPI_Sendrecv"}
# All wait for the last that comes.
TOGETHER = {"MPI_Barrier", "MPI_Allreduce", "MPI_Alltoall"}
NO_COMMUNICATION = {"MPI_Init", "MPI_Finalize"}


def whole(text):
    return int(text) if text else 0


def place(e):
    file = e["file"].rsplit("/", 1)[-1]
    return "%s %s:%s" % (e["call"], file, e["line"])


def read(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


class Comparison:
    def __init__(self):
        self.compared = self.differ = 0

    def equal(self, what, got, expected, within=0.0):
        self.compared += 1
        if abs(got - expected) > within:
            self.differ += 1
            print("%s: tapestat says %r, the events say %r"
                  % (what, got, expected))


def sums_of_calls(events, key):
    """{key: [time in ns, calls, longest in ns]}"""
    sums = collections.defaultdict(lambda: [0, 0, 0])
    for e in events:
        if e["call"] in NO_COMMUNICATION:
            continue
        took = whole(e["end_ns"]) - whole(e["start_ns"])
        s = sums[key(e)]
        s[0] += took
        s[1] += 1
        s[2] = max(s[2], took)
    return sums


def messages_of(events):
    """Pairs (send, its receiver's rank, receive or None) in the sends' order.

    The column peer_rank is the receive's partner where a call has both; the
    send's is known where the communicator is MPI_COMM_WORLD.
    """
    sent, taken = collections.defaultdict(list), collections.defaultdict(list)
    for e in events:
        both = e["call"] == "MPI_Sendrecv"
        if e["call"] in SENDS:
            to = e["peer"] if both else e["peer_rank"]
            if whole(to or "-1") >= 0 and whole(e["peer"]) >= 0:
                sent[e["comm_id"], e["rank"], to, e["tag"]].append(e)
        if e["call"] in RECEIVES and whole(e["actual_tag"] or "-1") >= 0:
            taken[e["comm_id"], e["peer_rank"], e["rank"],
                  e["actual_tag"]].append(e)
    pairs = []
    for key, sends in sent.items():
        receives = taken[key]
        for i, send in enumerate(sends):
            pairs.append((send, int(key[2]),
                          receives[i] if i < len(receives) else None))
    return pairs


def late_ns(send, receive):
    """What the receiver waited; None where this rig does not know it."""
    if receive is None or receive["call"] != "MPI_Recv":
        return None
    begin, end = whole(receive["start_ns"]), whole(receive["end_ns"])
    return max(0, min(whole(send["start_ns"]), end) - begin)


def compare_calls(c, events, tables, name, column, key):
    sums = sums_of_calls(events, key)
    rows = tables[name]
    c.equal(name + ": rows", len(rows), len(sums))
    for row in rows:
        s = sums[row[column]]
        what = "%s: %s: " % (name, row[column])
        c.equal(what + "time", float(row["total_s"]), s[0] / 1e9, 1e-9)
        c.equal(what + "calls", int(row["calls"]), s[1])
        c.equal(what + "longest", float(row["max_us"]), s[2] / 1e3, 1e-3)


def compare_ranks(c, events, tables):
    begun, ended, count = {}, {}, collections.Counter()
    inside = collections.Counter()
    for e in events:
        rank = int(e["rank"])
        count[rank] += 1
        if e["call"] == "MPI_Init":
            begun[rank] = whole(e["end_ns"])
        elif e["call"] == "MPI_Finalize":
            ended[rank] = whole(e["start_ns"])
        else:
            inside[rank] += whole(e["end_ns"]) - whole(e["start_ns"])
    last = max(ended.values())
    for rank, end in ended.items():
        inside[rank] += last - end
    for row in tables["ranks"]:
        rank = int(row["rank"])
        c.equal("ranks: %d: events" % rank, int(row["events"]), count[rank])
        c.equal("ranks: %d: between" % rank, float(row["all_s"]),
                (last - begun[rank]) / 1e9, 1e-9)
        c.equal("ranks: %d: in calls" % rank, float(row["communicating_s"]) +
                float(row["waiting_s"]), inside[rank] / 1e9, 1e-8)
        c.equal("ranks: %d: parts" % rank, sum(
            float(row[p]) for p in ("computing_s", "communicating_s",
                                    "waiting_s", "tracing_s")),
                float(row["all_s"]), 1e-8)


def compare_messages(c, events, tables):
    pairs = messages_of(events)
    by_ranks = collections.defaultdict(lambda: [0, 0, 0])
    by_size = collections.Counter()
    for send, to, receive in pairs:
        s = by_ranks[int(send["rank"]), to]
        s[0] += whole(send["bytes"])
        s[1] += 1
        late = late_ns(send, receive)
        s[2] = None if late is None or s[2] is None else s[2] + late
        by_size[whole(send["bytes"])] += 1
    rows = tables["messages"]
    c.equal("messages: rows", len(rows), len(by_ranks))
    for row in rows:
        s = by_ranks[int(row["from"]), int(row["to"])]
        what = "messages: %s to %s: " % (row["from"], row["to"])
        c.equal(what + "bytes", int(row["bytes"]), s[0])
        c.equal(what + "messages", int(row["messages"]), s[1])
        if s[2] is not None:
            c.equal(what + "late", float(row["late_s"]), s[2] / 1e9, 1e-8)
    for row in tables["sizes"]:
        n = sum(k for size, k in by_size.items()
                if int(row["from"]) <= size <= int(row["to"]))
        c.equal("sizes: %s" % row["from"], int(row["messages"]), n)
    rows = tables["hosts"]
    c.equal("hosts: messages", sum(int(r["messages"]) for r in rows),
            len(pairs))
    c.equal("hosts: bytes", sum(int(r["bytes"]) for r in rows),
            sum(s[0] for s in by_ranks.values()))


def compare_collectives(c, events, tables):
    members = collections.defaultdict(list)
    turn = collections.Counter()
    for e in events:
        if e["call"] in TOGETHER:
            k = turn[e["rank"], e["comm_id"], e["call"]]
            turn[e["rank"], e["comm_id"], e["call"]] += 1
            members[e["call"], e["comm_id"], k].append(e)
    waited, times = collections.Counter(), collections.Counter()
    for (call, _, _), all_of in members.items():
        times[call] += 1
        last = max(whole(e["start_ns"]) for e in all_of)
        for e in all_of:
            begin, end = whole(e["start_ns"]), whole(e["end_ns"])
            waited[call] += max(0, min(last, end) - begin)
    rows = {r["call"]: r for r in tables["collectives"]}
    for call, n in times.items():
        c.equal("collectives: %s: times" % call,
                sum(int(r["times"]) for k, r in rows.items() if k == call), n)
        c.equal("collectives: %s: waiting" % call,
                float(rows[call]["waiting_s"]), waited[call] / 1e9, 1e-8)


def main(path, tables):
    with open(tables) as f:
        tables = json.load(f)
    events = [e for e in read(path) if e["call"]]
    c = Comparison()
    compare_calls(c, events, tables, "calls", "call_site", place)
    compare_calls(c, events, tables, "names", "call", lambda e: e["call"])
    compare_ranks(c, events, tables)
    compare_messages(c, events, tables)
    compare_collectives(c, events, tables)
    print("%d values compared, %d differ" % (c.compared, c.differ))
    return c.differ != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
