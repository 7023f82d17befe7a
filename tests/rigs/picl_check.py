#!/usr/bin/env python3
"""Checks a New PICL trace: picl_check.py FILE ("-" for stdin).

Knows the format's rules and nothing of the program that wrote the file:

- grammar: rectype evttype time node pid nfields [descriptor data ...], with
  as many data as nfields and the descriptor say, each of its type and range;
- known events only, each with the data that its entry and exit carry;
- records in order of time;
- every node 0..n-1 begins with an entry and ends with an exit of -901, and has
  nothing outside; between, tracing may end and begin again;
- entries and exits pair up and nest, for each process of a node; only a user
  task may have others inside;
- user tasks have a label, subsets a definition, before they are used;
- an isend (irecv) is ended, or cancelled, at most once, by its request, after
  it began, by an event of its mode; who asks whether it is over asks in between;
- a receive gets what it asked for, and no message before it is sent: of the
  messages of that source, destination, tag and length, never more were
  received than sent; a probe finds what is sent and not received;
- a collective is of a subset that its node is in, and its root, too; bytes are
  -1 on that side which only the root has;
- nobody leaves a barrier, or an allreduce of some bytes, that one of its nodes
  has not entered, nor has a broadcast before its root entered it.

The last rule and that of messages do not hold for a node that was switched off.

Prints "FILE:LINE: what is wrong" for the first ten faults and exits with 1, or
prints counts ("entries -21 300") and exits with 0.
"""
import collections
import re
import sys

FAULTS_SHOWN = 10

MARK, ENTRY, EXIT, LABEL, SUBSET = -2, -3, -4, -5, -202
SENDS = {-21, -22, -23, -24}
# standard, buffered, synchronous, ready: the beginning of each row of six
ISENDS = {-27, -33, -39, -45}
RECVS = {-51, -52}
FOUND, NOT_FOUND = {-53, -55, -56}, {-54}
IRECVS = {-57}
# each with the event that began it
ASKED = {i - k: i for i in ISENDS | IRECVS for k in (1, 2)}
SEND_ENDS = {i - k: i for i in ISENDS for k in (3, 4)}
RECV_ENDS = {-60: -57, -61: -57}
CANCELLED = {i - 5: i for i in ISENDS | IRECVS}
BCAST, ALLREDUCE = -785, -782
FROM_ROOT, TO_ROOT = {BCAST, -793}, {-786, -790}
OF_ALL = {-780, ALLREDUCE, -783, -791, -792}
BARRIER, TRACING, LEVEL, CLOSE, DEFINE = -402, -901, -904, -12, -812
IDLE = {-601, -602, -603}

# number of data: (entry, exit)
PAIRS = {TRACING: (0, 0), BARRIER: (1, 0)}
PAIRS.update({e: (3, 0) for e in SENDS})
PAIRS.update({e: (3, 1) for e in ISENDS})
PAIRS.update({e: (2, 3) for e in RECVS | FOUND})
PAIRS.update({e: (2, 0) for e in NOT_FOUND})
PAIRS.update({e: (2, 1) for e in IRECVS})
PAIRS.update({e: (1, 0) for e in [*ASKED, *SEND_ENDS, *CANCELLED]})
PAIRS.update({e: (1, 3) for e in RECV_ENDS})
PAIRS.update({e: (3, 1) for e in FROM_ROOT | TO_ROOT})
PAIRS.update({e: (2, 1) for e in OF_ALL})
PAIRS.update({e: (0, 0) for e in IDLE})
MARKS = {LEVEL: 3, CLOSE: 0}

INTEGER = re.compile(r"-?(0|[1-9][0-9]*)\Z")
TIME = re.compile(r"(0|[1-9][0-9]*)\.[0-9]{6,}\Z")
REAL = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\Z")
CONVERSION = re.compile(r"%[0-9]*(?:hh|h|ll|l|L)?[diouxXeEfgGsc]")
WORDS = re.compile(r'"[^"]*"|[^ "]+')


class Fault(Exception):
    pass


def demand(condition, text, *values):
    if not condition:
        raise Fault(text % values)


def integer(word, bits, what):
    demand(INTEGER.match(word), "%s is no integer: %s", what, word)
    value = int(word)
    demand(-(1 << bits - 1) <= value < 1 << bits - 1,
           "%s does not fit %d bits: %s", what, bits, word)
    return value


