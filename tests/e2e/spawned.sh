#!/bin/bash
# Processes that the program starts (spawned.c): they are traced wherever
# taperun stands, and their traces name the intercommunicator as that of the
# processes that started them does.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
build spawned spawned.c
run plain timeout 100 mpirun -np 3 ./spawned

# the same as without Tape
as_alone()
{
	equal "$(cat "$1.rc"; sort "$1.out")" "$(cat plain.rc; sort plain.out)" &&
		equal "$(cat "$1.err")" ""
}

if [ "$MPI" = mpich ] && ! grep -q sent plain.out; then
	# Debian's MPICH cannot: "Error in spawn call"
	run traced timeout 100 mpirun -np 3 taperun ./spawned
	ok "a library that cannot spawn: the same outcome" equal \
		"$(cat traced.rc)" "$(cat plain.rc)"
	finish
fi

count=$TAPE_BUILD/rig/count
run behind timeout 100 mpirun -np 3 -x COUNTER_DIRECTORY="$work/counts" \
	taperun -o behind "$count" counts ./spawned
run before timeout 100 taperun -o before mpirun -np 3 ./spawned
run linked timeout 100 mpirun -np 3 -x TAPE_TRACE="$work/linked" \
	./spawned.linked
mv linked.out linked.said
sed 's/\.linked with/ with/' linked.said >linked.out
for way in behind before linked; do
	ok "$way: as without Tape" as_alone $way
	ok "$way: a trace for each job" equal "$(echo $way*.tape)" \
		"$way.2.tape $way.3.tape $way.4.tape $way.tape"
done

# The trace of the job that was started as NAME (A, B, G).
job()
{
	grep -lE "^command .* $2\$" "$1".*.tape/meta | sed 's,/meta,,'
}
# spawns TRACE ID: the rank that was the root of that spawn
spawns()
{
	grep -l "^spawn $2 " "$1"/rank.* | sed 's/.*rank\.//'
}
links()
{
	local name child id parent

	for name in A B G; do
		child=$(job "$1" $name)
		read -r _ id parent < <(grep ^spawned "$child/meta")
		parent=${parent##*/}
		echo "$name by $(sed -n 's/^command //p' "$parent/meta" |
			grep -oE '[AB]$' || echo P).$(spawns "$parent" "$id")" \
			"$(cat {"$parent","$child"}/rank.* | grep -c "^comm .* $id ")"
	done
}
for way in behind before linked; do
	ok "$way: who started whom, and all name the communicator" equal \
		"$(links $way)" "A by P.2 5
B by P.0 5
G by A.1 3"
done

# Each rank of each trace against the counter, by the process's number
counted_all()
{
	local t r pid missing=0

	for t in behind*.tape; do
		rm -rf counts.one
		mkdir counts.one
		for r in "$t"/rank.*; do
			pid=$(sed -n 's/^pid //p' "$r")
			mv counts/*."$pid" counts.one || missing=1
		done
		"$TAPE_BUILD/rig/counted" -a "$t" counts.one || missing=1
	done
	return $missing
}
ok "every call of every job is in its trace" counted_all

# ids TRACE: identity and size of what all ranks of it name alike
ids() { cat "$1"/rank.* | awk '$1 == "comm" { print $3 }' | sort -u; }
ok "nothing else has an identity of another job's" equal "$(
	for t in behind*.tape; do ids "$t"; done | sort | uniq -c |
		awk '$1 > 2 && length($2) > 4' | wc -l)" 0

# ---- where it cannot be ----

long=$work/$(printf '%0200d' 0)
run long timeout 100 mpirun -np 3 taperun -o "$long" ./spawned
sed 's/^tape: .*//' long.err >long.said
ok "names too long for an info: as without Tape" equal \
	"$(cat long.rc; sort long.out)" "$(cat plain.rc; sort plain.out)"
ok "one line says that what is started is not traced" equal \
	"$(grep -c '^tape: MPI_Comm_spawn: .* too long for an info' long.err)" 2
mkdir away
run deaf timeout 100 mpirun -np 3 taperun -o deaf -s groups=p2p ./spawned
ok "calls that are not recorded link the traces as well" equal \
	"$(grep -h ^spawned deaf.*.tape/meta | wc -l)" 3

# ---- Fortran ----

if command -v mpifort >/dev/null; then
	for f in '' -DF08; do
		mpifort $f -O1 -o fortran$f "$here/spawned_fortran.F90" ||
			continue
		run f timeout 100 mpirun -np 2 ./fortran$f
		run t timeout 100 mpirun -np 2 taperun -o f$f ./fortran$f
		ok "Fortran $f: as without Tape" equal \
			"$(cat t.rc; sort t.out)" "$(cat f.rc; sort f.out)"
		ok "Fortran $f: both are linked" equal "$(
			cat f$f.tape/rank.1 f$f.tape/rank.0 |
				awk '$1 == "spawn" { print $2 }' | sort)" "$(
			cat f$f.[0-9]*.tape/meta |
				awk '$1 == "spawned" { print $2 }' | sort)"
	done
fi
finish
