#!/bin/bash
# Does the report name the cause? Programs with a known fault run in simulated
# time, on 4 and 16 ranks, in make check-all on 64, too. The first cause is to be
# the right one: who, after which call, how much waiting; what a balance would
# save is held against the balanced program.
# Truth: closed formulas in answers*.c; the run time of the balanced program.
. "$(dirname "$0")/tap.bash"
. "$here/answers.bash"
need smpirun smpicc jq
if [ ! -e "$TAPE_BUILD/lib/tape-smpi.o" ]; then
	skip answers "smpi was not installed at build time"
	finish
fi
cp "$TAPE_TOP/tests/rigs/smpi/free.xml" .
for program in answers answers_calls; do
	ok "$program is built" tapecc --simulate -O1 -g -Wall -Werror \
		-Wno-unused-function -o $program "$here/$program.c"
done

# saves NAME EVEN: as the balanced program does, within 2% of its time
saves()
{
	jq -e --slurpfile even "$2.json" '
		(.run_s - $even[0].run_s - .answer.balance_saves_s) /
		$even[0].run_s | fabs < 0.02' "$1.json" >/dev/null ||
		{ jq -c .run_s,.answer.balance_saves_s "$1.json"
			jq -c .run_s "$2.json"; false; }
}

faults="slow_rank slow_half slow_by_step slow_by_phase slow_at_random slope
	two_phases two_groups late_sender late_receiver slow_in_halo chain
	hidden_in_waitall serial_master late_root early_root"
calls="all_to_all all_gather scatter scan nonblocking_collective
	communicator_in_loop sizes_cross_eager_limit pair_alternates wrong_order
	slow_stage persistent from_any waitany two_masters one_large_part fence"
balanced="balanced_sum balanced_halo balanced_ring"
# of these, what computes longer is all that makes the run longer
alike="slow_rank slow_half slow_by_step slow_by_phase slow_at_random slope
	two_phases slow_in_halo hidden_in_waitall chain"

program=answers
sizes="4 16"
[ -z "${ALL:-}" ] || sizes="4 16 64"
for ranks in $sizes; do
	for what in $faults; do
		simulate $what.$ranks $ranks $what
		ok "$ranks ranks, $what: the cause" is_caused $what.$ranks
	done
	program=answers_calls
	for what in $calls; do
		simulate $what.$ranks $ranks $what
		ok "$ranks ranks, $what: the cause" is_caused $what.$ranks
	done
	program=answers
	for what in $balanced; do
		simulate $what.$ranks $ranks $what
		ok "$ranks ranks, $what: nothing to gain" \
			is_balanced $what.$ranks
	done
done
for what in $alike; do
	simulate $what.even 4 $what even
	ok "$what: what a balance saves" saves $what.4 $what.even
done

# changes NAME EXPRESSION: the parts of the run with another slowest rank
changes()
{
	jq -e ".answer.slowest | $2" "$1.json" >/dev/null ||
		{ jq -c .answer.slowest "$1.json"; false; }
}
# four phases of 10 steps of 12 ms; a step after the other; no phase of a step
ok "the slowest rank changes by phase" changes slow_by_phase.4 \
	'map(.rank) == [0, 1, 2, 3] and
	(map(.to_s) | [.[0] - 0.12, .[1] - 0.24, .[2] - 0.36, .[3] - 0.48] |
		all(fabs < 0.0121))'
ok "the slowest rank changes by step" changes slow_by_step.4 \
	'map(.rank) == [range(40) % 4]'
ok "it does not change where one rank is slow" changes slow_rank.16 '. == []'
tapestat slow_by_phase.4.tape >slowest.txt 2>&1
ok "the slowest rank changes: the sentence" holds '^The slowest rank changes \(rank 0 until 1[0-9]* ms, rank 1 until 2[0-9]* ms, rank 2 until 3[0-9]* ms, then rank 3\)\. Perfect balance in each step would save at most 60 ms$' slowest.txt

# efficient NAME PARALLEL BALANCE COMMUNICATION: within 1%
efficient()
{
	jq -e --argjson p "$2" --argjson b "$3" --argjson c "$4" '.efficiency |
		[.parallel - $p, .load_balance - $b, .communication - $c] |
		all(fabs < 0.01)' "$1.json" >/dev/null ||
		{ jq -c .efficiency "$1.json"; false; }
}
simulate transfers 4 transfers
ok "efficiency: all compute alike" efficient balanced_sum.16 1 1 1
ok "efficiency: one has 12 ms, the others 10" efficient slow_rank.4 0.875 0.875 1
ok "efficiency: the longest rank changes" efficient slow_by_phase.4 0.875 1 0.875
ok "efficiency: one of 16 computes, 400 of 400 ms" efficient late_sender.16 \
	0.0625 0.0625 1
ok "efficiency: half of the time is transfers" efficient transfers 0.5 1 0.5
tapestat slow_rank.4.tape >efficiency.txt 2>&1
ok "efficiency: the sentence" holds \
	"^Parallel efficiency 8[78]%: load balance 8[78]%, communication 100% .serialisation 100%, transfer 100%.$" efficiency.txt

simulate lost 4 lost
tapestat lost.tape >lost.txt 2>&1
ok "messages that nobody received" holds \
	"^3 messages from rank 1 to rank 0 \(tag 5, MPI_Send .*$(line LOST)\)+ were never received$" lost.txt
ok "a receive without a message" holds \
	"^1 receive of rank 0 from rank 2 \(tag 9, MPI_Irecv .*$(line NOTHING)\)+ never found a message$" lost.txt
ok "and both are in the JSON" jq -e '.unmatched | map([.is, .count, .rank,
	.peer, .tag]) | sort == [["receive", 1, 0, 2, 9], ["send", 3, 1, 0, 5]]' \
	lost.json
tapecut -o part.tape -w 0,1 lost.tape >part.log 2>&1
tapestat part.tape >part.txt 2>&1
ok "a window says nothing of messages: their receives may be outside" equal \
	"$(grep -c '^The program ran' part.txt) $(grep -c never part.txt)" "1 0"
tapestat slow_rank.4.tape >none.txt 2>&1
ok "where all have partners nothing is said" equal \
	"$(grep -c '^The program ran' none.txt) $(grep -c never none.txt)" "1 0"
print_verdicts
finish
