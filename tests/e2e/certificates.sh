#!/bin/bash
# Are certificates true of programs with messages, collectives with zero counts,
# communicators, calls that are only counted, and threads that are created, joined
# and wait for each other? CERTIFICATES_PROGRAMS and CERTIFICATES_SEED make a larger
# campaign, or another one.
# Truth: simulated programs, without the cost of tracing.
. "$(dirname "$0")/tap.bash"
need tico tapedump
for costs in "" -c -t; do
	run certificates "$TAPE_BUILD/rig/certificates" $costs \
		-n "${CERTIFICATES_PROGRAMS:-150}" \
		-s "${CERTIFICATES_SEED:-1}" "$TAPE_BUILD/bin" .
	grep '^#' certificates.out
	ok "costs${costs:+ with $costs}: no certificate misses the truth" \
		equal "$(cat certificates.rc)" 0
done
finish
