#!/bin/bash
# versions.sh with MPICH.
MPI=mpich exec "$(dirname "$0")/versions.sh"
