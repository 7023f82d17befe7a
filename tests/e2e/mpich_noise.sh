#!/bin/bash
# The setting noise once more, with MPICH.
# In make check-all only: make check has it with Open MPI.
MPI=mpich exec "$(dirname "$0")/noise.sh"
