#!/bin/bash
# The order of libraries, with MPICH.
MPI=mpich exec "$(dirname "$0")/link_order.sh"
