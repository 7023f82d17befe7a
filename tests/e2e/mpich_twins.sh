#!/bin/bash
# Communicators of the same members, with MPICH.
# In make check-all only: make check has it with Open MPI.
MPI=mpich exec "$(dirname "$0")/twins.sh"
