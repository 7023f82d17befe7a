"""The programs that the benchmarks measure as a whole: how each is run, and
between which of its calls. Times are those from the end of the first call of
rank 0 to the end of the last one.
"""
import os
import sys

sys.dont_write_bytecode = True
import runs


class Program:
    """What is run, and between which calls it is measured."""

    def __init__(self, path, options, first, last):
        self.command, self.calls = [path] + options, [first, last]

    def launch(self, a, front, **settings):
        """What it prints; front is what it is started by."""
        return runs.mpirun(front + self.command, **settings)


class Pvm(Program):
    """In a virtual machine of its own, untouched by mpirun."""

    def __init__(self, path, options):
        super().__init__(path, ["2"] + options, "pvm_barrier", "pvm_bcast")

    def launch(self, a, front, **settings):
        return runs.run([f"{a.top}/tests/rigs/pvm/pvm_machine"] + front +
                        self.command, **settings)


class Hpcc(Program):
    """It does not measure itself, and wants a file."""

    def __init__(self, a):
        super().__init__("hpcc", [], "MPI_Init", "MPI_Finalize")
        with open("hpccinf.txt", "w") as f:
            f.write(runs.run([f"{a.top}/tests/e2e/hpccinf", "300"]))


# how each is called, and the call that ends what it measures
MARKED = {
    "jacobi": (["-tu", "-n", "1024", "-i", "50"], "MPI_Allreduce"),
    "fft2d": (["-tu", "-n", "256", "-i", "10"], "MPI_Barrier"),
    "cg": (["-t", "-n", "512", "-i", "50"], "MPI_Barrier"),
}


def span(a, program, trace):
    return float(runs.run([f"{a.build}/bench/span", trace, "0"] +
                          program.calls))


def untraced(a, program):
    """T0, ns"""
    settings = {}
    if isinstance(program, Hpcc):
        settings["LD_PRELOAD"] = f"{a.build}/bench/wall.so"
    text = program.launch(a, [], **settings)
    return 1e9 * float(text.split()[-1])


def traced(a, program, trace):
    """T, ns; leaves the trace"""
    program.launch(a, [f"{a.build}/bin/taperun", "-o", trace])
    return span(a, program, trace)
