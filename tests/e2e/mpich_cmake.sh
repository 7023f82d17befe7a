#!/bin/bash
# CMake and MPICH.
MPI=mpich exec "$(dirname "$0")/cmake.sh"
