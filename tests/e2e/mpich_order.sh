#!/bin/bash
# Record and replay of the order with MPICH.
MPI=mpich exec "$(dirname "$0")/order.sh"
