#!/bin/bash
# spawned.sh with MPICH.
MPI=mpich exec "$(dirname "$0")/spawned.sh"
