#!/bin/bash
# Are certificates true of programs with messages, collectives with zero counts,
# communicators, calls that are only counted, and threads that are created, joined
# and wait for each other? Where tracing takes a tenth of the time and the longest
# transit is known, are those of one thread within 2% of it in the median?
# CERTIFICATES_PROGRAMS and CERTIFICATES_SEED make another campaign.
# Truth: simulated programs, without the cost of tracing.
. "$(dirname "$0")/tap.bash"
need tico tapedump
for options in "" -c -t "-t -d"; do
	run certificates "$TAPE_BUILD/rig/certificates" $options \
		-n "${CERTIFICATES_PROGRAMS:-120}" \
		-s "${CERTIFICATES_SEED:-1}" "$TAPE_BUILD/bin" .
	grep '^#' certificates.out
	ok "certificates $options: the truth is in them, and with -t -d they are narrow" \
		equal "$(cat certificates.rc)" 0
done
finish
