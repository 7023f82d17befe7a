"""Damages a trace and gives it to every tool that shows or exports one.

    damaged.py TURNS SEED SAMPLE.txt...

Each turn spoils one thing of one sample: a number or a word of the text that
tapedump --assemble makes the trace of, so that all checksums are right, or some bytes
of a file, or its end. A tool then ends by itself with 0, or with 1 and a
sentence, and leaves no part of a result behind. It works in a new folder here.
Prints what did not hold, and how often which tool ended how; the exit status
tells whether all held.
"""
import collections
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

PLATFORM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "smpi",
                        "free.xml")
TOOLS = {
    "tapestat": ["tapestat", "-a", "-n", "3", "t.tape"],
    "tapestat -j": ["tapestat", "-j", "t.tape"],
    "tapestat --measured": ["tapestat", "--measured", "whole.tape", "t.tape"],
    "tapestat -d": ["tapestat", "-d", "whole.tape", "t.tape"],
    "tapeview": ["tapeview", "-o", "out.html", "t.tape"],
    "tapeview --svg": ["tapeview", "--svg", "-o", "out.svg", "t.tape"],
    "t2chrome": ["t2chrome", "-o", "out.json", "t.tape"],
    "t2paje": ["t2paje", "-o", "out.trace", "t.tape"],
    "t2paraver": ["t2paraver", "-o", "out.prv", "t.tape"],
    "t2otf2": ["t2otf2", "-o", "out.otf2", "t.tape"],
    "t2ti": ["t2ti", "-o", "out.ti", "t.tape"],
    "t2np": ["t2np", "-o", "out.trf", "t.tape"],
    "tapesim": ["tapesim", "-j", "t.tape"],
    "tapesim -o": ["tapesim", "--engine", "own", "--platform", PLATFORM,
                           "-o", "out.tape", "t.tape"],
}
MEANT = {"tapestat -d": (0, 1, 3)}
WILD = ["0", "1", "-1", "7", "255", "65536", "4294967295", "1e300", "nan",
        "9223372036854775807", "18446744073709551615", "-9223372036854775808"]


def spoiled_text(text, rng):
    """One number or word of the text is another one, or a line goes."""
    lines = text.split("\n")
    at = rng.choice([i for i, line in enumerate(lines)
                     if line.strip() and not line.startswith("#")])
    words = list(re.finditer(r"-?\d+|\w+", lines[at]))
    if not words or rng.random() < 0.1:
        del lines[at]
    else:
        w = rng.choice(words)
        new = rng.choice(WILD + [rng.choice(words).group()])
        lines[at] = lines[at][:w.start()] + new + lines[at][w.end():]
    return "\n".join(lines)


def spoil_file(folder, rng):
    """Some bytes of a file of the trace change, or its end is cut off."""
    path = os.path.join(folder, rng.choice(sorted(os.listdir(folder))))
    data = bytearray(open(path, "rb").read())
    used = len(data.rstrip(b"\0")) or 1
    if rng.random() < 0.3:
        del data[rng.randrange(used):]
    else:
        for _ in range(rng.randrange(1, 4)):
            data[rng.randrange(used) % max(1, len(data))] ^= 1 << rng.randrange(8)
    open(path, "wb").write(data)


def make(text, rng):
    """t.tape, damaged; no: the text is none of a trace any more."""
    shutil.rmtree("t.tape", ignore_errors=True)
    by_text = rng.random() < 0.7
    with open("t.txt", "w") as f:
        f.write(spoiled_text(text, rng) if by_text else text)
    made = subprocess.run(["tapedump", "--assemble", "-o", "t.tape", "t.txt"],
                          stderr=subprocess.DEVNULL).returncode == 0
    if made and not by_text:
        spoil_file("t.tape", rng)
    return made and os.path.isdir("t.tape")


def clear():
    """Removes results; what there was of them."""
    left = sorted(n for n in os.listdir(".")
                  if n not in ("t.tape", "t.txt", "whole.tape"))
    for n in left:
        shutil.rmtree(n) if os.path.isdir(n) else os.remove(n)
    return left


def fault_of(name, command):
    """Its exit status, and what is wrong with how it ended, or None."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        clear()
        return None, "did not end in a minute"
    left, rc = clear(), done.returncode
    said = done.stderr.decode("utf-8", "replace")
    if rc not in MEANT.get(name, (0, 1)):
        return rc, f"ended with {rc}: {said[:300]}"
    if rc == 1 and not said.strip():
        return rc, "failed without a sentence"
    if rc == 1 and left:
        return rc, f"failed and left {left}"
    if "Sanitizer" in said or "runtime error" in said:
        return rc, said[:2000]
    return rc, None


def main():
    turns, seed, samples = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    ends, bad = collections.Counter(), 0
    os.chdir(tempfile.mkdtemp(dir="."))
    for turn in range(turns):
        rng = random.Random(seed * 1000003 + turn)
        sample = samples[turn % len(samples)]
        shutil.rmtree("whole.tape", ignore_errors=True)
        subprocess.run(["tapedump", "--assemble", "-o", "whole.tape", sample],
                       check=True)
        if not make(open(sample).read(), rng):
            continue
        for name, command in TOOLS.items():
            rc, fault = fault_of(name, command)
            ends[name, rc] += 1
            if fault:
                bad += 1
                print(f"# seed {seed} turn {turn}: {name} {fault}")
    for name in TOOLS:
        print(f"# {name}: " + ", ".join(
            f"{n} times {rc}" for (of, rc), n in sorted(
                ends.items(), key=str) if of == name))
    sys.exit(1 if bad or not ends else 0)


main()
