#!/usr/bin/env python3
"""zeros.py MEASURED CORRECTED: what tico and tapestat make of a run of zeros.c,
whose own times (zeros.R) say which ranks left before the last one came."""
import csv
import glob
import subprocess
import sys

LATE_NS = 3_000_000


def said():
    """By kind: for each rank when its call began and ended."""
    kinds = {}
    for rank in range(len(glob.glob("zeros.[0-9]"))):
        with open(f"zeros.{rank}") as f:
            for line in f:
                name, begun, ended = line.split()
                kinds.setdefault(name, []).append((int(begun), int(ended)))
    return kinds


def table(*command):
    out = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                         check=True).stdout
    return list(csv.DictReader(out.splitlines()))


def events(trace):
    """By rank: (function, start, end) of each event of MPI."""
    ranks = {}
    for e in table("tapedump", "-c", trace):
        if e["call"].startswith("MPI_"):
            ranks.setdefault(int(e["rank"]), []).append(
                (e["function"], int(e["start_ns"]), int(e["end_ns"])))
    return ranks


def span(list_, name):
    """When the calls of that function began and ended."""
    own = [e for e in list_ if e[0] == name]
    return (own[0][1], own[-1][2]) if own else None


def main():
    measured, corrected = sys.argv[1:]
    kinds, before, after = said(), events(measured), events(corrected)
    late = wrong = early = 0
    for rank, list_ in before.items():
        late += len(list_) != len(after[rank])
        for x, y in zip(list_, after[rank]):
            if y[1] > x[1] or y[2] > x[2]:
                late += 1
                print("later than measured, rank", rank, x, y)
    if late:
        sys.exit(f"{late} events")
    for name, times in kinds.items():
        last = len(times) - 1
        came = span(after[last], name)
        for rank in range(last):
            left = span(after[rank], name)
            # what the tracer delayed is far less than half of the time that
            # the last rank is late
            if not came or not left or \
                    times[last][0] - times[rank][1] < LATE_NS / 2:
                continue
            early += 1
            if left[1] >= came[0]:
                wrong += 1
                print(f"{name}: rank {rank} left before rank {last} came")
    if wrong or early < 30:
        sys.exit(f"{early} left early, {wrong} of these wait as corrected")
    room = sum(t[1] - t[0] for times in kinds.values() for t in times)
    for trace in measured, corrected:
        waits = sum(float(c["waiting_s"])
                    for c in table("tapestat", "-c", "-n", "0", "-t", "calls",
                                   trace)
                    if not c["call_site"].startswith("MPI_Barrier") and
                    "MPI_Init" not in c["call_site"])
        setup = sum(e[2] - e[1] for list_ in before.values() for e in list_
                    if e[0] in ("make_comms", "main"))
        if waits * 1e9 > room + setup + early * LATE_NS / 4:
            sys.exit(f"{trace}: {waits} s of waits in {room / 1e9} s")
    print(f"{early} ranks left one of {len(kinds)} kinds early")


main()
