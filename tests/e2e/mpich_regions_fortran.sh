#!/bin/bash
# Regions of Fortran programs once more, with MPICH.
# In make check-all only: make check has them with Open MPI.
MPI=mpich exec "$(dirname "$0")/regions_fortran.sh"
