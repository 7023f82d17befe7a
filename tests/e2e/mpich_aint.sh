#!/bin/bash
# Sums of addresses, with MPICH.
MPI=mpich exec "$(dirname "$0")/aint.sh"
