#!/bin/bash
# The source door for Fortran once more, with MPICH.
# In make check-all only: make check has it with Open MPI.
MPI=mpich exec "$(dirname "$0")/fortran_source.sh"
