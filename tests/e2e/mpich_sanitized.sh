#!/bin/bash
# Sanitizers and MPICH.
MPI=mpich exec "$(dirname "$0")/sanitized.sh"
