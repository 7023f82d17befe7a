#!/bin/bash
# What error handlers call, with MPICH.
MPI=mpich exec "$(dirname "$0")/handlers.sh"
