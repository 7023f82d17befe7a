#!/bin/bash
# The same of MPICH, with persistent and large forms.
MPI=mpich exec "$(dirname "$0")/zeros.sh"
