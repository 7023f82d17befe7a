#!/bin/bash
# Are certificates true of programs whose receives from any source take what comes
# first? RACES_PROGRAMS and RACES_SEED make a larger campaign, or another one.
# Truth: simulated programs, which take other messages when they are traced.
. "$(dirname "$0")/tap.bash"
need tico tapedump
for costs in "" -c; do
	run races "$TAPE_BUILD/rig/races" $costs -n "${RACES_PROGRAMS:-150}" \
		-s "${RACES_SEED:-1}" "$TAPE_BUILD/bin" .
	grep '^#' races.out
	ok "costs ${costs:+by intervals}: no certificate misses the truth" \
		equal "$(cat races.rc)" 0
done
finish
