#!/bin/bash
# Numbers of descriptors, under Hydra.
MPI=mpich exec "$(dirname "$0")/descriptors.sh"
