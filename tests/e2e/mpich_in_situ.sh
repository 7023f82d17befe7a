#!/bin/bash
# in_situ.sh with MPICH
# In make check-all only: make check has it with Open MPI.
MPI=mpich exec "$(dirname "$0")/in_situ.sh"
