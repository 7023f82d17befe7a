#!/bin/bash
# Replay of a trace of events with MPICH.
MPI=mpich exec "$(dirname "$0")/order_events.sh"
