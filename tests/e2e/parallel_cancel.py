#!/usr/bin/env python3
"""A trace, as text, of ranks whose sends and receives are cancelled now and then.

    parallel_cancel.py SEED RANKS STEPS TRUTH >trace.txt

At each step a rank sends, posts a receive, gives up one that has no partner yet,
or waits for one that has. What was sent goes to the receive that was posted first
and takes it, as MPI has it. TRUTH gets a line for each pair of ranks: from, to,
messages received, bytes of them. Every message has a length of its own, so a
partner that is wrong changes the bytes.
"""
import random
import sys

CALLS = {"Isend": 140, "Irecv": 144, "Cancel": 179, "Wait": 170}
SITE = {call: i + 1 for i, call in enumerate(CALLS)}


class Request:
    def __init__(self, rank, number, peer, tag, size):
        self.rank, self.number = rank, number
        self.peer, self.tag, self.size = peer, tag, size
        self.partner = None


class Run:
    def __init__(self, seed, ranks):
        self.random = random.Random(seed)
        self.ranks, self.now, self.size = ranks, 1000, 8
        self.made = [0] * ranks
        self.open = [[] for _ in range(ranks)]  # not waited for
        self.sent = [[] for _ in range(ranks)]  # to it, not received
        self.posted = [[] for _ in range(ranks)]
        self.flow = [[] for _ in range(ranks)]
        self.pairs = {}

    def event(self, rank, call, text, ns=50):
        self.now += self.random.randrange(100, 400)
        self.flow[rank].append(
            f"\t{self.now} +{ns} MPI_{call} @{SITE[call]} {text}")
        self.now += ns

    def request(self, rank, peer, tag, size):
        self.made[rank] += 1
        r = Request(rank, self.made[rank], peer, tag, size)
        self.open[rank].append(r)
        return r

    def meet(self, send, recv):
        send.partner, recv.partner = recv, send
        pair = self.pairs.setdefault((send.rank, recv.rank), [0, 0])
        pair[0] += 1
        pair[1] += send.size

    def send(self, rank):
        to = self.random.choice([r for r in range(self.ranks) if r != rank])
        self.size += 1
        s = self.request(rank, to, self.random.randrange(2), self.size)
        self.event(rank, "Isend",
                   f"peer={to} tag={s.tag} bytes={s.size} comm=1")
        for r in self.posted[to]:
            if r.peer in (-1, rank) and r.tag == s.tag:
                self.posted[to].remove(r)
                return self.meet(s, r)
        self.sent[to].append(s)

    def receive(self, rank):
        peers = [r for r in range(self.ranks) if r != rank]
        r = self.request(rank, self.random.choice(peers),
                         self.random.randrange(2), 9999)
        self.event(rank, "Irecv",
                   f"peer={r.peer} tag={r.tag} bytes=9999 comm=1")
        for s in self.sent[rank]:
            if r.peer in (-1, s.rank) and r.tag == s.tag:
                self.sent[rank].remove(s)
                return self.meet(s, r)
        self.posted[rank].append(r)

    def wait(self, rank, r):
        self.open[rank].remove(r)
        p = r.partner
        if not p:
            end = f"cancelled={r.number}"
        elif r.size != 9999:
            end = f"done={r.number}"
        else:
            end = f"received={r.number}:{p.rank}:{p.tag}:{p.size}:1"
        self.event(rank, "Wait", f"n=1 probe=0 {end}")

    def cancel(self, rank, r):
        self.event(rank, "Cancel", f"done={r.number}", 10)
        for queue in self.sent + self.posted:
            if r in queue:
                queue.remove(r)
        self.wait(rank, r)

    def step(self):
        rank = self.random.randrange(self.ranks)
        what = self.random.random()
        if what < .35:
            return self.send(rank)
        if what < .7:
            return self.receive(rank)
        if self.open[rank]:
            r = self.random.choice(self.open[rank])
            if r.partner:
                self.wait(rank, r)
            elif what > .85:
                self.cancel(rank, r)

    def end(self):
        for rank in range(self.ranks):
            for r in list(self.open[rank]):
                if r.partner:
                    self.wait(rank, r)
                else:
                    self.cancel(rank, r)


def main():
    seed, ranks, steps = map(int, sys.argv[1:4])
    run = Run(seed, ranks)
    for _ in range(steps):
        run.step()
    run.end()
    print(f"meta\n\ttape-trace 1\n\tranks {ranks}\n\tbase global\n"
          "\tdomain 0 global host\n\tclock 0 0 0 1 0 0")
    for r in range(ranks):
        print(f"rank {r}\n\ttape-rank 1\n\trank {r}\n\thost host\n"
              f"\tpid {10 + r}\n\tdomain 0")
        for call, number in CALLS.items():
            print(f"\tsite {SITE[call]} {number} {SITE[call] * 10} x.c main")
        print(f"\tcomm 1 1 {ranks} {r} MPI_COMM_WORLD")
    for r in range(ranks):
        print(f"flow {r} 0")
        print("\n".join(run.flow[r]))
        print("\tend finalize 0")
    with open(sys.argv[4], "w") as truth:
        for (a, b), (n, size) in sorted(run.pairs.items()):
            truth.write(f"{a} {b} {n} {size}\n")


main()
