"""Gives tapejoin traces of spawned jobs that do not fit together.

    joined_damage.py TURNS SEED PARENT.txt CHILD.txt

Each turn makes a parent and some children of the texts, then spoils one or two
things: lines child of files spawn.ID, identities (so that the jobs are in a
circle, or of no tree), numbers of the texts and files, bytes of a file, or the
end of a flow. tapejoin then ends by itself within a minute and 1 GiB: with 0 and
a trace that tapedump reads or refuses with a sentence, or with 1, one sentence
that names a file, and no part of a result. Prints the seed, what did not hold,
and how often tapejoin ended how; the exit status tells whether all held.
"""
import collections
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

WILD = ["0", "-1", "1", "7", "65536", "4294967295", "9223372036854775807",
        "-9223372036854775808", "99999999999999999999999", "nan", "", "%",
        "%00", "/", "..", "a" * 5000]
CHILDREN = ["..", ".", "/", "/a/b/", "", "p.tape", "./p.tape", "c0.tape",
            "/x/c1.tape", "/x/c0.tape/", "/dev/null", "/proc/self/fd/0",
            "/proc", "x" * 300, "x/" * 3000, "%2e%2e", "%", "a%00b", "\x1b[2J",
            "loop", "\xff\xfe"]
MEMORY = 1 << 30


def limit():
    """Address space of tapejoin; a sanitizer needs more."""
    if not os.environ.get("JOINED_UNLIMITED"):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run(*command):
    return subprocess.run(command, capture_output=True, timeout=60,
                          preexec_fn=limit)


def make(name, text):
    with open("t.txt", "w") as f:
        f.write(text)
    return not subprocess.run(["tapedump", "--assemble", "-o", name, "t.txt"],
                              stderr=subprocess.DEVNULL).returncode


def with_id(text, old, new):
    return re.sub(r"\b%s\b" % old, new, text)


def spoil_text(text, rng):
    """One number of a line of definitions is another one."""
    lines = text.split("\n")
    end = lines.index(next(l for l in lines if l.startswith("flow ")))
    at = rng.choice([i for i in range(end) if lines[i].startswith("\t")])
    words = lines[at].split(" ")
    words[rng.randrange(len(words))] = rng.choice(WILD)
    lines[at] = " ".join(words)
    return "\n".join(lines)


def spoil_bytes(folder, rng):
    """Bytes of a file change, words of it, or its end is cut off."""
    path = os.path.join(folder, rng.choice(sorted(os.listdir(folder))))
    if not os.path.isfile(path) or os.path.islink(path):
        return
    data = bytearray(open(path, "rb").read())
    used = len(data.rstrip(b"\0")) or 1
    how = rng.randrange(4)
    if how == 0:
        del data[rng.randrange(used):]
    elif how == 1 and "flow" not in path:
        words = bytes(data).split(b" ")
        words[rng.randrange(len(words))] = rng.choice(WILD).encode()
        data = b" ".join(words)
    elif how == 2:
        at = rng.randrange(used)
        data[at:at] = data[:rng.randrange(used)]
    else:
        for _ in range(rng.randrange(1, 4)):
            if data:
                data[rng.randrange(used) % len(data)] ^= 1 << rng.randrange(8)
    open(path, "wb").write(data)


def spoil_spawn(folder, rng):
    """A file spawn.ID with other lines, a link, a folder or a pipe."""
    name = os.path.join(folder, rng.choice(
        ["spawn.ab0", "spawn.ab1", "spawn.0", "spawn.", "spawn.-1",
         "spawn.zz", "spawn.ffffffffffffffffffff"]))
    if os.path.isdir(name) and not os.path.islink(name):
        os.rmdir(name)
    elif os.path.lexists(name):
        os.remove(name)
    how = rng.randrange(8)
    if how == 0:
        os.symlink(rng.choice(["/dev/zero", "meta", name, "/nowhere"]), name)
    elif how == 1:
        os.mkdir(name)
    elif how == 2:
        os.mkfifo(name)
    else:
        lines = ["child " + rng.choice(CHILDREN)
                 for _ in range(rng.choice([1, 2, 5, 70000 if how == 3 else 3]))]
        with open(name, "w", encoding="utf-8", errors="replace") as f:
            f.write("\n".join(lines) + rng.choice(["", "\n", "\0\n"]))


