#!/bin/bash
# streamed.sh with MPICH.
MPI=mpich exec "$(dirname "$0")/streamed.sh"
