#!/usr/bin/env python3
"""Puts the files of ranks of a trace into containers, as doc/trace-format.md has
them: contain.py IN OUT [RANKS [PIECE]]

RANKS of them are in each (default: 2), in pieces of PIECE bytes (default: 1000),
which stand in the order of their ends: pieces of one file never beside each other.
Written by the document alone: it shares nothing with the reader or the runtime.
"""
import os
import shutil
import struct
import sys

PLACES, HEAD, ENTRY, ALIGNED = 1 << 20, 64, 32, 1 << 14
TEXT = 0xffffffff


def pieces(folder, names, size):
    """(rank, thread, at, bytes) of each, mixed."""
    out = []
    for name in names:
        word = name.split(".")
        with open(os.path.join(folder, name), "rb") as f:
            data = f.read()
        thread = int(word[2]) if word[0] == "flow" else TEXT
        out += [(int(word[1]), thread, at, data[at:at + size])
                for at in range(0, len(data), size)]
    return sorted(out, key=lambda p: (-p[2], p[1], p[0]))


def write(path, parts):
    end, index, body = PLACES, b"", b""
    for rank, thread, at, data in parts:
        index += struct.pack("<IIQQQ", rank, thread, at, end, len(data))
        body += data + bytes(-len(data) % ALIGNED)
        end += len(data) + -len(data) % ALIGNED
    head = b"NODE" + struct.pack("<IQQ", 1, end, len(parts))
    with open(path, "wb") as f:
        f.write((head + bytes(HEAD - len(head)) + index).ljust(PLACES, b"\0"))
        f.write(body)


def main(old, new, each=2, size=1000):
    os.mkdir(new)
    names = sorted(os.listdir(old))
    files = {}
    for name in names:
        path = os.path.join(old, name)
        if name.split(".")[0] in ("flow", "rank"):
            files.setdefault(int(name.split(".")[1]) // each, []).append(name)
        elif name == "meta":
            with open(path) as f, open(os.path.join(new, name), "w") as g:
                g.write(f.read() + "layout node\n")
        else:
            shutil.copy(path, os.path.join(new, name))
    for number, group in files.items():
        write(os.path.join(new, f"node.{number}"), pieces(old, group, size))


main(*sys.argv[1:3], *map(int, sys.argv[3:]))
