#!/bin/bash
# hsplit_fortran.sh with MPICH.
# In make check-all only: make check has it with Open MPI.
MPI=mpich exec "$(dirname "$0")/hsplit_fortran.sh"
