#!/usr/bin/env python3
"""Prints what a page of tapeview holds, decoded without the page's own script.

page_data.py PAGE [head|events|messages|waits|regions|counters]

head: the JSON header, sorted. events: one line for each single event, with its
times in every base. messages: flow, event (from 1, of the kept ones) of both
sides, bytes, tag. waits: those of each base, and the critical path. regions: flow, depth, name, times.
"""
import base64
import json
import re
import struct
import sys
import zlib


def load(path):
    text = open(path, encoding="utf-8").read()
    m = re.search(r'id="data" data-coding="(\w*)">\n(.*?)</script>', text, re.S)
    data = base64.b64decode(m.group(2))
    if m.group(1):
        data = zlib.decompress(data)
    (n,) = struct.unpack_from("<I", data)
    return json.loads(data[4:4 + n]), data, 4 + n


def varints(data):
    v = shift = 0
    for b in data:
        v |= (b & 127) << shift
        shift += 7
        if b < 128:
            yield v
            v = shift = 0


def signed(values):
    return [-(v + 1) // 2 if v & 1 else v // 2 for v in values]


class Page:
    def __init__(self, path):
        self.head, self.data, self.at = load(path)
        self.next = 0
        flows = range(len(self.head["flows"]))
        self.flows = []
        for _ in flows:
            f = [self.column() for _ in range(9)]
            f[4:6] = signed(f[4]), signed(f[5])
            self.flows.append(f)
        # by base, then flow: events, regions, as (start, end)
        self.times = [[(self.events(), self.spans()) for _ in flows]
                      for _ in self.head["bases"]]
        self.waits = [self.read_waits() for _ in self.head["bases"]]
        self.messages = self.read_messages()

    def column(self):
        n = self.head["columns"][self.next]
        self.next += 1
        self.at += n
        return list(varints(self.data[self.at - n:self.at]))

    def events(self):
        now, out = 0, []
        for gap, length in zip(signed(self.column()), signed(self.column())):
            out.append((now + gap, now + gap + length))
            now += gap + length
        return out

    def spans(self):
        now, out = 0, []
        for gap, length in zip(signed(self.column()), signed(self.column())):
            now += gap
            out.append((now - length, now))
        return out

    def curves(self):
        """of each counter and flow what was counted in each bin, about"""
        at = self.at
        for base in self.head["bases"]:
            at += (base["bins"] * len(self.head["groups"]) *
                   len(self.head["flows"]))
        for name, unit, most, bins, width in self.head["counters"]:
            for i in range(len(self.head["flows"])):
                values = self.data[at:at + bins]
                at += bins
                yield name, unit, i, [v / 255 * most * width for v in values]
        assert at == len(self.data)

    def read_waits(self):
        """(flow, from, ns, kind, flow waited for); (flow, from, to)"""
        flow, at, ns, kind, late = [self.column() for _ in range(5)]
        last, waits, path, to = {}, [], [], 0
        for f, start, length, k, other in zip(flow, signed(at), ns, kind, late):
            last[f] = last.get(f, 0) + start
            waits.append((f, last[f], length, self.head["kinds"][k], other))
        columns = [self.column() for _ in range(3)]
        for f, end, length in zip(columns[0], signed(columns[1]), columns[2]):
            to += end
            path.append((f, to - length, to))
        return waits, path

    def read_messages(self):
        c = [self.column() for _ in range(6)]
        c[1], c[3], c[5] = signed(c[1]), signed(c[3]), signed(c[5])
        last_to, last_from, out = {}, {}, []
        for to, i, source, k, size, tag in zip(*c):
            last_to[to] = last_to.get(to, 0) + i
            last_from[source] = last_from.get(source, 0) + k
            out.append((source, last_from[source], to, last_to[to], size, tag))
        return out


def main():
    p = Page(sys.argv[1])
    what = sys.argv[2] if len(sys.argv) > 2 else "head"
    if what == "head":
        print(json.dumps(p.head, indent=1, sort_keys=True))
    if what == "messages":
        for m in sorted(p.messages):
            print("%d %d -> %d %d bytes=%d tag=%d" %
                  (m[0], m[1] + 1, m[2], m[3] + 1, m[4], m[5]))
    for name, unit, i, values in p.curves() if what == "counters" else ():
        print("%d %s: %.0f %s in all:" % (i, name, sum(values), unit),
              *("%d:%.0f" % v for v in enumerate(values) if v[1]))
    for waits, path in p.waits if what == "waits" else ():
        for w in sorted(waits):
            print("%d waits from %d for %d: %s, for %d" % w)
        for piece in reversed(path):
            print("path on %d: %d..%d" % piece)
    for i, f in enumerate(p.flows):
        if what == "events":
            for k, place in enumerate(f[0]):
                times = " ".join("%d..%d" % b[i][0][k] for b in p.times)
                call, _, where = p.head["places"][place][:3]
                print(i, times, call, where, "comm=%d bytes=%d rbytes=%d "
                      "peer=%d tag=%d calls=%d" % tuple(c[k] for c in f[1:7]))
        if what == "regions":
            for k, region in enumerate(f[7]):
                times = " ".join("%d..%d" % b[i][1][k] for b in p.times)
                print(i, f[8][k], p.head["regions"][region][0], times)


if __name__ == "__main__":
    main()
