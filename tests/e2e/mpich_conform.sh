#!/bin/bash
# The calls of every kind once more, with MPICH.
MPI=mpich exec "$(dirname "$0")/conform.sh"
