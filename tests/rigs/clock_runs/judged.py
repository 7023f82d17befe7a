"""What sba makes of a run whose clocks are known (made.py): the map that it
wrote into meta, and its report.

    j = judge(run, "x.sba.tape", report)      report: that of sba -j, read

Reads the lines "clock INDEX TICK0 NS0 RATE LO HI" of doc/trace-format.md by
itself: nothing of Tape is asked.
"""
import bisect
import json
import os
import subprocess

OPEN = (-9223372036854775808, 9223372036854775807)
INSTANTS = 1000


class Map:
    def __init__(self):
        self.tick, self.piece = [], []

    def add(self, tick, ns, rate, lo, hi):
        self.tick.append(tick)
        self.piece.append((ns, rate, lo, hi))

    def at(self, tick):
        """The timestamp, and what the true one may be later by."""
        i = max(0, bisect.bisect_right(self.tick, tick) - 1)
        ns, rate, lo, hi = self.piece[i]
        ns += (tick - self.tick[i]) * rate
        if tick > self.tick[i] and i + 1 < len(self.tick):
            z = (tick - self.tick[i]) / (self.tick[i + 1] - self.tick[i])
            lo2, hi2 = self.piece[i + 1][2:]
            lo = OPEN[0] if OPEN[0] in (lo, lo2) else lo + z * (lo2 - lo)
            hi = OPEN[1] if OPEN[1] in (hi, hi2) else hi + z * (hi2 - hi)
        return ns, lo, hi


def read_maps(trace):
    maps = {}
    with open(os.path.join(trace, "meta")) as meta:
        for line in meta:
            f = line.split()
            if f and f[0] == "clock":
                maps.setdefault(int(f[1]), Map()).add(
                    int(f[2]), int(f[3]), float(f[4]), int(f[5]), int(f[6]))
    return maps


class Clock:
    """One clock: its largest error, misses, widths; its 95% intervals."""

    def __init__(self):
        self.worst = self.past = 0
        self.misses = 0
        self.width = []
        self.offset_held = self.drift_held = None
        self.offset_ci = self.drift_ci = None
        self.shape = self.source = ""


def judge(run, trace, report):
    maps, clocks = read_maps(trace), []
    first, last = run.begun, run.ended
    ref = maps[0]
    for host in range(1, run.case.hosts):
        c = Clock()
        m = maps.get(host)
        for k in range(INSTANTS + 1):
            t = first + (last - first) * k / INSTANTS
            at, lo, hi = m.at(run.reading(host, t))
            true = ref.at(run.reading(0, t))[0]
            c.worst = max(c.worst, abs(true - at))
            # readings and timestamps are whole ns, of both clocks
            past = max(lo - (true - at), (true - at) - hi) - 2
            c.misses += past > 0
            c.past = max(c.past, past)
            c.width.append(hi - lo)
        c.width.sort()
        said = report["clocks"][host]
        c.shape, c.source = said.get("shape"), said.get("from")
        sample = min((int(s.split()[3]) for s in run.samples
                      if s.split()[2] == str(host)), default=None)
        c.offset_ci = said.get("offset_ci_us")
        c.drift_ci = said.get("drift_ci_ppm")
        if c.offset_ci is not None:
            off = said["offset_us"] * 1e3 - run.offset(host, sample)
            c.offset_held = abs(off) <= c.offset_ci * 1e3 + 1
        if c.drift_ci is not None:
            b, e = run.begun, run.ended
            true = (run.offset(host, e) - run.offset(host, b)) / (e - b)
            c.drift_held = abs(said["drift_ppm"] * 1e-6 - true) <= \
                c.drift_ci * 1e-6 + 1e-12
        clocks.append(c)
    return clocks


def corrected(build, run, samples=True):
    """Makes x.tape of it, in the current folder; sba's result and its report."""
    run.write("x.txt", samples)
    subprocess.run(["rm", "-rf", "x.tape", "x.sba.tape"], check=True)
    subprocess.run([f"{build}/bin/tapedump", "--assemble", "-o", "x.tape", "x.txt"],
                   check=True)
    done = subprocess.run([f"{build}/bin/sba", "-j", "-o", "x.sba.tape",
                           "x.tape"], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)
