#!/bin/bash
# What error handlers call, with MPICH.
# In make check-all only: make check has it with Open MPI.
MPI=mpich exec "$(dirname "$0")/handlers.sh"
