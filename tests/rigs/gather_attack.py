"""Attacks a running tape-gather, as somebody who may use this machine, too.

    gather_attack.py look SECONDS WORD...   how often each word stands in a command
                                            line or an environment that can be read
    gather_attack.py ports PORT             addresses at which that port listens
    gather_attack.py crowd PORT N SECONDS   N connections, while the port is open; some
                                            say a little
    gather_attack.py guess PORT VERSION DIR a wrong token, each wish
    gather_attack.py VERSION DIR WHAT       with the token, in TAPE_GATHER; prints
                                            "taken" or why not
"""
import glob
import os
import select
import socket
import struct
import sys
import time

TRACE, RANK, TASK, HOSTS = 1, 2, 3, 4
META, CLOCKS, TEXT, RECORDS, CHUNK = 1, 2, 3, 4, 5
CHUNK_BYTES = 65536


def look(seconds, words):
    seen = {w: 0 for w in words}
    end = time.time() + seconds
    while time.time() < end:
        for name in glob.glob("/proc/[0-9]*/cmdline") + \
                glob.glob("/proc/[0-9]*/environ"):
            if name.startswith("/proc/%d/" % os.getpid()):
                continue
            try:
                with open(name, "rb") as f:
                    text = f.read()
            except OSError:
                continue
            # this program's own, and what starts it, name the words
            if b"gather_attack" in text or b"look" in text.split(b"\0"):
                continue
            for w in words:
                seen[w] += w.encode() in text
    print(*[int(seen[w] > 0) for w in words])


def ports(port):
    found = []
    for name, width in (("/proc/net/tcp", 8), ("/proc/net/tcp6", 32)):
        for line in open(name).readlines()[1:]:
            word = line.split()
            address, at = word[1].split(":")
            if int(at, 16) == port and word[3] == "0A":
                found.append(address)
    here = found == ["0100007F"]
    print("this host" if here else "other hosts" if found else "nobody")


def connect(port):
    s = socket.socket()
    s.connect(("127.0.0.1", port))
    return s


def crowd(port, n, seconds):
    end = time.time() + seconds
    there = []
    said = False
    while time.time() < end:
        while len(there) < n:
            try:
                s = connect(port)
                if len(there) % 3 == 1:
                    s.send(b"tape-gat")
            except ConnectionRefusedError:
                return
            except OSError:
                continue
            there.append(s)
        if not said:
            print("there", flush=True)
            said = True
        # whoever was sent away comes again
        poll = select.poll()
        for s in there:
            poll.register(s, select.POLLIN | select.POLLHUP)
        gone = {fd for fd, _ in poll.poll(20)}
        for s in [s for s in there if s.fileno() in gone]:
            there.remove(s)
            s.close()


def say_hello(s, version, token, wish, rank, name, identity=b"x" * 16):
    s.sendall(struct.pack("8s24s32s16sIi4096s", b"tape-gat", version.encode(),
                          token.encode(), identity, wish, rank,
                          name.encode()))


def hello(s, version, token, wish, rank, name):
    say_hello(s, version, token, wish, rank, name)
    reply = b""
    while len(reply) < 4100:
        part = s.recv(4100 - len(reply))
        if not part:
            return -2, "no reply"
        reply += part
    return struct.unpack("i", reply[:4])[0], \
        reply[4:].split(b"\0")[0].decode()


def guess(port, version, name):
    taken = 0
    for wish in (TRACE, RANK, TASK, HOSTS, 0, 77):
        for token in ("0" * 32, "", "f" * 32):
            s = connect(port)
            rank, text = hello(s, version, token, wish, 0, name)
            taken += rank >= 0
            s.close()
    print("taken" if taken else "refused")


def frame(kind, thread, at, data):
    return struct.pack("IIQQ", kind, thread, at, len(data)) + data


def send(s, pieces):
    """Whether the other side is there after these pieces."""
    try:
        for p in pieces:
            s.sendall(struct.pack("I", len(p)) + p)
        s.shutdown(socket.SHUT_WR)
        return True
    except OSError:
        return False


def text_flood(what):
    kind = META if what == "meta" else TEXT
    for i in range(4096):
        yield frame(kind, 0, i * 100000, b"x" * 100000)


def hold(version, token, port, name, ranks):
    """Connections of these ranks, which send nothing more for a minute."""
    there = []
    for rank in ranks:
        there.append(connect(port))
        say_hello(there[-1], version, token, RANK, rank, name)
        if len(there) == 1:
            there[0].recv(4100)
    print("there", flush=True)
    time.sleep(60)


def known(version, name, what):
    port, token, _ = os.environ["TAPE_GATHER"].split(":", 2)
    if what == "half open":
        hold(version, token, int(port), name, [9, 9])
    if what.startswith("ranks "):
        hold(version, token, int(port), name, range(int(what[6:])))
    s = connect(int(port))
    wish, rank, pieces = RANK, 9, []
    if what.startswith("rank "):
        rank = int(what[5:])
        pieces = [frame(TEXT, 0, 0, b"tape-rank 1\nrank 0\n")]
    elif what == "traces":
        begun = 0
        for i in range(400):
            s = connect(int(port))
            begun += hello(s, version, token, TRACE, 0, "many")[0] >= 0
        print(begun)
        return
    elif what in ("meta", "clocks"):
        pieces = [frame(META if what == "meta" else CLOCKS, 0, 0, b"x\n")]
    elif what == "hole":
        pieces = [frame(TEXT, 0, 1 << 40, b"x")]
    elif what == "chunk hole":
        pieces = [frame(RECORDS, 0, (1 << 40) + 128, b"x")]
    elif what == "thread":
        pieces = [frame(RECORDS, 65535, 128, b"x")]
    elif what in ("meta flood", "text flood"):
        pieces = text_flood(what.split()[0])
    rank, text = hello(s, version, token, wish, rank, name)
    if rank < 0:
        print(text)
        return
    send(s, pieces)
    # until it was read, or closed
    try:
        while s.recv(4096):
            pass
    except OSError:
        pass
    print("taken")


if sys.argv[1] == "look":
    look(float(sys.argv[2]), sys.argv[3:])
elif sys.argv[1] == "ports":
    ports(int(sys.argv[2]))
elif sys.argv[1] == "crowd":
    crowd(int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
elif sys.argv[1] == "guess":
    guess(int(sys.argv[2]), *sys.argv[3:])
else:
    known(*sys.argv[1:])
