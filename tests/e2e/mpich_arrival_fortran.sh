#!/bin/bash
# The same of MPICH.
# In make check-all only: make check has it with Open MPI.
MPI=mpich exec "$(dirname "$0")/arrival_fortran.sh"
