"""What bench/segments makes of pairs of segments: the arithmetic alone.

A cell is a list of pairs (U, T, M): ns that the same work took untraced and
traced, and that tico took out of the traced one. Medians, since what else
happens on the machine makes some segments much longer; pairs, since it also
changes the machine's speed, for both alike.
"""
import math
import random
import statistics

RESAMPLES = 400
FAR = 2**62  # a bound beyond this is none

# shapes are as long as from the last rank's begin to the last one's end
TOGETHER = ("pingpong", "collective", "pipeline", "halo", "workers", "nested")


def together(name):
    return name.split(":")[0].rstrip("+") in TOGETHER


def read_times(path):
    """({cell: name}, {cell: events}, {(cell, kind): [(start, end)]})"""
    names, events, at = {}, {}, {}
    with open(path) as f:
        for line in f:
            w = line.split()
            if w[0] == "cell":
                names[int(w[1])], events[int(w[1])] = w[2], int(w[4])
            else:
                at.setdefault((int(w[0]), int(w[2])), []).append(
                    (int(w[3]), int(w[4])))
    return names, events, at


def read_borders(text):
    """{(rank, name): [numbers of a line of bench/borders]}"""
    at = {}
    for line in text.splitlines():
        w = line.split()
        at.setdefault((int(w[0]), w[1]), []).append([float(x) for x in w[2:]])
    return at


def lengths(ranks, whole):
    """Of segments by rank, each a list of (start, end, ...): rank 0's, or from
    the last start to the last end."""
    if not whole:
        return [s[1] - s[0] for s in ranks[0]]
    return [max(s[1] for s in x) - max(s[0] for s in x) for x in zip(*ranks)]


def slope(y):
    """By how much y grows from one to the next: least squares."""
    n = len(y)
    if n < 2:
        return 0
    x = [i - (n - 1) / 2 for i in range(n)]
    return sum(u * v for u, v in zip(x, y)) / sum(u * u for u in x)


def widths(borders):
    """How much less and more than by tico a segment may take, ns: by how much
    the guaranteed intervals grow with each. (They count from the run's start.)
    """
    grown = []
    for early in 7, 8:  # earlier and later of the mark that leaves
        y = [b[early - 1] for b in borders]
        grown.append(math.inf if max(y) > FAR else slope(y))
    return grown


class Cell:
    """One row of the table. times: by rank, as read_times; recorded and
    corrected: as read_borders, or None where nothing was recorded."""

    def __init__(self, number, times, recorded=None, corrected=None):
        self.name = times[0][0][number]
        whole = together(self.name)
        self.events = max(t[1][number] for t in times)
        u, t = (lengths([x[2][number, kind] for x in times], whole)
                for kind in (0, 1))
        self.u, self.t, self.m = u, t, None
        self.less = self.more = math.nan
        if recorded is None:
            return
        r, c = ([b.get((rank, self.name), []) for rank in range(len(times))]
                for b in (recorded, corrected))
        if any(len(x) != len(t) for x in r + c):
            raise ValueError(f"{self.name}: not all segments are in the trace")
        # what the border's own marks cost is taken out of it, too
        self.m = [x - y - own for x, y, own in zip(
            lengths(r, whole), lengths(c, whole), (b[2] for b in r[0]))]
        longest = max(range(len(c)), key=lambda k: c[k][-1][6])
        self.less, self.more = widths(c[longest])

    def bare(self):
        return statistics.median(self.u)

    def cost(self):
        """ns that tracing adds to a segment"""
        return statistics.median(t - u for t, u in zip(self.t, self.u))

    def taken(self):
        """ns that tico takes out of one"""
        return statistics.median(self.m)

    def intrusion(self):
        return 100 * self.cost() / self.bare()

    def removed(self):
        return 100 * self.taken() / self.cost() if self.cost() else math.nan

    def holds(self):
        """Is the untraced time within the corrected one's interval?"""
        return (self.taken() - self.more <= self.cost() <=
                self.taken() + self.less)

    def intervals(self, rng):
        """95% of cost and of removed: by resampling (Efron 1979)."""
        pairs = list(zip(self.u, self.t, self.m or [0] * len(self.u)))
        costs, shares = [], []
        for _ in range(RESAMPLES):
            some = rng.choices(pairs, k=len(pairs))
            cost = statistics.median(t - u for u, t, _ in some)
            costs.append(cost)
            if cost:
                shares.append(
                    100 * statistics.median(m for _, _, m in some) / cost)
        return middle(costs), middle(shares)


def middle(x):
    """From the 2.5% to the 97.5% quantile."""
    x = sorted(x)
    if not x:
        return math.nan, math.nan
    cut = int(0.025 * len(x))
    return x[cut], x[-1 - cut]


def generator(seed):
    return random.Random(seed)
