#!/bin/bash
# What a run of failed probes cost, with MPICH.
# In make check-all only: make check has it with Open MPI.
MPI=mpich exec "$(dirname "$0")/run_cost.sh"
