#!/bin/bash
# Actions of programs that use what MPICH has and Open MPI has not: persistent
# collectives, messages in parts, neighbours, large counts.
MPI=mpich exec "$(dirname "$0")/t2ti.sh"
