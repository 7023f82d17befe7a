#!/bin/bash
# hsplit_fortran.sh with MPICH.
MPI=mpich exec "$(dirname "$0")/hsplit_fortran.sh"
