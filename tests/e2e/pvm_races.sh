#!/bin/bash
# Does taperaces name the receives of a PVM program that take what comes first?
# Truth: the comments of pvm_races.c, which say which lines race.
. "$(dirname "$0")/pvm.bash"
need jq
compile races pvm_races.c
run races pvm_machine taperun -o races "$PWD/races"
taperaces -j races.tape >races.json
ok "the exit status says that there are races" equal $? 3
ok "this line races, and in two of three calls" equal \
	"$(jq -r '.sites[] | select(.racing > 0) |
		"\(.place | sub(".*:"; "") | rtrimstr(")")) \(.calls) \(.racing)"' races.json)" \
	"$(awk 'index($0, "/* race */") { print NR + 1 }' "$here/pvm_races.c") 3 2"
finish
