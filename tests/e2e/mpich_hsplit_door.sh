#!/bin/bash
# hsplit_door.sh with MPICH.
MPI=mpich exec "$(dirname "$0")/hsplit_door.sh"
