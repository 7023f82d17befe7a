#!/bin/bash
# hsplit_more.sh with MPICH.
MPI=mpich exec "$(dirname "$0")/hsplit_more.sh"
