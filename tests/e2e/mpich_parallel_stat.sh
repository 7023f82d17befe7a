#!/bin/bash
# Several processes of tapestat once more, with MPICH.
MPI=mpich exec "$(dirname "$0")/parallel_stat.sh"
