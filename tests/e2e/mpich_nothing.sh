#!/bin/bash
# Runs without a call, under Hydra.
# In make check-all only: make check has it with Open MPI.
MPI=mpich exec "$(dirname "$0")/nothing.sh"
