#!/bin/bash
# partitions.sh with MPICH.
MPI=mpich exec "$(dirname "$0")/partitions.sh"
