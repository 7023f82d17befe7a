#!/bin/bash
# Accidents within the tracer once more, with MPICH.
MPI=mpich exec "$(dirname "$0")/survive_more.sh"
