#!/bin/bash
# The whole way once more, with MPICH.
MPI=mpich exec "$(dirname "$0")/pipeline.sh"
