#!/bin/bash
# Errors and their handlers, with MPICH.
MPI=mpich exec "$(dirname "$0")/error_classes.sh"
