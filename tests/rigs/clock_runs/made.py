"""Runs of two or three hosts that are made up, whose clocks are known exactly.

    run = Run(seed, Case(hosts=2, clock="even", load=4, size=1000000,
                         both=False, net="lan"))
    run.write("x.txt")         # a trace as text, for tapedump --assemble
    run.offset(1, t)           # clock 1 less the reference at instant t, ns

A rank of host 0 exchanges messages with one of each other host, in turns, and
these with each other. A clock sampling comes before and after. What a message
needs: the latency of the way, its bytes, what the network does (NETS), and the
time until a rank that has been waiting gets a processor (LOADS). Clock 0 is the
reference and shows the instant itself.
"""
import math
import random
from collections import namedtuple

Case = namedtuple("Case", "hosts clock load size both net loaded",
                  defaults=(None,))

US, MS, S = 1e3, 1e6, 1e9
EAGER = 65536

# a way's latency there and back, its jitter (ns), bytes per ns, what goes wrong
Net = namedtuple("Net", "there back jitter rate loss partition",
                 defaults=(0, 0))
NETS = {
    "lan": Net(8 * US, 8 * US, 500, 1.2),
    "5ms": Net(5 * MS, 5 * MS, 5 * US, 1.2),
    "8/0.5ms": Net(8 * MS, 0.5 * MS, 5 * US, 1.2),
    "loss": Net(8 * US, 8 * US, 500, 1.2, loss=0.01),
    "partition": Net(8 * US, 8 * US, 500, 1.2, partition=3 * S),
    "1Mbit": Net(50 * US, 50 * US, 5 * US, 1.25e-4),
}
# A rank that has waited gets a processor at once with one of these
# probabilities, else within so much time. Each phase of a run has its own: a busy
# machine may let nobody run at once for as long as clocks are sampled.
LOADS = {0: ((0.9995,), 2 * MS), 4: ((0.2, 0.7, 0.95), 8 * MS),
         16: ((0, 0.1, 0.5), 32 * MS)}
CLOCKS = "even bent step slew".split()


