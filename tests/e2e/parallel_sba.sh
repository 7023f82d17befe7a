#!/bin/bash
# sba by several processes of an MPI job writes and prints to the byte what one
# alone does, for made-up patterns, traces as text, real programs, coefficients
# of a file, and damaged traces; and it ends as that does where something is
# wrong.
# Truth: none; one process, which sba.sh compares with a truth.
# In make check-all only: it is compared with Tape itself.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
library=$([ "$MPI" = mpich ] && echo mpich || echo openmpi)
[ -x "$TAPE_BUILD/libexec/sba-$library" ] || {
	skip "sba in jobs" "sba-$library is not built"; finish; }
# ranks of MPICH do not yield: fewer of them
few=$([ "$MPI" = mpich ] && echo 2 || echo "2 3")

# sba OPTIONS TRACE by N processes, beside one
same() # N OPTIONS... TRACE
{
	local n=$1 rc alone

	shift
	rm -rf alone.tape out.tape clocks.alone clocks.job
	sba -o out.tape -s clocks.alone "$@" >alone.out 2>alone.err; alone=$?
	[ ! -e out.tape ] || mv out.tape alone.tape
	timeout 120 mpirun -np "$n" sba -o out.tape -s clocks.job "$@" \
		>job.out 2>job.err; rc=$?
	cmp alone.out job.out && [ $rc = $alone ] || {
		echo "status $rc, alone $alone"
		diff alone.out job.out | head -n 6 | cut -c1-200
		cat job.err; return 1; }
	# mpirun has words of its own where one fails
	[ ! -s alone.err ] || grep -qxFf alone.err job.err || {
		cat alone.err job.err; return 1; }
	[ -z "$(ls -d out.tape.part* 2>/dev/null)" ] || { ls; return 1; }
	[ $alone = 0 ] || return 0
	diff -r alone.tape out.tape && cmp clocks.alone clocks.job
}

if [ -x "$TAPE_BUILD/bench/made" ]; then
	for p in halo allreduce master ring; do
		"$TAPE_BUILD/bench/made" -l $p 8 20000 $p.tape 2 || exit 1
		for n in $few; do
			ok "$p: the same by $n processes" same $n $p.tape
		done
		ok "$p: and as JSON" same 2 -j $p.tape
	done
	for n in 1 4 8; do
		ok "halo: by $n processes" same $n halo.tape
	done
	ok "halo: clocks that wander" same 2 -w 20 halo.tape
	cp clocks.alone clocks.file
	ok "halo: with coefficients" same 2 -l clocks.file halo.tape
	volume()
	{
		rm -rf out.tape
		timeout 120 mpirun -np $1 sba -v -o out.tape halo.tape 2>&1 >/dev/null |
			sed -n 's/.*read, \([0-9.]*\) bytes.*modelled \([0-9.]*\):.*/\1 \2/p' |
			tee volume |
			awk '{ n++; if (!($1 > 1 && $2 > .95 * $1 && $2 < 1.05 * $1)) bad = 1 }
				END { exit bad || n != 1 }' || {
			cat volume; return 1; }
	}
	for n in $few; do
		ok "halo: the bytes exchanged by $n are as modelled" volume $n
	done
	cp -r halo.tape damaged.tape
	printf '\377\377\377\377' |
		dd of=damaged.tape/flow.4.0 bs=1 seek=700 conv=notrunc 2>/dev/null
	truncate -s 600 damaged.tape/flow.2.0
	ok "a damaged trace" same 3 damaged.tape
	cp -r halo.tape missing.tape
	rm missing.tape/flow.3.0
	ok "a rank without events" same 2 -j missing.tape
	ok "no such file of coefficients" same 2 -l nothing halo.tape
	mkdir there.tape
	ok "an output that exists" same 2 -o there.tape halo.tape
fi

for text in "$TAPE_TOP"/tests/golden/sba/*/*.txt; do
	name=$(basename "$(dirname "$text")")-$(basename "$text" .txt)
	tapedump --assemble -o "$name.tape" "$text" >/dev/null 2>&1 || continue
	ok "$name: the same by 2 processes" same 2 "$name.tape"
	[ "$MPI" = mpich ] ||
		ok "$name: and by 3, as JSON" same 3 -j "$name.tape"
done

mpicc -O1 -g -pthread -o match "$TAPE_TOP/tests/e2e/match.c" -lm
mpirun -np 4 taperun -o match.raw ./match >run.out 2>&1 || cat run.out
ok "a real program" same 2 match.raw.tape

ok "no such trace" same 2 nothing.tape
ok "no trace at all" same 2
ok "an unknown option" same 2 -q
finish
