#!/bin/bash
# tico by several processes of an MPI job writes and prints to the byte what one
# alone does, for made-up patterns, traces as text, a real program, with options
# and damaged traces; and it ends as that does where something is wrong.
# Truth: none; one process, which des.sh compares with a truth.
# In make check-all only: it is compared with Tape itself.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
library=$([ "$MPI" = mpich ] && echo mpich || echo openmpi)
[ -x "$TAPE_BUILD/libexec/tico-$library" ] || {
	skip "tico in jobs" "tico-$library is not built"; finish; }

# tico OPTIONS TRACE by N processes, beside one
same() # N OPTIONS... TRACE
{
	local n=$1 rc alone attempt

	shift
	rm -rf alone.tape out.tape
	tico -o out.tape "$@" >alone.out 2>alone.err; alone=$?
	[ ! -e out.tape ] || mv out.tape alone.tape
	# where one fails mpirun has words of its own, at times within a line
	for attempt in 1 2 3 4 5; do
		rm -rf out.tape
		timeout 120 mpirun -np "$n" tico -o out.tape "$@" >job.out \
			2>job.err
		rc=$?
		[ -s alone.err ] && ! grep -qxFf alone.err job.err || break
	done
	cmp alone.out job.out && [ $rc = $alone ] || {
		echo "status $rc, alone $alone"
		diff alone.out job.out | head -n 6 | cut -c1-200
		cat job.err; return 1; }
	[ ! -s alone.err ] || grep -qxFf alone.err job.err || {
		cat alone.err job.err; return 1; }
	[ -z "$(ls -d out.tape.part* 2>/dev/null)" ] || { ls; return 1; }
	[ $alone = 0 ] || return 0
	diff -r alone.tape out.tape
}

# ranks of MPICH do not yield: fewer of them
few=$([ "$MPI" = mpich ] && echo 2 || echo "2 3")

# They did it together
together() { ! grep "process 0 " job.err; }

if [ -x "$TAPE_BUILD/bench/made" ]; then
	for p in halo allreduce master ring; do
		"$TAPE_BUILD/bench/made" $p 8 20000 $p.tape || exit 1
		for n in $few; do
			ok "$p: the same by $n processes" same $n -j $p.tape
			ok "$p: each has its part" together
		done
	done
	for n in 1 4 8; do
		ok "halo: by $n processes" same $n halo.tape
	done
	# records measured, and as modelled by what all ranks send
	volume() # N TRACE
	{
		rm -rf out.tape
		timeout 120 mpirun -np $1 tico -v -o out.tape $2 2>volume >/dev/null
		sed -n 's/.*bytes an event.*, \([0-9.]*\) of them.*modelled \([0-9.]*\):.*/\1 \2/p' volume |
			awk '{ n++; if (!($1 > 1 && $2 > .95 * $1 && $2 < 1.05 * $1)) bad = 1 }
				END { exit bad || n != 1 }' || {
			cat volume; return 1; }
	}
	for p in halo allreduce master; do
		for n in $few; do
			ok "$p: records given by $n are as modelled" volume $n $p.tape
		done
	done
	foretold() # what 2 say of 4 is what 4 say
	{
		volume 2 $1 || return
		set -- $1 "$(sed -n 's/.*more of them: 4: \([0-9.]*\).*/\1/p' volume)"
		timeout 120 mpirun -np 4 tico -v -o four.tape $1 2>volume >/dev/null
		grep -q "modelled $2: " volume || { echo "$2"; cat volume; return 1; }
	}
	[ "$MPI" = mpich ] ||
		ok "what two say of four is what four say" foretold halo.tape
	# of many messages after the first events the model knows nothing
	"$TAPE_BUILD/bench/made" halo 4 800000 long.tape || exit 1
	ok "a long run" same 2 -j long.tape
	cp -r halo.tape damaged.tape
	printf '\377\377\377\377' |
		dd of=damaged.tape/flow.4.0 bs=1 seek=700 conv=notrunc 2>/dev/null
	truncate -s 600 damaged.tape/flow.2.0
	ok "a damaged trace" same 3 -j damaged.tape
	cp -r halo.tape missing.tape
	rm missing.tape/flow.3.0
	ok "a rank without events" same 2 -j missing.tape
	mkdir there.tape
	ok "an output that exists" same 2 -o there.tape halo.tape
	ok "no model" same 2 -m nothing halo.tape
	ok "not as certain as was asked for" same 2 -c 0 halo.tape
fi

for text in "$TAPE_TOP"/tests/golden/tico/*/*.txt; do
	name=$(basename "$(dirname "$text")")-$(basename "$text" .txt)
	tapedump --assemble -o "$name.tape" "$text" >/dev/null 2>&1 || continue
	ok "$name: the same by 2 processes" same 2 -j "$name.tape"
done

# A program with wildcards, rendezvous, communicators, collectives and tests
mpicc -O1 -g -o ring "$TAPE_TOP/tests/e2e/parallel_tico.c" || exit 1
mpirun -np 6 taperun -o ring.raw ./ring >run.out 2>&1 || cat run.out
sba -o ring.tape ring.raw.tape >sba.log
for n in $few; do
	ok "a real program by $n processes" same $n -j ring.tape
	ok "each has its part" together
done
for o in -sf "-r sm94" "-r thesis" -p "-n 2" "-d 1e6:1"; do
	ok "a real program with $o" same 2 -j $o ring.tape
done
ok "with links process 0 does all" same 2 -l ring.tape
ok "and says so" grep -q "process 0 of 2 corrects it alone" job.err

ok "no such trace" same 2 nothing.tape
ok "no trace at all" same 2
ok "an unknown option" same 2 -q
finish
