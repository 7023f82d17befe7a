#!/bin/bash
# The source door for Fortran once more, with MPICH.
MPI=mpich exec "$(dirname "$0")/fortran_source.sh"
