#!/bin/bash
# Persistent requests with MPICH.
MPI=mpich exec "$(dirname "$0")/persistent.sh"
