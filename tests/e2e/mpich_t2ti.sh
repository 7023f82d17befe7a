#!/bin/bash
# Actions of programs that use what MPICH has and Open MPI has not: persistent
# collectives, messages in parts, neighbours, large counts.
# In make check-all only: make check has it with Open MPI.
MPI=mpich exec "$(dirname "$0")/t2ti.sh"
