"""How the benchmarks run programs, and the statistics they share.

Every figure is compared with one from the same session, with alternating runs: a
machine's speed changes from minute to minute, ratios much less.
"""
import argparse
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time

CONFIGURED = "OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM".split()


class Failed(Exception):
    """A program that did not end well; the text says which and how."""


def arguments(what, *options):
    """The arguments of a benchmark: options as for add_argument, then BUILD."""
    top = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(
        description=what, formatter_class=argparse.RawDescriptionHelpFormatter)
    for names, settings in options:
        parser.add_argument(*names, **settings)
    parser.add_argument("build", nargs="?", default=os.path.join(top, "build"),
                        help="where Tape was built (default: %(default)s)")
    a = parser.parse_args()
    a.build = os.path.abspath(a.build)
    a.top = top
    return a


def count(text):
    """The type of an option that is a number from 1."""
    n = int(text)
    if n < 1:
        raise argparse.ArgumentTypeError(f"{n} is less than 1")
    return n


def main(body, a, launcher="mpirun"):
    """Runs body(a) inside a folder of its own, which goes away at the end.

    Says nothing itself where a.csv asks for a table alone.
    """
    name = os.path.basename(sys.argv[0])
    if not shutil.which(launcher):
        print(f"{name}: left out, there is no {launcher}", file=sys.stderr
              if getattr(a, "csv", False) else sys.stdout)
        return
    before = os.getcwd()
    folder = tempfile.mkdtemp(prefix=f"tape-{name}-")
    try:
        os.chdir(folder)
        body(a)
        if not getattr(a, "csv", False):
            print(f"load {os.getloadavg()[0]:.2f} after the end")
    except Failed as why:
        sys.exit(f"{name}: {why}")
    except KeyboardInterrupt:
        sys.exit(f"{name}: interrupted")
    finally:
        os.chdir(before)
        shutil.rmtree(folder, ignore_errors=True)


def heading(text):
    """What is measured, and on which machine, in which state."""
    cpu = "unknown processor"
    with open("/proc/cpuinfo") as f:
        for line in f:
            if line.startswith("model name"):
                cpu = line.split(":", 1)[1].strip()
                break
    print(f"\n== {text} ==")
    print(f"{cpu}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.2f} "
          "before the start")
    sys.stdout.flush()


def environment(settings):
    """The caller's, without its Tape settings, and with those given."""
    e = {k: v for k, v in os.environ.items() if not k.startswith("TAPE_")}
    for name in CONFIGURED:
        e.setdefault(name, "1")
    e.setdefault("OMPI_MCA_btl_base_warn_component_unused", "0")
    e.update(settings)
    return e


def mpirun(command, ranks=2, **settings):
    """What the program prints. One core a rank where there are enough."""
    launch = ["mpirun", "-np", str(ranks)]
    if ranks <= (os.cpu_count() or 1):
        launch += ["--bind-to", "core"]
    else:
        launch += ["--oversubscribe"]
    return run(launch + command, **settings)


def run(command, **settings):
    done = subprocess.run(command, env=environment(settings), text=True,
                          stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode:
        last = done.stderr.strip().splitlines()[-8:]
        raise Failed("\n  ".join([" ".join(command) +
                                  f" ended with status {done.returncode}"] +
                                 last))
    return done.stdout


def measure(command, output=subprocess.DEVNULL):
    """(seconds, peak memory in MiB, status) of one process."""
    start = time.monotonic()
    child = subprocess.Popen(command, env=environment({}), stdout=output,
                             stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return (time.monotonic() - start, usage.ru_maxrss / 1024,
            child.returncode)


def size(path):
    """Bytes of a file, or of all files below a folder."""
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(folder, name))
               for folder, _, names in os.walk(path) for name in names)


def remove(path):
    shutil.rmtree(path, ignore_errors=True)


def events(a, trace):
    """How many events the trace holds."""
    return int(run([f"{a.build}/bench/read", trace]).split()[0])


def table(head, rows):
    """Columns as wide as they need; the first to the left, others right."""
    rows = [head] + rows
    wide = [max(len(r[i]) for r in rows) for i in range(len(head))]
    for r in rows:
        print("  ".join(c.ljust(w) if i == 0 else c.rjust(w)
                        for i, (c, w) in enumerate(zip(r, wide))).rstrip())
    sys.stdout.flush()


def goal(text, met, seen):
    print(f"{'met   ' if met else 'MISSED'}  {text}: {seen}")


# ---- statistics ----

def student(df):
    """The 97.5% quantile of Student's t with df degrees of freedom.

    Expansion in 1/df around the normal quantile (Abramowitz and Stegun 1964,
    26.7.5); off by less than 0.5% from df = 4 on.
    """
    z = 1.959963985
    g1 = (z**3 + z) / 4
    g2 = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    g3 = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    g4 = (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160
    return z + g1 / df + g2 / df**2 + g3 / df**3 + g4 / df**4


def mean(x):
    return sum(x) / len(x)


def half_width(x):
    """Half the 95% interval of the mean of x: t s / sqrt(n)."""
    n = len(x)
    if n < 3:
        return math.inf
    m = mean(x)
    s = math.sqrt(sum((v - m) ** 2 for v in x) / (n - 1))
    return student(n - 1) * s / math.sqrt(n)


def ratio(x, y):
    """mean(x) / mean(y) of pairs, and half its 95% interval.

    Linearised: to first order the error of the ratio r is that of the mean of
    (x - r y) / mean(y) (Cochran 1977, 2.11).
    """
    r = mean(x) / mean(y)
    return r, half_width([(u - r * v) / mean(y) for u, v in zip(x, y)])
