#!/bin/bash
# tico in an MPI job writes one trace and prints one report, which are to the
# byte those of one process, and ends as that does where something is wrong.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
library=$([ "$MPI" = mpich ] && echo mpich || echo openmpi)
[ -x "$TAPE_BUILD/libexec/tico-$library" ] || {
	skip "tico in jobs" "tico-$library is not built"; finish; }

# tico OPTIONS TRACE by N processes, beside one
same() # N OPTIONS... TRACE
{
	local n=$1 rc alone

	shift
	rm -rf alone.tape out.tape
	tico -o out.tape "$@" >alone.out 2>alone.err; alone=$?
	[ ! -e out.tape ] || mv out.tape alone.tape
	timeout 120 mpirun -np "$n" tico -o out.tape "$@" >job.out 2>job.err; rc=$?
	cmp alone.out job.out && [ $rc = $alone ] || {
		echo "status $rc, alone $alone"
		diff alone.out job.out | head -n 6 | cut -c1-200
		cat job.err; return 1; }
	# mpirun has words of its own where one fails
	[ ! -s alone.err ] || grep -qxFf alone.err job.err || {
		cat alone.err job.err; return 1; }
	[ -z "$(ls -d out.tape.part* 2>/dev/null)" ] || { ls; return 1; }
	[ $alone = 0 ] || return 0
	diff -r alone.tape out.tape
}

if [ -x "$TAPE_BUILD/bench/made" ]; then
	for p in halo allreduce master; do
		"$TAPE_BUILD/bench/made" $p 8 20000 $p.tape || exit 1
		ok "$p: the same by 2 processes" same 2 $p.tape
		ok "$p: and as JSON" same 3 -j $p.tape
	done
	mkdir there.tape
	ok "an output that exists" same 2 -o there.tape halo.tape
fi
ok "no such trace" same 2 nothing.tape
ok "no trace at all" same 2
ok "an unknown option" same 2 -q
finish
