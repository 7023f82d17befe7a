#!/bin/bash
# tapestat against delays of known sizes in simulated time (tests/rigs/smpi): it
# finds who was late, what the others waited for that, and blames the computing
# that took longer, to the nanosecond of each wait.
# Truth: delays of known sizes in simulated time.
. "$(dirname "$0")/smpi.bash"

# delays NAME RANKS EVERY: 60 steps of 20 us
delays()
{
	rm -rf "$1.tape"
	RIG_ALPHA_NS=0 TAPE_TRACE=$1 "$TAPE_TOP/tests/rigs/smpi/run" \
		"$TAPE_BUILD" free "$2" delays.traced "$seed" 60 20000 8 "$3" \
		>"$1.truth" 2>"$1.err"
	sba -o "$1.sba.tape" "$1.tape" >/dev/null 2>&1
	# each simulated process has a copy of the program: it is one
	sed -i -E 's/(traced)_[0-9]+_[0-9]+\.so/\1.so/' "$1.sba.tape/sites" \
		"$1.sba.tape"/rank.*
	tapestat -j "$1.sba.tape" >"$1.json"
}

# near NAME WHAT FILTER: for each rank, of FILTER's [rank, seconds]; 1 ns for
# each of 60 waits of the others
near()
{
	awk -v what="$2" 'NR == FNR { if ($1 == what) { want[$2] = $3; n++ }; next }
		{
			d = $2 * 1e9 - want[$1]
			bad += d < -180 || d > 180 || want[$1] < 100000
			seen[$1] = 1
		}
		END { for (r in want) bad += !(r in seen); exit !n || bad > 0 }' \
		"$1.truth" <(jq -r "[$3] | group_by(.[0])[] |
			\"\(.[0][0]) \(map(.[1]) | add)\"" "$1.json") || {
		cat "$1.truth"
		jq -c "$3" "$1.json"
		false
	}
}

delays barrier 4 0
# the one where they wait longest; in the other they only leave one by one
at=$(jq '.waits | max_by(.max_us).call_site' barrier.json)
ok "barrier: the waits for each rank" near barrier wait \
	".waits[] | select(.call_site == $at) | [.for_rank, .waiting_s]"
ok "barrier: what computed longer is the cause" near barrier cause \
	'.causes[] | select(.what_it_did | test("^after MPI_Barrier")) |
	[.rank, .directly_s]'
delays message 2 1
ok "message: the waits for each rank" near message wait \
	'.waits[] | select(.kind == "late sender") | [.for_rank, .waiting_s]'
ok "message: what computed longer is the cause, by the size of its delay" \
	near message cause \
	'.causes[] | select(.what_it_did | test("^after MPI_Barrier")) |
	[.rank, .directly_s]'
finish
