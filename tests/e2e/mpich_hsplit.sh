#!/bin/bash
# The examples of the paper, with MPICH: one host.
# In make check-all only: make check has it with Open MPI.
MPI=mpich exec "$(dirname "$0")/hsplit.sh"
