#!/bin/bash
# Calibration at the end, under Hydra.
MPI=mpich exec "$(dirname "$0")/calibration.sh"