def read_time(word):
    """As an integer number of picoseconds: floats would hide disorder."""
    demand(TIME.match(word), "bad time: %s", word)
    seconds, decimals = word.split(".")
    return int(seconds + decimals[:12].ljust(12, "0"))


def read_data(nfields, words):
    if nfields == 0:
        demand(not words, "data, but nfields is 0")
        return []
    demand(words, "nfields is %d, but there is no descriptor", nfields)
    kind, data = words[0], words[1:]
    if kind.startswith('"'):
        n = len(CONVERSION.findall(kind)) * nfields
        demand(n and len(data) == n, "%d data, the format asks for %d",
               len(data), n)
        return data
    demand(kind in ("0", "1", "2", "3", "4", "5"), "bad descriptor: %s", kind)
    demand(len(data) == nfields, "%d data, but nfields is %d", len(data),
           nfields)
    if kind in ("2", "3"):
        return [integer(w, 32 if kind == "2" else 64, "a datum") for w in data]
    if kind in ("4", "5"):
        demand(all(REAL.match(w) for w in data), "a datum is no number")
        return [float(w) for w in data]
    demand(kind == "1" or all(len(w) == 1 for w in data),
           "a datum is no character")
    return data


class Node:
    def __init__(self):
        self.state = "new"                # then "on" and "off" by turns
        self.was_off = False              # in between
        self.stacks = {}                  # by pid: [evttype, entry data]
        # by request: (evttype, the message, or what was asked for)
        self.requests = {}
        # by what is the same for all who take part
        self.entered = collections.Counter()
        self.left = collections.Counter()


