#!/bin/bash
# Sanitizers and MPICH.
# In make check-all only: make check has it with Open MPI.
MPI=mpich exec "$(dirname "$0")/sanitized.sh"
