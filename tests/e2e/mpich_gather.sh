#!/bin/bash
# gather.sh once more, with MPICH.
MPI=mpich exec "$(dirname "$0")/gather.sh"
