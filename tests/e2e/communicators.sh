#!/bin/bash
# Communicators in the trace (communicators.c): each has an identity of its own,
# and each message names its own, whatever its handle was before.
# Truth: the program says which communicator each message used.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
build communicators communicators.c
run made timeout 60 mpirun -np 2 taperun -o made.tape ./communicators
ok "it runs" equal "$(cat made.rc made.err)" 0
ok "handles are used again" \
	[ "$(sort -u made.out | wc -l)" -lt "$(wc -l <made.out)" ]

# of_tags RANK: tag and communicator of each message
of_tags()
{
	tapedump "made.tape" 2>/dev/null | awk -v rank="$1" '
		$1 == "flow" { mine = $2 == rank }
		mine && $3 ~ /^MPI_(Send|Recv)$/ {
			for (i = 4; i <= NF; i++) {
				if ($i ~ /^tag=/) tag = substr($i, 5)
				if ($i ~ /^comm=/) comm = substr($i, 6)
			}
			print tag, comm
		}'
}
ok "each message is on its own communicator" \
	equal "$(of_tags 0 | tr '\n' ,)" \
	"1 3,1 4,10 5,11 6,12 7,13 8,14 9,15 10,"
ok "so is each receive" equal "$(of_tags 1 | tr '\n' ,)" \
	"1 4,1 3,10 5,11 6,12 7,13 8,14 9,15 10,"
ids() { awk '$1 == "comm" && $2 != 2 { print $2, $3 }' "made.tape/rank.$1"; }
ok "both ranks call them the same" equal "$(ids 0)" "$(ids 1)"
ok "no two have one identity" \
	equal "$(ids 0 | cut -d' ' -f2 | sort | uniq -d)" ""
ok "messages of one tag are matched by their communicator" \
	equal "$(tapedump --messages made.tape 2>/dev/null | awk -F, '
		/^matched/ { n++; bad += $13 != $14 }
		END { print n, bad + 0 }')" "8 0"
finish
