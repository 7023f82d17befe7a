#!/bin/bash
# Communicators of the same members, with MPICH.
MPI=mpich exec "$(dirname "$0")/twins.sh"
