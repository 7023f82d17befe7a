#!/bin/bash
# tape_hbcast, tape_hreduce, tape_hallreduce and tape_hbarrier against MPI's own
# calls, on hierarchies of many kinds: random sizes, types, roots, operations and
# communicators.
#
#	SEED=N CASES=N tests/e2e/hsplit_collectives.sh
# Truth: MPI's own collectives.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
. "$here/hsplit.bash"
hsplit_build calls hsplit_collectives.c
: "${SEED:=1}" "${CASES:=$([ -n "${ALL:-}" ] && echo 100 || echo 30)}"
echo "# SEED=$SEED CASES=$CASES"
export TAPE_NETWORK=$work/network

# right NAME LEVELS NUMBER [OPTION...]: as many ranks, in so many levels
right()
{
	local name=$1 levels=$2 n=$3

	shift 3
	truncate -s 0 counters
	truncate -s 256K counters
	run "$name" mpirun -np "$n" "$@" ./placed ./calls "$SEED" "$CASES" \
		counters
	equal "$(cat "$name.rc") $(cat "$name.out")" "0 $levels levels
$CASES cases, 0 wrong" || { head "$name.err"; false; }
}

# placed LIST HOST...: ./placed PROGRAM runs rank N on the host in place N, bound
# to the processors in place N of the list
placed()
{
	local list=$1

	shift
	cat >placed <<-END
	#!/bin/bash
	list=($list) hosts=($*)
	export HWLOC_SYNTHETIC="$figure1"
	rank=\${OMPI_COMM_WORLD_RANK:-\$PMI_RANK}
	export TAPE_BINDING=\${list[\$rank]} HOST=\${hosts[\$rank]}
	exec "\$@"
	END
	chmod +x placed
}

printf 'levels Switch2 Switch1\n' >network
printf 'h[0-1] 0 0\nh[2-3] 0 1\nh4 1 0\n' >>network

placed "all all all all all" h0 h0 h0 h0 h0
ok "one host, unbound: no level" right flat 0 5
ok "a process alone" right one 0 1
placed "all all all all all all all all all" h0 h0 h1 h1 h1 h3 h4 h4 h9
ok "switches and hosts; one without a switch" right net 3 9
placed "all all all all all all all" h4 h0 h3 h1 h4 h0 h2
ok "in any order" right mixed 3 7
if hwloc_known; then
	placed "0 1 2 3 4 5 6 7" h0 h0 h0 h0 h0 h0 h0 h0
	ok "inside a host: L3, L1, cores" right node 3 8
	placed "4-7 0 1 2-3 2-3 all 4-7 6 all 4-7" \
		h0 h0 h0 h0 h0 h0 h0 h0 h0 h0
	ok "bound deep, less or not at all" right partial 3 10
	placed "2-3 0 1 2-3 4-7 4-7 4-7 4-7" h0 h0 h0 h0 h0 h0 h0 h0
	ok "5.2, its first process bound less than others" right some 3 8
	placed "0 1 0 4-7 all 5 0 1 0 0 4 7" h0 h0 h0 h1 h1 h1 h2 h2 h3 h4 h4 h4
	ok "switches, hosts and what is inside" right all 5 12
else
	skip "levels inside a host" "hwloc is not installed"
fi
finish
