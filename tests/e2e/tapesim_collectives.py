#!/usr/bin/env python3
"""Every collective of several sizes, as actions; ranks enter at different times.

    tapesim_collectives.py SEED RANKS FOLDER [SIZE...]

Before each of them all ranks meet by messages, so that each is on its own.
"""
import os
import random
import sys

seed, ranks, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
sizes = [int(s) for s in sys.argv[4:]] or [8]
random.seed(seed * 1000 + ranks)
lines = [[f"{r} init"] for r in range(ranks)]
number = 0


def both(source, target):
    lines[source].append(f"{source} send {target} 0 1 6")
    lines[target].append(f"{target} recv {source} 0 1 6")


def meet():
    for rank in range(1, ranks):
        both(rank, 0)
    for rank in range(1, ranks):
        both(0, rank)
    for rank in range(ranks):
        lines[rank].append(f"{rank} compute {random.randrange(1, 300000)}")


def aborts(what, size):
    """SimGrid has algorithms for powers of two only, and no zeroes."""
    even = ranks & (ranks - 1) == 0
    if what == "alltoall":
        return not even and (3 <= ranks < 8 and 2**19 <= size < 2**20 or
                             ranks >= 64 and size >= 2**18)
    if what == "alltoallv":
        return not even and (ranks < 4 or ranks >= 64)
    return what == "reduce_scatter" and size * ranks < 64


def every(size, later):
    global number
    root = random.randrange(ranks)
    whole = size * ranks
    for words in (["barrier"], ["bcast", size, root, 6],
                  ["reduce", size, 0, root, 6], ["allreduce", size, 0, 6],
                  ["scan", size, 0, 6], ["exscan", size, 0, 6],
                  ["gather", size, size, root, 6, 6],
                  ["scatter", size, size, root, 6, 6],
                  ["allgather", size, size, 6, 6],
                  ["alltoall", size, size, 6, 6],
                  ["reduce_scatter", whole, size],
                  ["gatherv", size, 0, root], ["scatterv", 0, size, root],
                  ["allgatherv", size, whole], ["alltoallv", whole, whole]):
        if words[0] != "reduce_scatter" and whole > 2**25:
            continue
        # thousands of messages at once take SimGrid minutes
        if ranks > 40 and size > 100 and (
                later or words[0] in ("alltoall", "alltoallv", "scan",
                                      "exscan")):
            continue
        if aborts(words[0], size) and not later or whole >= 2**31:
            continue
        meet()
        number += 1
        for rank in range(ranks):
            said = list(words)
            if words[0] == "gatherv" and rank == root:
                said[2] = whole
            if words[0] == "scatterv" and rank == root:
                said[1] = whole
            text = " ".join(str(w) for w in said)
            if later:
                lines[rank].append(f"{rank} begin {number} 0 {text}")
                lines[rank].append(f"{rank} end {number}")
            else:
                lines[rank].append(f"{rank} {text}")


for size in sizes:
    every(size, False)
    if size == sizes[0] or size == sizes[-1]:
        every(size, True)
for rank in range(ranks):
    lines[rank].append(f"{rank} finalize")
os.mkdir(folder)
with open(f"{folder}/ranks", "w") as names:
    for rank in range(ranks):
        print(f"rank.{rank}", file=names)
        with open(f"{folder}/rank.{rank}", "w") as f:
            print("\n".join(lines[rank]), file=f)
