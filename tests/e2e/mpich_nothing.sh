#!/bin/bash
# Runs without a call, under Hydra.
MPI=mpich exec "$(dirname "$0")/nothing.sh"
