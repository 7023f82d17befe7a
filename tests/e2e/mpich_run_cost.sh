#!/bin/bash
# What a run of failed probes cost, with MPICH.
MPI=mpich exec "$(dirname "$0")/run_cost.sh"
