#!/bin/bash
# The examples of the paper, with MPICH: one host.
MPI=mpich exec "$(dirname "$0")/hsplit.sh"
