#!/bin/bash
# Corrected dates (causality.c, where alphas are of the order of what they are
# taken out of) do not contradict each other: nothing ends before what it waits
# for, whatever was taken out where.
# Truth: the rule that nothing ends before what it waits for.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
export OMPI_MCA_mpi_yield_when_idle=1
build causality causality.c

# What an event cost beyond its constants was measured between it and its
# neighbours: so there is room for it there.
belongs()
{
	tapedump "$1" | awk '
		$1 == "flow" { last = 0; spent = 0 }
		!/^\t[0-9]+ \+[0-9]+ / { next }
		{ before = after = 0 }
		match($0, /alpha=[0-9]+:[0-9]+/) {
			split(substr($0, RSTART + 6, RLENGTH - 6), a, ":")
			before = a[1]; after = a[2]
			n += after > 0
		}
		last && spent + before > $1 - last + 1 {
			print "spent", spent + before, "of", $1 - last ":", $0
			bad++
		}
		{ last = $1 + $2; spent = after }
		END { print n " noted, " bad + 0 " elsewhere"
			exit !(n >= 10 && !bad) }'
}

# Messages whose end is before their send, by the trace's own table.
early()
{
	tapedump --messages "$1" | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["state"] == "matched" && $at["sent_ns"] && $at["end_ns"] {
			n++; bad += $at["end_ns"] < $at["sent_ns"] }
		END { print bad + 0, (n > 0) }'
}

corrected()
{
	sba -o "$1.sba.tape" "$1.tape" >sba.out 2>&1 || return
	tico -j -o "$1.tico.tape" "$1.sba.tape" >tico.json || return
	equal "$(early "$1.tico.tape")" "0 1" || return
	equal "$(jq -c '[.causality | .before, .after | .violations],
		(.causality.looked_at.messages > 0), .let_go,
		.unknown_requests, .unmatched_sends, .unmatched_receives' tico.json | paste -sd' ')" \
		"[0,0] true 0 0 0 0" || { cat tico.json; false; }
}

for how in "2 loop 20000" "2 window 500" "2 parts 300" "2 again 3000" \
	"4 both 1000" "4 others 300" "4 any 300" "2 empty 300" "2 nobody 300"; do
	set -- $how
	ok "$2: runs" mpirun -np "$1" taperun -o "$2.tape" ./causality "$2" "$3"
	[ "$2" != loop ] || ok "$2: costs belong to their events" \
		belongs "$2.tape"
	ok "$2: no date contradicts another" corrected "$2"
done
finish
