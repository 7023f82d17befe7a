#!/bin/bash
# The same with MPICH, whose ranks do not yield while they wait: fewer cases.
# In make check-all only: make check has it with Open MPI.
: "${CASES:=4}"
export CASES
MPI=mpich exec "$(dirname "$0")/hsplit_collectives.sh"
