#!/bin/bash
# Replay of a trace of events with MPICH.
# In make check-all only: make check has it with Open MPI.
MPI=mpich exec "$(dirname "$0")/order_events.sh"
