#!/bin/bash
# Macros that spell calls once more, with MPICH.
MPI=mpich exec "$(dirname "$0")/stringified.sh"
