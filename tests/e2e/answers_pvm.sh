#!/bin/bash
# Planted faults in PVM: a task sleeps, and others wait for it. The task and the
# call site must be right, and the waiting at least most of what it slept.
# Truth: answers_pvm.c: the task that sleeps.
. "$(dirname "$0")/pvm.bash"
. "$here/answers.bash"
need jq
compile answers_pvm answers_pvm.c
# a task that waits comes late itself now and then
least=0.5 most=1000

# record NAME CASE: NAME.tape, its truth in NAME.truth, and NAME.json
record()
{
	local mark tid seconds

	rm -rf "$1.tape"
	timeout 60 pvm_machine taperun -o "$1" ./answers_pvm "$2" \
		>"$1.out" 2>"$1.err" && tapestat -j "$1.tape" >"$1.json" \
		2>>"$1.err"
	read -r _ mark tid seconds < <(grep ^truth "$1.out")
	echo "truth $mark $(grep -lx "tid $tid" "$1.tape"/rank.* |
		sed 's/.*\.//') $seconds" >"$1.truth"
}
for what in slow_task late_sender serial_master; do
	check_real "$what: the cause" $what record is_caused_first
done
print_verdicts
finish
