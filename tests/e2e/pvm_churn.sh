#!/bin/bash
# PVM groups whose members leave and come back, with other numbers and while
# others are still in a call; and messages that functions of the program take
# (pvm_churn.c).
# Truth: the program's own log.
. "$(dirname "$0")/pvm.bash"
need jq
compile churn pvm_churn.c
rounds=100

run plain pvm_machine ./churn $rounds
# A busy machine may keep a task between the time of its arrival and the moment
# when the server counts it, and two arrivals then look the other way round
# (lib/replay/pvm_groups.h): one run of eight is to be dated whole.
for turn in 1 2; do
	for attempt in 1 2 3 4 5 6 7 8; do
		rm -rf counted.* x$turn.tape g$turn.tape c$turn.tape
		run traced pvm_machine taperun -o x$turn ./churn $rounds
		tapedump -j x$turn.tape >x$turn.json 2>/dev/null
		sba -o g$turn.tape x$turn.tape >log 2>&1
		tico -j -o c$turn.tape g$turn.tape >tico.out 2>>log
		[ "$(jq .let_go tico.out)" != 0 ] || break
	done
	ok "$turn: as without Tape" alike plain traced
	# five rounds: 24 calls; 15 of them have gathering and scattering, of
	# which those of four are 3; and a barrier each
	calls=$((rounds / 5 * 24 + 5))
	others=72
	ok "$turn: each collective call is of a communicator" equal \
		"$(jq -r 'select(.call | test("^pvm_(reduce|gather|scatter)$")) |
			.comm > 0' x$turn.json | sort | uniq -c |
			awk '{ print $1, $2 }')" "$((calls + 2 * others)) true"
	ok "$turn: none is left open, none let go" equal "$(jq -r \
		'"\(.open_collectives) \(.let_go)"' tico.out)" "0 0"
	ok "$turn: each is dated" equal \
		"$(jq '.by_table + .by_shape' tico.out)" \
		$((2 * calls + 2 * others + 5))
	tapedump --messages x$turn.tape >messages 2>/dev/null
	ok "$turn: messages have a sender and a receiver" equal \
		"$(sed 1d messages | grep -vc ^matched) $(sed 1d messages |
			grep -c ^matched)" "0 $(jq -r 'select((.call |
			test("^pvm_recv$")) and .comm > 0) | 1' x$turn.json |
			wc -l)"
	ok "$turn: those of functions are received there" equal \
		"$(cut -d, -f21 messages | grep -oE '^(take|answer) ' |
			sort | uniq -c | awk '{ print $1, $2 }' |
			paste -sd' ')" "20 answer 200 take"
	ok "$turn: and answered there" equal \
		"$(cut -d, -f19 messages | grep -c '^answer ')" 20
done
finish