def make_jobs(parent, child, rng):
    """p.tape and c0.tape ...; no: the texts are none of traces any more."""
    n = rng.randrange(1, 4)
    ids = ["ab%d" % i for i in range(n)]
    lines = "".join("\tcomm %d %s 3 0 s\n\tinter %d 0 2\n" %
                    (3 + i, ids[i], 3 + i) for i in range(n))
    parent = re.sub(r"\tcomm 3 ab [^\n]*\n\tinter[^\n]*\n", lines, parent)
    parent = with_id(parent, "spawn ab", "spawn ab0")
    texts = [parent] + [with_id(child, "ab", i) for i in ids]
    if rng.random() < 0.3:  # one job of another
        a, b = rng.randrange(1, n + 1), rng.randrange(1, n + 1)
        texts[a] = texts[a].replace("rank 1\n", "rank 1\n\tcomm 9 %s 3 0 x\n" %
                                    ids[b - 1], 1)
    if rng.random() < 0.15:  # in a circle
        texts[0] = texts[0].replace("\tbase", "\tspawned ad x\n\tbase", 1)
        texts[1] = texts[1].replace("\tcomm 3", "\tcomm 8 ad 3 0 y\n\tcomm 3", 1)
    if rng.random() < 0.5:
        i = rng.randrange(n + 1)
        texts[i] = spoil_text(texts[i], rng)
    names = ["p.tape"] + ["c%d.tape" % i for i in range(n)]
    for name, text in zip(names, texts):
        if not make(name, text):
            return None
    for i, name in zip(ids, names[1:]):
        with open("p.tape/spawn." + i, "w") as f:
            f.write("child /nowhere/%s\n" % name)
    os.symlink("loop", "loop")
    return names


def clear():
    for n in os.listdir("."):
        if os.path.isdir(n) and not os.path.islink(n):
            shutil.rmtree(n)
        else:
            os.remove(n)


def fault_of(names, rng):
    """The exit status of tapejoin, and what is wrong with how it ended."""
    named = names if rng.random() < 0.4 else names[:1]
    try:
        done = run("tapejoin", "-o", "j.tape", *named)
    except subprocess.TimeoutExpired:
        return None, "did not end in a minute"
    rc = done.returncode
    said = done.stderr.decode("utf-8", "replace")
    left = [n for n in os.listdir(".") if n.startswith("j.tape")]
    if "Sanitizer" in said or "runtime error" in said:
        return rc, said[:2000]
    if re.search(r"[\x00-\x09\x0b-\x1f\x7f]", said + done.stdout.decode(
            "utf-8", "replace")):
        return rc, "printed control characters"
    if rc == 1 and (left or not said.strip()):
        return rc, f"failed with {said[:300]!r} and left {left}"
    if rc == 1 and ".tape" not in said.split("\n")[-2]:
        return rc, f"names no file: {said[-300:]}"
    if rc not in (0, 1) or (rc == 0 and left != ["j.tape"]):
        return rc, f"ended with {rc}, left {left}: {said[:300]}"
    if rc == 0:
        read = run("tapedump", "--messages", "j.tape")
        if read.returncode not in (0, 1) or (read.returncode and
                                             not read.stderr.strip()):
            return rc, f"tapedump ended with {read.returncode}"
    return rc, None


def main():
    turns, seed = int(sys.argv[1]), int(sys.argv[2])
    parent, child = (open(n).read() for n in sys.argv[3:5])
    ends, bad = collections.Counter(), 0
    print(f"# seed {seed}, {turns} turns")
    os.chdir(tempfile.mkdtemp(dir="."))
    for turn in range(turns):
        rng = random.Random(seed * 1000003 + turn)
        names = make_jobs(parent, child, rng)
        if names:
            for _ in range(rng.randrange(1, 3)):
                rng.choice([spoil_bytes, spoil_spawn])(rng.choice(
                    names + ["p.tape"] * 2), rng)
            rc, fault = fault_of(names, rng)
            ends[rc] += 1
            if fault:
                bad += 1
                print(f"# seed {seed} turn {turn}: {fault}")
        clear()
    print("# tapejoin: " + ", ".join(
        f"{n} times {rc}" for rc, n in sorted(ends.items(), key=str)))
    sys.exit(1 if bad or not ends[0] or not ends[1] else 0)


main()
