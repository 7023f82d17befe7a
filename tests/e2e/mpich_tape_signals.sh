#!/bin/bash
# tape_signals.sh once more, with MPICH.
MPI=mpich exec "$(dirname "$0")/tape_signals.sh"
