#!/bin/bash
# The same of MPICH.
MPI=mpich exec "$(dirname "$0")/arrival.sh"
