#!/bin/bash
# Does taperaces name the lines of programs with message races, and none of those
# without?
# Truth: the comments of race_codes.c, which say which lines race.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc jq
build race_codes race_codes.c
for name in $(./race_codes); do
	mpirun --bind-to none -np 4 taperun -o "$name" ./race_codes "$name" \
		>"$name.out" 2>&1
	taperaces -j "$name.tape" >"$name.json"
	rc=$?
	awk -v c="/* race: $name */" 'index($0, c) { print NR + 1 }' \
		"$here/race_codes.c" >"$name.truth"
	jq -r '.sites[] | select(.racing > 0) | .place' "$name.json" |
		sed 's/.*race_codes.c:\([0-9]*\).*/\1/' >"$name.lines"
	expected=3
	[ -s "$name.truth" ] || expected=0
	ok "$name: these lines race" equal "$(cat "$name.lines")" "$(cat "$name.truth")"
	ok "$name: the exit status says so" equal "$rc" "$expected"
done
# the last receive of each has no rival, and the first race is one
ok "any_source: figures" equal \
	"$(jq -c '[.calls, .racing, .first]' any_source.json)" "[3,2,1]"
taperaces any_source.tape >text
ok "any_source: as text" grep -q \
	'^2 of 3 calls that take what comes first could have ended otherwise; first: MPI_Recv any_source (race_codes.c:' text
tape correct any_source.tape >corrected
taperaces -j "$(cat corrected)" >after.json
ok "a corrected trace says what tracing may have changed" equal \
	"$(jq -c '[.racing, .open + .turned <= .racing]' after.json)" "[2,true]"
finish
