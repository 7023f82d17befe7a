#!/bin/bash
# Planted faults in simulated time: polling, one slow host, the first step of a
# loop, calls that grow, a link that all share, programs in C++ and Fortran; and
# programs with nothing to gain. On 4 and 16 ranks, in make check-all on 64, too.
# Truth: closed formulas in answers_more.c, answers_cxx.cc, answers_fortran.f90;
# the simulated clock, read by the program; the program without its barrier.
. "$(dirname "$0")/tap.bash"
. "$here/answers.bash"
need smpirun smpicc jq
if [ ! -e "$TAPE_BUILD/lib/tape-smpi.o" ]; then
	skip answers_more "smpi was not installed at build time"
	finish
fi
cp "$TAPE_TOP/tests/rigs/smpi/free.xml" .
sed 's/bw="1PBps"/bw="1GBps"/; s/ bb_[a-z_]*="[^"]*"//g; s/lat="0ns"/lat="500ns"/' \
	free.xml >links.xml
# h1 has half the speed
{
	sed '/<cluster/,$d' free.xml
	echo '<zone id="all" routing="Full">'
	for ((i = 0; i < 40; i++)); do
		echo "<host id=\"h$i\" core=\"2\"" \
			"speed=\"$([ $i = 1 ] && echo 0.5 || echo 1)Gf\"/>"
	done
	echo '<link id="net" bandwidth="1GBps" latency="1us" sharing_policy="FATPIPE"/>'
	for ((i = 0; i < 40; i++)); do
		for ((k = i; k < 40; k++)); do
			echo "<route src=\"h$i\" dst=\"h$k\"><link_ctn id=\"net\"/></route>"
		done
	done
	echo '</zone></platform>'
} >slow_host.xml
for ((i = 0; i < 40; i++)); do echo "h$i:2"; done >two_each
ok "answers_more is built" tapecc --simulate -O1 -g -Wall -Werror \
	-Wno-unused-function -o answers_more "$here/answers_more.c"
program=answers_more

faults="slow_from_start slow_before_loop unneeded_barrier synchronous_send
	slow_in_ring test_in_loop iprobe_in_loop probe"
balanced="balanced_alltoall balanced_bcast balanced_pairs balanced_overlap
	balanced_fence"
sizes="4 16"
[ -z "${ALL:-}" ] || sizes="4 16 64"
for ranks in $sizes; do
	for what in $faults; do
		simulate $what.$ranks $ranks $what
		ok "$ranks ranks, $what: the cause" is_caused $what.$ranks
	done
	for what in $balanced; do
		simulate $what.$ranks $ranks $what
		ok "$ranks ranks, $what: nothing to gain" \
			is_balanced $what.$ranks
	done
	platform=slow_host.xml placed=(--hostfile two_each)
	simulate slow_host.$ranks $ranks slow_host
	platform=free.xml placed=()
	ok "$ranks ranks, slow_host: its ranks" is_caused slow_host.$ranks
done

# The calls of one line grow, as the program's own clock says, within 12%: the
# quarters of the report end where a bin of 32 does.
does_grow()
{
	local mark from to

	read -r _ mark from to <"$1.truth"
	jq -e --arg line "$(line $mark)" --argjson from "$from" \
		--argjson to "$to" '.answer.growing | length == 1 and
		(.[0] | (.call | contains($line)) and
		(.from_s / $from - 1 | fabs < 0.12) and
		(.to_s / $to - 1 | fabs < 0.12))' "$1.json" ||
		{ jq -c .answer "$1.json"; cat "$1.truth"; false; }
}
for ranks in 4 16; do
	simulate grows.$ranks $ranks grows
	ok "$ranks ranks, grows: the call and how much" does_grow grows.$ranks
done
tapestat grows.4.tape >grows.txt 2>&1
ok "grows: the sentence" holds \
	"^MPI_Alltoall .*$(line GROWS) grows from .* us to .* us a call$" grows.txt
ok "calls that do not grow" jq -e '.answer.growing == []' unneeded_barrier.4.json

# Half of the time is that of messages that share the link of rank 0.
platform=links.xml
simulate to_one.4 4 to_one
platform=free.xml
ok "to_one: half of the time is transfers" jq -e '.efficiency |
	[.load_balance - 1, .serialisation - 1, .transfer - 0.5] |
	all(fabs < 0.02)' to_one.4.json
ok "to_one: no rank and no call is blamed" jq -e '.answer.causes == [] and
	.answer.waiting_s < 0.001 * .all_ranks_s' to_one.4.json

# What is saved without the barrier is what the report says, within 2%.
simulate without.4 4 without_barrier
saved()
{
	jq -e --slurpfile without without.4.json '
		(.run_s - $without[0].run_s - .answer.balance_saves_s) /
		$without[0].run_s | fabs < 0.02' unneeded_barrier.4.json
}
ok "unneeded_barrier: what is saved without it" saved
ok "without its barrier nothing is to be gained" is_balanced without.4

# ---- programs in C++ and Fortran ----

others="slow_rank late_sender late_root chain hidden_in_waitall"
# simulate_others PROGRAM
simulate_others()
{
	program=$1
	for what in $others; do
		simulate $1.$what 4 $what
		ok "$1, $what: the cause" is_caused $1.$what
	done
	simulate $1.balanced 4 balanced
	ok "$1, balanced: nothing to gain" is_balanced $1.balanced
}
if command -v smpicxx >/dev/null && command -v g++ >/dev/null; then
	ok "answers_cxx is built" smpicxx -O1 -g -o answers_cxx \
		"$here/answers_cxx.cc" "$TAPE_BUILD/lib/tape-smpi.o"
	simulate_others answers_cxx
else
	skip "programs in C++" "g++ is not installed"
fi
if command -v smpif90 >/dev/null && command -v gfortran >/dev/null; then
	ok "answers_fortran is built" tapefc --simulate -O1 -g \
		-o answers_fortran "$here/answers_fortran.f90"
	simulate_others answers_fortran
else
	skip "programs in Fortran" "gfortran is not installed"
fi
print_verdicts
finish
