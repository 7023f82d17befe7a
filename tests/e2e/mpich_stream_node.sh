#!/bin/bash
# stream = node once more, with MPICH.
MPI=mpich exec "$(dirname "$0")/stream_node.sh"
