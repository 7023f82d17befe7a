#!/bin/bash
# tape live gets signals at random moments, and again and again: no spool and no
# process is left, it ends, and its status is the program's. SEED=, RUNS=.
# Truth: processes and files that are left.
. "$(dirname "$0")/tap.bash"
need mpicc python3 tapelive setsid
seed=${SEED:-1} runs=${RUNS:-40}
mpicc -O1 -g -o signalled "$here/signalled.c" || {
	echo "Bail out! signalled.c"
	exit 1
}
# a defect shall not leave anything behind
timeout 280 python3 "$here/tape_signals.py" "$(command -v tape)" ./signalled \
	"$runs" "$seed" >wrong 2>happened
echo $? >rc
sed 's/^/# /' happened
ok "$runs runs, seed $seed: nothing is left, nothing hangs" equal \
	"$(cat rc wrong)" 0
ok "programs were ended while they were traced" holds \
	'the program was ended while it was traced' happened
finish
