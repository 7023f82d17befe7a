#!/bin/bash
# in_situ.sh with MPICH
MPI=mpich exec "$(dirname "$0")/in_situ.sh"
