#!/bin/bash
# Programs in a job with others once more, with MPICH.
MPI=mpich exec "$(dirname "$0")/partitions.sh"
