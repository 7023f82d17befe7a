#!/usr/bin/env python3
"""Compares the dates of a simulated run's trace with those that SimGrid wrote
of the same run (Paje, --cfg=tracing/smpi:yes), call by call.

    simulate_dates.py PAJE CSV      CSV: what tapedump -c prints

Prints how many calls both have; fails where a date is more than 1 ns off."""
import csv
import sys


def of_simgrid(path):
    """By rank: (call, start, end) in ns, in order."""
    ranks, names, calls, began = {}, {}, {}, {}
    for line in open(path):
        word = line.split()
        if not word or word[0][0] in "%#":
            continue
        if word[0] == "6" and word[5].startswith('"rank-'):
            ranks[word[2]] = int(word[5].strip('"')[5:])
        elif word[0] == "5":
            names[word[1]] = word[3].removeprefix("P")
        elif word[0] == "12" and word[3] in ranks:
            began.setdefault(word[3], []).append((float(word[1]), word[4]))
        elif word[0] == "13" and began.get(word[3]):
            start, name = began[word[3]].pop()
            calls.setdefault(ranks[word[3]], []).append(
                (names[name], start * 1e9, float(word[1]) * 1e9))
    return calls


def main():
    other, ours = of_simgrid(sys.argv[1]), {}
    for row in csv.DictReader(open(sys.argv[2])):
        if row["call"].startswith("MPI_"):
            # SimGrid calls both so
            name = row["call"].replace("Sendrecv_replace", "Sendrecv")
            ours.setdefault(int(row["rank"]), []).append(
                (name, float(row["start_ns"]), float(row["end_ns"])))
    compared = 0
    for rank, calls in sorted(other.items()):
        mine = iter(ours[rank])
        for name, start, end in calls:
            found = next((c for c in mine if c[0] == name), None)
            if not found:
                sys.exit(f"rank {rank}: {name} at {start:.3f} is not there")
            if abs(found[1] - start) > 1 or abs(found[2] - end) > 1:
                sys.exit(f"rank {rank}: {name} from {start:.3f} to {end:.3f}"
                         f" and {found[1]} to {found[2]}")
            compared += 1
    print(compared)


main()
