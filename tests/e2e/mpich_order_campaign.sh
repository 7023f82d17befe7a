#!/bin/bash
# A campaign of replays with MPICH.
# In make check-all only: make check has each kind of program in mpich_order.sh.
MPI=mpich exec "$(dirname "$0")/order_campaign.sh"
