#!/bin/bash
# Profiling layers over MPICH.
MPI=mpich exec "$(dirname "$0")/layers.sh"
