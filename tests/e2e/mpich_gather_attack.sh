#!/bin/bash
# gather_attack.sh once more, with MPICH.
MPI=mpich exec "$(dirname "$0")/gather_attack.sh"
