#!/bin/bash
# hsplit_door.sh with MPICH.
# In make check-all only: make check has it with Open MPI.
MPI=mpich exec "$(dirname "$0")/hsplit_door.sh"
