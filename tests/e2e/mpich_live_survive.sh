#!/bin/bash
# Accidents of a program that is followed once more, with MPICH.
# In make check-all only: make check has it with Open MPI.
MPI=mpich exec "$(dirname "$0")/live_survive.sh"
