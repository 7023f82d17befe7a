#!/bin/bash
# Several processes of tapelive once more, with MPICH.
MPI=mpich exec "$(dirname "$0")/parallel_live.sh"
