#!/bin/bash
# The door: MPI_Comm_split_type of an unchanged program splits by hardware, with
# the library linked or preloaded, with Tape's tracer before and behind it, in C
# and Fortran; shut it changes nothing.
# Truth: rules of the hierarchy, worked out by hand.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
. "$here/hsplit.bash"
lib=$TAPE_BUILD/lib/lib$hsplit.so
mpicc -g -O1 -Wall -Werror -o plain "$here/hsplit_door.c" || exit 1
mpicc -g -O1 -Wall -Werror -o linked "$here/hsplit_door.c" -Wl,--no-as-needed \
	-L"$TAPE_BUILD/lib" -Wl,-rpath,"$TAPE_BUILD/lib" "-l$hsplit" || exit 1
bound 0 1 2 3 4 5 6 7
hwloc_known || {
	skip "the door" "hwloc is not installed"
	finish
}
sed -i 's/^exec/[ -z "$PRELOAD" ] || export LD_PRELOAD=$PRELOAD${LD_PRELOAD:+:$LD_PRELOAD}\nexec/' bound
cat >open.table <<'END'
hardware 0 1 2 3 / 4 5 6 7 /
backwards 3 2 1 0 / 7 6 5 4 /
some - / 1 2 / - / 4 5 7 / - /
shared 0 1 2 3 4 5 6 7 /
none - / - / - / - / - / - / - / - /
END
sed -E 's#^(hardware|backwards) .*#\1 ! / ! / ! / ! / ! / ! / ! / ! /#; /^some/d' \
	open.table >shut.table

# prints NAME TABLE; traced NAME: the calls of rank 1 are in the trace
prints() { equal "$(cat "$1.rc")" 0 && same "$2.table" "$1.out"; }
traced()
{
	equal "$(events "$1.tape" 1 MPI_Comm_split_type)" "$2" &&
		equal "$(end_of "$1.tape" 1)" "finalize 0" &&
		equal "$(grep -c 'tape: ' "$1.err")" 0
}
export TAPE_SPLIT_TYPE=1

run linked mpirun -np 8 ./bound ./linked
ok "linked: split by hardware, in the order of the key, not who is undefined" \
	prints linked open
run preloaded env PRELOAD="$lib" mpirun -np 8 ./bound ./plain
ok "preloaded: the same" prints preloaded open
run after mpirun -np 8 ./bound taperun -o after ./linked
ok "linked, and traced: the same" prints after open
ok "the trace has the program's calls" traced after 5
run before env PRELOAD="$lib" mpirun -np 8 taperun -o before ./bound ./plain
ok "preloaded before the tracer: the same" prints before open
ok "the trace has what was handed on, and the splits" \
	equal "$(events before.tape 1 MPI_Comm_split_type) $([ "$(events \
	before.tape 1 MPI_Comm_split)" -ge 2 ] && echo splits)" "2 splits"

unset TAPE_SPLIT_TYPE
grep -v '"some"' "$here/hsplit_door.c" >shut.c
mpicc -g -O1 -w -o shut shut.c -Wl,--no-as-needed -L"$TAPE_BUILD/lib" \
	-Wl,-rpath,"$TAPE_BUILD/lib" "-l$hsplit"
mpicc -g -O1 -w -o alone shut.c
run shut mpirun -np 8 ./bound ./shut
run alone mpirun -np 8 ./bound ./alone
ok "shut: as without the library" eval 'equal "$(cat shut.rc)" "$(cat alone.rc)" &&
	same alone.out shut.out'
ok "where the value is an error" prints shut shut

command -v mpifort >/dev/null || {
	skip "Fortran" "mpi mpifort is not installed"
	finish
}
export TAPE_SPLIT_TYPE=1
for f in "" -DF08; do
	mpifort -cpp $f -g -w -o door "$here/hsplit_door.F90" || exit 1
	run fortran env PRELOAD="$lib" mpirun -np 8 ./bound ./door
	ok "use mpi${f:+_f08}: split by hardware" equal \
		"$(cat fortran.rc fortran.out)" \
		"0
 4 0 0 0 0 4 4 4 4
 4 3 3 3 3 7 7 7 7"
	run both env PRELOAD="$lib" mpirun -np 8 ./bound taperun -o both ./door
	ok "use mpi${f:+_f08}, traced: the same" equal \
		"$(cat both.rc both.out)" "$(cat fortran.rc fortran.out)"
	ok "use mpi${f:+_f08}: its calls are in the trace" equal \
		"$(events both.tape 1 mpi_comm_split_type_)$(events both.tape 1 MPI_Comm_split_type)" 02
done
finish
