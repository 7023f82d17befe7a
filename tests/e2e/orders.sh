#!/bin/bash
# Does taperaces name the calls that could have taken another message, and no
# others? ORDERS_PROGRAMS and ORDERS_SEED make a larger campaign, or another one.
# Truth: all orders of small random programs, tried one after the other.
. "$(dirname "$0")/tap.bash"
need taperaces tapedump
run orders "$TAPE_BUILD/rig/orders" -n "${ORDERS_PROGRAMS:-300}" \
	-s "${ORDERS_SEED:-1}" "$TAPE_BUILD/bin" .
grep '^#' orders.out
ok "no race is missed; few are invented or wrongly first, as counted above" \
	equal "$(cat orders.rc)" 0
finish