class Checker:
    def __init__(self):
        self.last = None
        self.nodes = collections.defaultdict(Node)
        self.labels, self.subsets = {}, {}
        self.flying = collections.Counter()
        self.entries = collections.Counter()
        self.messages = self.records = 0

    def line(self, text):
        demand(text.endswith("\n"), "the last line has no end")
        text = text[:-1]
        demand(all(" " <= c <= "~" for c in text), "not plain ASCII")
        words = WORDS.findall(text)
        demand(" ".join(words) == text, "not separated by single blanks")
        demand(len(words) >= 6, "%d words, at least 6 make a record",
               len(words))
        rectype = integer(words[0], 32, "rectype")
        evttype = integer(words[1], 32, "evttype")
        time = read_time(words[2])
        node = integer(words[3], 32, "node")
        pid = integer(words[4], 32, "pid")
        nfields = integer(words[5], 32, "nfields")
        demand(node >= -1 and pid >= 0 and nfields >= 0,
               "a negative node, pid or nfields")
        data = read_data(nfields, words[6:])
        self.records += 1
        demand(self.last is None or time >= self.last,
               "earlier than the record before it")
        self.last = time
        self.record(rectype, evttype, node, pid, data)

    def record(self, rectype, evttype, node, pid, data):
        if rectype == LABEL:
            self.label(evttype, data)
        elif rectype == SUBSET:
            self.subset(evttype, data)
        else:
            demand(rectype in (MARK, ENTRY, EXIT), "unknown rectype %d",
                   rectype)
            demand(node >= 0, "an event of no node")
            self.event(rectype, evttype, self.nodes[node], node, pid, data)

    def label(self, evttype, data):
        demand(evttype >= 0, "a label for an event that is no user task")
        demand(len(data) == 1 and isinstance(data[0], str), "no label in it")
        demand(evttype not in self.labels, "a second label of task %d", evttype)
        demand(data[0] not in self.labels.values(),
               "another task has that label")
        self.labels[evttype] = data[0]

    def subset(self, evttype, data):
        demand(evttype == DEFINE, "unknown subset record %d", evttype)
        demand(len(data) >= 2 and all(isinstance(d, int) and d >= 0
                                      for d in data), "bad subset")
        demand(data[0] not in self.subsets, "subset %d is defined twice",
               data[0])
        demand(len(set(data[1:])) == len(data) - 1, "a member twice")
        self.subsets[data[0]] = data[1:]

    def event(self, rectype, evttype, n, node, pid, data):
        if evttype == TRACING and rectype == ENTRY:
            self.begin(n, node)
        demand(n.state == "on", "tracing is not on on node %d", node)
        if rectype == MARK:
            demand(evttype in MARKS, "unknown mark %d", evttype)
            demand(len(data) == MARKS[evttype], "%d data in mark %d", len(data),
                   evttype)
            return
        demand(evttype >= 0 or evttype in PAIRS, "unknown event %d", evttype)
        want = PAIRS.get(evttype, (0, 0))[rectype == EXIT]
        demand(len(data) == want, "%d data, event %d has %d here", len(data),
               evttype, want)
        demand(all(isinstance(d, int) for d in data), "data are no integers")
        if evttype == TRACING:
            if rectype == EXIT:
                demand(not any(stack and stack[-1][0] < 0
                               for stack in n.stacks.values()),
                       "tracing ends inside an event of node %d", node)
                n.state = "off"
            return
        stack = n.stacks.setdefault(pid, [])
        if rectype == ENTRY:
            demand(not stack or stack[-1][0] >= 0,
                   "event %d begins inside event %d", evttype,
                   stack[-1][0] if stack else 0)
            self.enter(evttype, n, node, data)
            stack.append((evttype, data))
            self.entries[evttype] += 1
        else:
            demand(stack and stack[-1][0] == evttype,
                   "the exit of event %d has no entry", evttype)
            self.leave(evttype, n, node, stack.pop()[1], data)

    def begin(self, n, node):
        demand(n.state != "on", "tracing begins again on node %d", node)
        if n.state == "new":
            demand(not any(m.left[BARRIER, -1] for m in self.nodes.values()),
                   "node %d begins after a barrier of all nodes", node)
        n.was_off = n.state == "off"
        n.state = "on"

    def enter(self, evttype, n, node, data):
        if evttype >= 0:
            demand(evttype in self.labels, "task %d has no label", evttype)
        elif evttype in SENDS or evttype in ISENDS:
            size, tag, destination = data
            demand(size >= 0 and tag >= 0 and destination >= 0,
                   "an impossible message")
            self.flying[node, destination, tag, size] += 1
            self.messages += 1
        elif evttype in RECVS | IRECVS | FOUND | NOT_FOUND:
            demand(data[0] >= -1 and (data[1] >= 0 or data[1] == -2),
                   "an impossible receive")
        elif evttype in ASKED:
            self.request(n, data[0], ASKED[evttype])
        elif evttype in SEND_ENDS:
            self.request(n, data[0], SEND_ENDS[evttype])
        elif evttype in RECV_ENDS:
            self.request(n, data[0], RECV_ENDS[evttype])
        elif evttype in CANCELLED:
            self.request(n, data[0], CANCELLED[evttype])
        elif evttype in FROM_ROOT | TO_ROOT | OF_ALL | {BARRIER}:
            self.meet(evttype, n, node, data)

    def request(self, n, number, began):
        demand(number in n.requests and
               (n.requests[number][0] in ISENDS) == (began in ISENDS),
               "request %d is no %s", number,
               "isend" if began in ISENDS else "irecv")
        demand(n.requests[number][0] == began, "request %d began by event %d",
               number, n.requests[number][0])

    def meet(self, evttype, n, node, data):
        subset = data[-1]
        demand(subset == -1 or subset in self.subsets,
               "subset %d is not defined", subset)
        members = self.subsets.get(subset)
        demand(members is None or node in members,
               "node %d is not in subset %d", node, subset)
        if evttype in FROM_ROOT | TO_ROOT:
            size, root, _ = data
            demand(root >= 0 and (members is None or root in members),
                   "the root, %d, is not in subset %d", root, subset)
            self.one_sided(evttype in FROM_ROOT and node != root, size)
        elif evttype in OF_ALL:
            self.one_sided(False, data[0])
        n.entered[self.what(evttype, data)] += 1

    @staticmethod
    def one_sided(other, size):
        demand(size == -1 if other else size >= 0, "an impossible size: %d",
               size)

    @staticmethod
    def what(evttype, data):
        """What those who meet have in common."""
        return (evttype, *data[-2:]) if evttype in FROM_ROOT | TO_ROOT \
            else (evttype, data[-1])

    def leave(self, evttype, n, node, asked, data):
        if evttype in ISENDS or evttype in IRECVS:
            demand(data[0] not in n.requests, "request %d begins again",
                   data[0])
            n.requests[data[0]] = evttype, asked
        elif evttype in SEND_ENDS:
            del n.requests[asked[0]]
        elif evttype in RECV_ENDS:
            self.receive(node, n.requests.pop(asked[0])[1], data)
        elif evttype in CANCELLED:
            began, asked = n.requests.pop(asked[0])
            if began in ISENDS:
                size, tag, destination = asked
                self.land((node, destination, tag, size))
        elif evttype in RECVS:
            self.receive(node, asked, data)
        elif evttype in FOUND:
            self.find(node, asked, data)
        elif evttype in FROM_ROOT | TO_ROOT | OF_ALL | {BARRIER}:
            self.part(evttype, n, node, asked, data)

    def part(self, evttype, n, node, asked, data):
        what, members = self.what(evttype, asked), []
        n.left[what] += 1
        if evttype in FROM_ROOT | TO_ROOT:
            self.one_sided(evttype in TO_ROOT and node != asked[1], data[0])
            if evttype == BCAST and data[0] > 0:
                members = [asked[1]]
        else:
            if evttype in OF_ALL:
                demand(data[0] == asked[1], "another subset on exit")
            if evttype == BARRIER or evttype == ALLREDUCE and asked[0] > 0:
                members = self.subsets.get(asked[-1], list(self.nodes))
        for m in members:
            demand(self.nodes[m].entered[what] >= n.left[what] or
                   self.nodes[m].was_off or self.nodes[m].state == "off",
                   "node %d is not in the %s that node %d leaves", m,
                   {BARRIER: "barrier", BCAST: "broadcast"}.get(evttype,
                                                                "allreduce"),
                   node)

    def find(self, node, asked, got):
        """A message that is there; its key, or None: nobody saw it sent."""
        size, tag, source = got
        demand(asked[0] in (-1, tag), "tag %d, asked for %d", tag, asked[0])
        demand(asked[1] in (-2, source), "from %d, asked for %d", source,
               asked[1])
        key = (source, node, tag, size)
        if not self.flying[key] and (self.nodes[source].was_off or
                                     self.nodes[source].state == "off"):
            return None
        demand(self.flying[key] > 0, "a message of %d bytes, tag %d, from node "
               "%d is received before it is sent", size, tag, source)
        return key

    def receive(self, node, asked, got):
        key = self.find(node, asked, got)
        if key:
            self.land(key)

    def land(self, key):
        self.flying[key] -= 1
        if not self.flying[key]:
            del self.flying[key]

    def end(self):
        faults = []
        for i in range(max(self.nodes, default=-1) + 1):
            if i not in self.nodes:
                faults.append("node %d has no record" % i)
            elif self.nodes[i].state != "off":
                faults.append("tracing does not end on node %d" % i)
            elif any(self.nodes[i].stacks.values()):
                faults.append("tracing ends inside a task of node %d" % i)
        for key in self.flying:
            if key[1] not in self.nodes:
                faults.append("a message to node %d, which is not there"
                              % key[1])
        for i, members in self.subsets.items():
            if not all(m in self.nodes for m in members):
                faults.append("subset %d has a member that is not there" % i)
        return faults if self.nodes else ["no node"]


def report(c):
    pending = sum(len(n.requests) for n in c.nodes.values())
    print("records %d" % c.records)
    print("nodes %d" % len(c.nodes))
    print("messages %d" % c.messages)
    print("unreceived %d" % sum(c.flying.values()))
    print("unended %d" % pending)
    for e in sorted(c.entries):
        print("entries %s %d" % (e if e < 0 else c.labels[e], c.entries[e]))


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: picl_check.py FILE")
    name = sys.argv[1]
    f = sys.stdin.buffer if name == "-" else open(name, "rb")
    c, faults = Checker(), 0
    for number, line in enumerate(f, 1):
        try:
            c.line(line.decode("latin-1"))
        except Fault as fault:
            print("%s:%d: %s" % (name, number, fault))
            faults += 1
            if faults == FAULTS_SHOWN:
                break
    if not faults:
        for text in c.end():
            print("%s: %s" % (name, text))
            faults += 1
    if faults:
        sys.exit(1)
    report(c)


if __name__ == "__main__":
    main()
