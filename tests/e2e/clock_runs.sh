#!/bin/bash
# sba's estimates, 95% intervals and guarantee on made-up runs of hosts whose
# clocks are known (tests/rigs/clock_runs): load, large messages, networks that
# are slow, asymmetric, lossy or cut for a while. Seeds are fixed.
# tests/rigs/clock_runs/simulated does it at large.
# Truth: simulated clocks.
. "$(dirname "$0")/tap.bash"
python3 "$TAPE_TOP/tests/e2e/clock_runs.py" "$TAPE_BUILD"
exit $?
