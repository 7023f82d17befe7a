#!/bin/bash
# Accidents once more, with MPICH.
MPI=mpich exec "$(dirname "$0")/survive.sh"
