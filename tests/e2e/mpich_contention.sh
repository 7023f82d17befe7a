#!/bin/bash
# Waiting for a processor, under Hydra.
# In make check-all only: make check has it with Open MPI.
MPI=mpich exec "$(dirname "$0")/contention.sh"
