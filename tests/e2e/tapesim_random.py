#!/usr/bin/env python3
"""A random program of messages and collectives, as actions that SimGrid replays,
too.

    tapesim_random.py SEED RANKS STEPS FOLDER [alone]

alone: for 8 to 15 ranks, without the broadcasts that crash SimGrid's own replay (of
64 to 4095 bytes, or so much behind pieces of 8192), and without scans, in which
it takes messages in another order than programs on SimGrid do.
Messages are made one after the other, so that no rank waits for ever: each is sent
and received by blocking calls or by others, and these are waited for later. Sizes
are small, or large enough to wait for their receive.
"""
import os
import random
import sys

seed, ranks, steps, folder = int(sys.argv[1]), int(sys.argv[2]), \
    int(sys.argv[3]), sys.argv[4]
alone = len(sys.argv) > 5 and sys.argv[5] == "alone"
random.seed(seed)
lines = [[f"{r} init"] for r in range(ranks)]
# requests that nobody has waited for, by rank: (source, destination, tag)
pending = [[] for _ in range(ranks)]


def wait(rank, least):
    while len(pending[rank]) > least:
        request = pending[rank].pop(0)
        lines[rank].append("%d wait %d %d %d" % (rank, *request))


def message(tag):
    source, target = random.sample(range(ranks), 2)
    size = random.choice([0, 1, 241, 242, 1000, 5000, 20000, 65535, 65536,
                          200000])
    for rank, peer, verb in ((source, target, "send"),
                             (target, source, "recv")):
        later = random.random() < 0.5
        lines[rank].append("%d %s%s %d %d %d 6" % (
            rank, "i" if later else "", verb, peer, tag, size))
        if later:
            pending[rank].append((source, target, tag))
    for rank in source, target:
        if random.random() < 0.3:
            wait(rank, random.randrange(3))


def collective():
    """Of all ranks, which come at different times."""
    root, size = random.randrange(ranks), 8 * random.choice(
        [1, 2, 8, 20, 100, 500, 1000, 2500, 8000, 12000, 25000])
    words = random.choice([
        "barrier", f"bcast {size} {root} 6", f"reduce {size // 8} 0 {root} 0",
        f"allreduce {size // 8} 0 0", f"scan {size // 8} 0 0",
        f"exscan {size // 8} 0 0", f"gather {size} {size} {root} 6 6",
        f"scatter {size} {size} {root} 6 6", f"allgather {size} {size} 6 6",
        f"alltoall {size} {size} 6 6"])
    if alone and ("scan" in words or words.startswith("bcast") and
                  64 <= (size if size < 32768 else size % 8192) < 4096):
        words = "barrier"
    for rank in range(ranks):
        lines[rank].append(f"{rank} {words}")


for step in range(steps):
    if random.random() < 0.25:
        collective()
    rank = random.randrange(ranks)
    lines[rank].append("%d compute %d" % (rank, random.randrange(1, 50000)))
    message(step)
for rank in range(ranks):
    # the sends of others may wait for receives that stand before these
    wait(rank, 0)
    lines[rank].append(f"{rank} finalize")
os.mkdir(folder)
with open(f"{folder}/ranks", "w") as names:
    for rank in range(ranks):
        print(f"rank.{rank}", file=names)
        with open(f"{folder}/rank.{rank}", "w") as f:
            print("\n".join(lines[rank]), file=f)
