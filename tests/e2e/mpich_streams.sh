#!/bin/bash
# streams.sh with MPICH.
# In make check-all only: make check has it with Open MPI.
MPI=mpich exec "$(dirname "$0")/streams.sh"
