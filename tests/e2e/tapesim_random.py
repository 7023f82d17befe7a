#!/usr/bin/env python3
"""A random program of messages, as actions that SimGrid replays, too.

    tapesim_random.py SEED RANKS STEPS FOLDER

Messages are made one after the other, so that no rank waits for ever: each is sent
and received by blocking calls or by others, and these are waited for later. Sizes
are small, or large enough to wait for their receive.
"""
import os
import random
import sys

seed, ranks, steps, folder = int(sys.argv[1]), int(sys.argv[2]), \
    int(sys.argv[3]), sys.argv[4]
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


for step in range(steps):
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
