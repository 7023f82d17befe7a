#!/bin/bash
# The setting max_rate once more, with MPICH.
MPI=mpich exec "$(dirname "$0")/rates.sh"
