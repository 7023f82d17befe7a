#!/bin/bash
# Splits of libtape-hsplit agree with those that MPICH 4 makes itself, bound for
# real by its launcher: on this machine's topology, and on synthetic ones, which
# MPICH asks hwloc for, too. Its ranks find the same two processors apart from
# package, cache, core or unit down.
# Truth: MPICH's own splits.
MPI=mpich
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
. "$here/hsplit.bash"
echo '#include <mpi.h>
int type = MPI_COMM_TYPE_HW_GUIDED;' >has.c
mpicc -c has.c 2>has.err || {
	skip "splits agree with MPI 4's" "mpi 4 has them"
	finish
}
hwloc_known && [ "$(taskset -cp $$ | sed 's/.*: //')" != 0 ] &&
	taskset -c 0,1 true 2>/dev/null || {
	skip "splits agree with MPI 4's" "two processors, 0 and 1, are needed"
	finish
}
hsplit_build mpi4 hsplit_mpi4.c

# agrees NAME: at least six comparisons (two threads of one core, one rank to
# each, are the fewest), none differs
agrees()
{
	equal "$(cat "$1.rc")" 0 && holds '^[0-9]+ compared, 0 differ$' "$1.out" &&
		[ "$(sed -n 's/ compared.*//p' "$1.out")" -ge 6 ]
}
# each COMMAND TOPOLOGY BINDING...: two ranks to a unit, one to both, ...
each()
{
	local bind

	for bind in "${@:3}"; do
		run mpi4 mpirun -np 4 -bind-to $bind $1 ./mpi4
		ok "$2: bound to ${bind#user:}" agrees mpi4
	done
}
# On the machine that the test runs on, neither is known to be right: where they
# differ, or MPICH alone fails, that is said, with the machine's topology. On
# topologies that are known they may not differ.
for bind in user:0,1 user:0,1,0,1 user:0,1,0+1,0 none; do
	run mpi4 mpirun -np 4 -bind-to $bind ./mpi4
	run alone mpirun -np 4 -bind-to $bind ./mpi4 alone
	why=
	if [ "$(cat alone.rc)" != 0 ]; then
		why="MPICH alone ends with $(cat alone.rc)"
	elif [ "$(cat mpi4.rc)" = 0 ] && ! agrees mpi4 >differs; then
		why="MPICH splits another way: $(tail -n 4 mpi4.out | paste -sd ';')"
	fi
	if [ -n "$why" ]; then
		skip "this machine: bound to ${bind#user:}" "$why; $(
			lstopo-no-graphics --of synthetic 2>/dev/null ||
			lscpu -p=CPU,CORE,SOCKET,NODE,CACHE | sed '/^#/d' |
			paste -sd ' ')"
	else
		ok "this machine: bound to ${bind#user:}" agrees mpi4
	fi
done
known=("pack:2 [numa] l3:1 core:1 pu:1" "pack:1 l2:1 core:1 pu:2")
[ -z "${ALL:-}" ] || known+=("pack:1 l3:2 l2:1 core:1 pu:1"
	"pack:1 [numa] l3:1 l2:1 l1d:1 core:2 pu:1")
for t in "${known[@]}"; do
	printf 'export HWLOC_SYNTHETIC="%s" HWLOC_THISSYSTEM=1; exec "$@"\n' \
		"$t" >synthetic
	each "bash synthetic" "$t" user:0,1,0,1 user:0,1,0+1,0
done
finish