class Run:
    def __init__(self, seed, case):
        self.case, self.rng = case, random.Random(f"{seed} {case}")
        r = self.rng
        self.net = NETS[case.net]
        self.loaded = (range(case.hosts) if case.loaded is None
                       else case.loaded)
        big = case.size * (2 if case.both else 1) / self.net.rate
        turns = 3 if big > 1 * S else 40 if big > 10 * MS else 400
        self.length = max(r.choice([3, 8, 60]) * S, 2 * turns * big)
        self.turns = r.randint(turns // 2, turns)
        self.start = r.uniform(20, 100) * S
        self.bends = [self.draw_clock(i) for i in range(case.hosts)]
        self.now = [self.start + r.uniform(0, 1) * MS
                    for _ in range(case.hosts)]
        self.free = {}                  # when a way has sent what it has
        self.events = [[] for _ in range(case.hosts)]
        self.samples = []
        self.begun = math.inf           # of the program, before: offset, drift
        self.cut = None
        self.quick = {}
        self.let_run()
        self.sample("before")
        self.let_run()
        self.begun = max(self.now)
        if self.net.partition:
            self.cut = self.begun + r.uniform(0.2, 0.6) * self.length
        self.exchange()
        self.now = [max(self.now)] * case.hosts
        self.ended = max(self.now)
        self.let_run()
        self.sample("after")

    # ---- clocks ----

    def draw_clock(self, host):
        r = self.rng
        if not host:
            return None
        b = {"offset": r.uniform(-1e10, 1e10), "drift": r.uniform(-1e-4, 1e-4)}
        if self.case.clock == "bent":
            # a swing, or a rate that changes with the temperature
            b["sine"] = (r.uniform(0.5, 20) * US,
                         self.length * r.uniform(0.6, 3))
        elif self.case.clock == "step":
            b["step"] = (r.choice([-1, 1]) * 10 ** r.uniform(0, 3) * US,
                         self.length * r.uniform(0.2, 0.8))
        elif self.case.clock == "slew":
            b["slew"] = (r.choice([-1, 1]) * r.uniform(5e-5, 4.5e-4),
                         self.length * r.uniform(0.2, 0.7),
                         self.length * r.uniform(0.05, 0.2))
        return b

    def offset(self, host, t):
        b = self.bends[host]
        if b is None:
            return 0
        s = max(0, min(t, getattr(self, "ended", math.inf)) - self.begun)
        y = b["offset"] + b["drift"] * (t - self.start)
        if "sine" in b:
            y += b["sine"][0] * math.sin(2 * math.pi * s / b["sine"][1])
        if "step" in b and s > b["step"][1]:
            y += b["step"][0]
        if "slew" in b:
            rate, at, long = b["slew"]
            y += rate * min(max(s - at, 0), long)
        return y

    def reading(self, host, t):
        return round(t + self.offset(host, t))

    # ---- processors and networks ----

    def let_run(self):
        for host in range(self.case.hosts):
            load = self.case.load if host in self.loaded else 0
            self.quick[host] = self.rng.choice(LOADS[load][0])

    def wait(self, host, t):
        """When a rank runs that waits for what comes at t."""
        most = LOADS[self.case.load][1]
        if self.rng.random() < self.quick[host]:
            return t + self.rng.expovariate(1 / 300)
        return t + self.rng.uniform(0, most)

    def carry(self, a, b, t, size):
        """When what a sends at t is at b."""
        n, r = self.net, self.rng
        way = n.there if a < b else n.back
        t = max(t, self.free.get((a, b), 0)) + size / n.rate
        self.free[a, b] = t
        packets = size // 1448 + 1
        if n.loss and r.random() < 1 - (1 - n.loss) ** min(packets, 100):
            # the last packets of a message are missed by nobody but the clock
            t += 200 * MS if packets < 4 or r.random() < 0.1 else \
                r.uniform(1, 4) * (n.there + n.back)
        if self.cut and self.cut <= t < self.cut + n.partition:
            t = self.cut + n.partition + r.uniform(0, 1.6) * S
        t += way + r.expovariate(1 / n.jitter)
        # what was sent later comes later
        t = max(t, self.free.get((a, b, "there"), 0) + 100)
        self.free[a, b, "there"] = t
        return t

    # ---- what a run does ----

    def sample(self, phase):
        for j in range(1, self.case.hosts):
            begun, rounds = max(self.now[0], self.now[j]), 0
            self.now[0] = self.now[j] = begun
            while rounds < 100 and (rounds < 10 or
                                    self.now[0] < begun + 20 * MS):
                s = self.now[0]
                there = self.wait(j, self.carry(0, j, s + 60, 60))
                answer = there + 40
                back = self.wait(0, self.carry(j, 0, answer + 60, 60))
                self.samples.append(
                    f"sample {phase} {j} {self.reading(0, s)}"
                    f" {self.reading(j, there)} {self.reading(j, answer)}"
                    f" {self.reading(0, back)}")
                rounds += 1
                self.now[0] = back + 100
                if rounds % 10 == 0:
                    self.now[0] += 1 * MS
            self.now[j] = self.now[0]

    def event(self, host, start, end, text):
        first = self.reading(host, start)
        self.events[host].append(
            (first, max(0, self.reading(host, end) - first), text))

    def message(self, a, b, size):
        s, p = self.now[a], self.now[b]
        leave = s + 200
        if s < p and self.rng.random() > self.quick[a] and \
                self.rng.random() < 0.1:
            leave += self.rng.uniform(0, 4 * MS)
        if size > EAGER:
            asked = self.wait(b, max(p, self.carry(a, b, leave, 60)))
            leave = self.wait(a, self.carry(b, a, asked, 60))
        there = self.carry(a, b, leave, size)
        sent = leave + size / 5 + 200
        got = (self.wait(b, there) if there > p else p) + size / 5 + 200
        self.event(a, s, sent, f"MPI_Send @1 peer={b} tag=7 bytes={size}"
                   " comm=1")
        self.event(b, p, got, f"MPI_Recv @2 peer={a} tag=7 comm=1"
                   f" actual_peer={a} actual_tag=7 bytes={size} arrived=0"
                   " probe=0")
        self.now[a], self.now[b] = sent + 300, got + 300

    def exchange(self):
        hosts = self.case.hosts
        pairs = [(0, j) for j in range(1, hosts)]
        pairs += [(i, j) for i in range(1, hosts) for j in range(i + 1, hosts)]
        pause = self.length / self.turns
        for turn in range(self.turns):
            for a, b in pairs:
                self.message(a, b, self.case.size)
                self.message(b, a, self.case.size if self.case.both else 8)
            at = self.begun + (turn + self.rng.random()) * pause
            if self.rng.random() < 0.8:
                self.now = [max(t, at) for t in self.now]

    # ---- a trace ----

    def write(self, path, samples=True):
        hosts = self.case.hosts
        lines = ["meta", "\ttape-trace 1", f"\tranks {hosts}", "\tbase local"]
        lines += [f"\tdomain {i} d{i} host{i}" for i in range(hosts)]
        lines.append("\teager net 65536")
        if samples:
            lines += ["clocks"] + ["\t" + s for s in self.samples]
        for i in range(hosts):
            lines += [f"rank {i}", "\ttape-rank 1", f"\trank {i}",
                      f"\thost host{i}", f"\tpid {i + 10}", f"\tdomain {i}",
                      "\tsite 1 120 14 x.c main", "\tsite 2 124 20 x.c main",
                      f"\tcomm 1 1 {hosts} {i} MPI_COMM_WORLD"]
        for i in range(hosts):
            lines.append(f"flow {i} 0")
            for t in (self.start, self.now[i]):
                lines.append(f"\tanchor {self.reading(i, t)}"
                             f" {self.reading(i, t)} 0")
            lines += [f"\t{a} +{d} {text}" for a, d, text in self.events[i]]
            lines.append("\tend finalize 0")
        with open(path, "w") as out:
            out.write("\n".join(lines) + "\n")
