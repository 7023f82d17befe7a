#!/bin/bash
# Positions of ranks, with MPICH.
MPI=mpich exec "$(dirname "$0")/positions.sh"
