#!/bin/bash
# "Had the message arrived?" of PVM's receives that wait, against the truth: the
# program looks itself, just before each receive, whether the message lies in
# its sockets (pvm_arrived.c). By the daemon and by a direct route, alone and
# behind another message.
# Truth: the program looks into its sockets.
. "$(dirname "$0")/pvm.bash"
need jq
compile arrived pvm_arrived.c
seed=$RANDOM
echo "# seed $seed"

# Of messages that no socket holds (64 KiB) it cannot be seen that all is there.
# joined ROUTE: "TAG CALL SIZE DECOY THERE BEGIN SENT SENT ANSWER"
joined()
{
	tapedump -j "$1.tape" 2>/dev/null | jq -r 'select(.rank == 0 and
		(.call | test("recv$")) and .actual_tag >= 100) |
		"\(.actual_tag) \(.arrived)"' | sort >"$1.answers"
	sort "$1.out" | join - "$1.answers"
}
# Of each kind: "CALLS RIGHT", right in percent. Half a millisecond before a
# message is sent it is not there.
there() { awk '$5 { n++; y += $9 == 1 } END { print n + 0, 100 * y / n }' "$1"; }
absent()
{
	awk '!$5 && $7 > $6 + 500000 { n++; y += $9 == 0 }
		END { print n + 0, 100 * y / n }' "$1"
}
# enough N RIGHT LEAST SHARE
enough() { awk "BEGIN { exit !($1 >= $3 && $2 >= $4) }"; }

for route in daemon direct; do
	run $route pvm_machine taperun -o $route ./arrived $route 480 $seed
	joined $route >$route.joined
	ok "$route: each message was asked for" \
		equal "$(wc -l <$route.joined) $(grep -c ' 2$' $route.joined)" \
		"480 0"
	echo "# $route: there $(there $route.joined)," \
		"not there $(absent $route.joined)"
	for call in recv precv trecv; do
		for decoy in 0 1; do
			awk -v c=pvm_$call -v d=$decoy '$2 == c && $4 == d' \
				$route.joined >$route.$call.$decoy
			ok "$route, pvm_$call, behind $decoy: what was there had arrived" \
				enough $(there $route.$call.$decoy) 10 95
		done
	done
	ok "$route: what was not there had not" \
		enough $(absent $route.joined) 20 98
done
finish
