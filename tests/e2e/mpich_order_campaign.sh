#!/bin/bash
# A campaign of replays with MPICH.
MPI=mpich exec "$(dirname "$0")/order_campaign.sh"
