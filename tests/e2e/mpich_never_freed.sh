#!/bin/bash
# What a program does not complete or free, with MPICH.
# In make check-all only: make check has it with Open MPI.
MPI=mpich exec "$(dirname "$0")/never_freed.sh"
