#!/bin/bash
# Calibration at the end, under Hydra.
# In make check-all only: make check has it with Open MPI.
MPI=mpich exec "$(dirname "$0")/calibration.sh"
