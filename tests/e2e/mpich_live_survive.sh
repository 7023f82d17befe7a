#!/bin/bash
# Accidents of a program that is followed once more, with MPICH.
MPI=mpich exec "$(dirname "$0")/live_survive.sh"
