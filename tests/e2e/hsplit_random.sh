#!/bin/bash
# libtape-hsplit in random cases, each process against the rules by brute force
# (tests/rigs/hsplit), of up to four hosts, symmetric or not: 60 in make check,
# 1000 in make check-all.
#
#	SEED=N CASES=N tests/e2e/hsplit_random.sh
# Truth: the rules by brute force.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
. "$here/hsplit.bash"
rig=$TAPE_BUILD/rig/hsplit_random
[ -x "$rig" ] || {
	skip "random cases" "hwloc is not installed"
	finish
}
: "${SEED:=1}" "${CASES:=$([ -n "${ALL:-}" ] && echo 1000 || echo 60)}"
echo "# SEED=$SEED CASES=$CASES"

# right NAME CASES: all ranks found all splits right, and there were some
right()
{
	equal "$(cat "$1.rc") $(sed -E 's/ [0-9]{3,} splits/ N splits/' \
		"$1.out")" "0 $SEED: $2 cases, N splits, 0 wrong" ||
		{ cat "$1.err"; false; }
}

run random mpirun -np 12 "$rig" "$work" "$SEED" "$CASES"
ok "splits, roots, numbers, types and lowest levels are those of the rules" \
	right random "$CASES"
run mixed mpirun -np 12 "${rig%random}mixed" "$work" "$SEED" 100
ok "also if many pieces of hardware have the same colour" right mixed 100
run one mpirun -np 1 "$rig" "$work" "$SEED" 100
ok "also of one process" right one 100
finish
