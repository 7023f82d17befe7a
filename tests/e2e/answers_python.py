"""Planted faults in Python: answers_python.py CASE. A rank sleeps, and others wait
for it. Rank 0 prints the truth as the programs of answers.h do; SECONDS is what
was slept."""
import sys
import time

from mpi4py import MPI

comm = MPI.COMM_WORLD
me, size = comm.rank, comm.size
steps, nap = 5, 0.04


def print_truth(mark, rank, seconds):
    if me == 0:
        print("truth", mark, rank, seconds)


def slow_rank():
    for _ in range(steps):
        if me == 1:
            time.sleep(nap)
        comm.allreduce(1)  # PY_SUM
    print_truth("PY_SUM", 1, steps * nap * (size - 1))


def late_root():
    for _ in range(steps):
        if me == 2:
            time.sleep(nap)
        comm.bcast({"from": me}, root=2)  # PY_ROOT
        comm.barrier()  # PY_NEXT
    print_truth("PY_NEXT", 2, steps * nap * (size - 1))


def late_sender():
    for _ in range(steps):
        if me == 1:
            time.sleep(nap)
            comm.send("late", dest=0)  # PY_SEND
        if me == 0:
            comm.recv(source=1)
    print_truth("PY_SEND", 1, steps * nap)


def balanced():
    for _ in range(steps):
        time.sleep(0.25)
        comm.barrier()


comm.barrier()
{"slow_rank": slow_rank, "late_root": late_root,
 "late_sender": late_sender, "balanced": balanced}[sys.argv[1]]()
