#!/bin/bash
# The same of MPICH.
MPI=mpich exec "$(dirname "$0")/same_tag.sh"
