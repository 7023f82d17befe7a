#!/bin/bash
# tapestat by several processes of an MPI job prints to the byte what one alone
# prints: every table, as text and JSON, for programs of the suite, made-up
# patterns, PVM, threads, windows, corrected traces and damaged ones; and it
# ends as that does where something is wrong.
# In make check-all only: sums.sh compares both with a truth.
# Truth: none; one process, which sums.sh compares with a truth.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
library=$([ "$MPI" = mpich ] && echo mpich || echo openmpi)
[ -x "$TAPE_BUILD/libexec/tapestat-$library" ] || {
	skip "tapestat in jobs" "tapestat-$library is not built"; finish; }
# ranks of MPICH do not yield: fewer of them
few=$([ "$MPI" = mpich ] && echo 2 || echo "2 3")

# What processes N print for OPTIONS is what one prints; so is the status
same() # N OPTIONS...
{
	local n=$1 rc alone

	shift
	tapestat "$@" >alone.out 2>alone.err; alone=$?
	timeout 120 mpirun -np "$n" tapestat "$@" >job.out 2>job.err; rc=$?
	without_ideal <alone.out >alone.same
	without_ideal <job.out >job.same
	cmp alone.same job.same && [ $rc = $alone ] || {
		echo "status $rc, alone $alone"
		diff alone.same job.same | head -n 6 | cut -c1-200
		cat job.err; return 1; }
	# mpirun has words of its own where one fails
	[ ! -s alone.err ] || grep -qxFf alone.err job.err || {
		cat alone.err job.err; return 1; }
}
# The trace of that name, all of it, in both forms
trace() # NAME
{
	for n in $few; do
		ok "$1: the same by $n processes" same $n -a -n 0 "$1.tape"
	done
	ok "$1: and as JSON" same 2 -j "$1.tape"
}

# ---- made up ----

if [ -x "$TAPE_BUILD/bench/made" ]; then
	for p in halo allreduce busy master ring waitall pending reverse; do
		ranks=6
		case $p in waitall|pending|reverse) ranks=2 ;; esac
		"$TAPE_BUILD/bench/made" $p $ranks 3000 $p.tape || exit 1
		trace $p
	done
	for n in 1 4 8; do
		ok "halo: by $n processes" same $n -a halo.tape
		ok "master: by $n processes" same $n -j master.tape
	done
	for t in calls names regions ranks waits causes path phases messages \
		hosts levels positions sizes collectives counters; do
		ok "table $t by itself" same 2 -t $t -n 0 halo.tape
	done
	# What is exchanged is as modelled, and what 2 say of 4 is so, too
	volume() # TRACE
	{
		local n

		for n in 2 3 4; do
			timeout 120 mpirun -np $n tapestat -v "$1" 2>&1 >/dev/null |
				grep modelled >volume.$n || return 1
		done
		sed 's/.*: \([0-9.]*\) bytes an event between \([0-9]*\) .*modelled \([0-9.]*\):.*/\2 \1 \3/;
			s/.*them: 4: \([0-9.]*\).*/of4 \1/' volume.[234] | tee volumes |
			awk '$1 == "of4" { of = $2; next }
				{ n++; if ($1 == 4) is = $2
				  if (!($2 > 1 && $3 > .95 * $2 && $3 < 1.05 * $2)) bad = 1 }
				END { if (of && !(of > .9 * is && of < 1.1 * is)) bad = 1
				      exit bad || n != 3 || !of }' || {
			cat volumes; return 1; }
	}
	if [ "$MPI" != mpich ]; then
		for p in halo allreduce master; do
			ok "$p: the bytes exchanged are as modelled" volume $p.tape
		done
	fi
	ok "as CSV" same 2 -c -t waits halo.tape
	ok "two runs compared" same 2 -d halo.tape master.tape
fi

# ---- traces as text: waits of all kinds, threads, PVM, counters ----

for text in "$TAPE_TOP"/tests/golden/tapestat/*/*.txt \
	"$TAPE_TOP"/tests/golden/tico/{waitall,wild*,inter*,rma*,threads*}/*.txt; do
	[ -e "$text" ] || continue
	name=$(basename "$(dirname "$text")")-$(basename "$text" .txt)
	tapedump --assemble -o "$name.tape" "$text" >/dev/null 2>&1 || continue
	ok "$name: the same by 2 processes" same 2 -a -n 0 "$name.tape"
	[ "$MPI" = mpich ] ||
		ok "$name: and by 3, as JSON" same 3 -j "$name.tape"
done

# ---- sends and receives that are cancelled, their partners elsewhere ----

# The messages of each pair of ranks are those that were made
made_so() # TRACE TRUTH
{
	tapestat -j -n 0 "$1" | python3 -c '
import json, sys
for m in sorted(json.load(sys.stdin)["messages"], key=lambda m: (m["from"], m["to"])):
    print(m["from"], m["to"], m["messages"], m["bytes"])' | cmp - "$2"
}
for steps in 2000 20000; do
	"$TAPE_TOP/tests/e2e/parallel_cancel.py" 1 4 $steps cancel.truth >cancel.txt
	tapedump --assemble -o cancel.$steps.tape cancel.txt >/dev/null 2>&1
	ok "cancelled, $steps steps: one process has the true partners" \
		made_so cancel.$steps.tape cancel.truth
	for n in $few; do
		ok "cancelled, $steps steps: the same by $n processes" \
			same $n -j cancel.$steps.tape
	done
done

# ---- real programs ----

# PROGRAM RANKS [ARGUMENTS]: traced, in global time, and corrected
real()
{
	local name=$1 ranks=$2

	shift 2
	mpirun -np $ranks taperun -o $name.raw ./$name "$@" >run.out 2>&1 || {
		ok "$name runs" false; cat run.out; return; }
	sba -o $name.tape $name.raw.tape >sba.log 2>&1
	tico -o $name.without.tape $name.tape >tico.log 2>&1
	trace $name
	ok "$name: corrected, with its certificate" \
		same 2 -a -n 0 --measured $name.tape $name.without.tape
}
build() { mpicc -O1 -g -pthread -o "$1" "$2" -lm || ok "$1 compiles" false; }
build match "$TAPE_TOP/tests/e2e/match.c"
real match 4
build conform "$TAPE_TOP/tests/e2e/conform.c"
[ ! -x conform ] || real conform 4
build windows "$TAPE_TOP/tests/e2e/conform_windows.c"
[ ! -x windows ] || real windows 3
mpicc -O1 -g -pthread -I"$TAPE_TOP/runtime" -o threads "$TAPE_TOP/tests/e2e/threads.c" -L"$TAPE_BUILD/lib" -Wl,-rpath,"$TAPE_BUILD/lib" -l$tracer
[ ! -x threads ] || real threads 2

# ---- what is wrong ----

if [ -d halo.tape ]; then
	cp -r halo.tape damaged.tape
	printf '\377\377\377\377' |
		dd of=damaged.tape/flow.4.0 bs=1 seek=700 conv=notrunc 2>/dev/null
	truncate -s 600 damaged.tape/flow.2.0
	ok "a damaged trace" same 3 -a -n 0 damaged.tape
	cp -r halo.tape missing.tape
	rm missing.tape/flow.3.0
	ok "a rank without events" same 2 -j missing.tape
	ok "no such table" same 2 -t nonsense halo.tape
	ok "no such call site" same 2 -t phases --phase nonsense halo.tape
fi
ok "no such trace" same 2 nothing.tape
ok "no trace at all" same 2
finish
