#!/bin/bash
# streams.sh with MPICH.
MPI=mpich exec "$(dirname "$0")/streams.sh"
