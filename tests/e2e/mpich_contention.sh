#!/bin/bash
# Waiting for a processor, under Hydra.
MPI=mpich exec "$(dirname "$0")/contention.sh"
