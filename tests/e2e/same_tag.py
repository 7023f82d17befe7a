#!/usr/bin/env python3
"""same_tag.py TRACE SENDERS: how many pairs of messages of same_tag.c are not
those that its messages say, and how many of all are refuted by the clock.
Prints: matched pairs, pairs that are wrong, pairs received before their send."""
import csv
import subprocess
import sys

KINDS = {"MPI_Mprobe": 0, "MPI_Mrecv": 0, "MPI_Irecv": 1, "MPI_Recv": 2}


def main():
    trace, senders = sys.argv[1], int(sys.argv[2])
    out = subprocess.run(["tapedump", "-m", trace], stdout=subprocess.PIPE,
                         text=True, check=True).stdout
    rows = [r for r in csv.DictReader(out.splitlines())
            if r["state"] == "matched" and r["from"] == "0" and
            r["tag"] == "7"]
    truth = {}
    with open("same_tag.received") as f:
        for line in f:
            thread, k, what = map(int, line.split())
            truth[thread, k] = what
    # the number of each send in its thread; of each receive in its kind
    by_sender, by_kind = {}, {}
    for r in rows:
        by_sender.setdefault(r["from_thread"], []).append(int(r["sent_event"]))
        by_kind.setdefault(KINDS[r["receive_call"]], []).append(
            (int(r["posted_event"]), r))
    order = {t: {e: i for i, e in enumerate(sorted(l))}
             for t, l in by_sender.items()}
    wrong = early = 0
    for kind, list_ in by_kind.items():
        for k, (_, r) in enumerate(sorted(list_, key=lambda x: x[0])):
            sent = order[r["from_thread"]][int(r["sent_event"])]
            # threads of the sender are not told apart by their numbers
            wrong += truth[kind, k] // senders != sent
            early += int(r["end_ns"]) < int(r["sent_ns"])
    print(len(rows), wrong, early)


main()
