#!/bin/bash
# The source door and macros: what a program prints of its own text, by assert
# or #x, is what it prints without Tape, and no call is lost. Variables and
# members with the name of a call, and declarations of calls in a block, cost no
# other call its line.
# Truth: the program without Tape.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc mpifort
cp "$here"/stringified*.[chF]* .
mkdir plain
(cd plain && mpicc -g -w -I.. -o ../plain/prog ../stringified.c) || exit 1
tapecc -g -w -o prog stringified.c 2>reports
ok "tapecc compiles it" test -x prog
cp plain/prog plain.prog

run plain mpirun -np 1 ./plain.prog
run traced mpirun -np 1 ./prog
ok "the output is that without Tape" same plain.out traced.out
ok "so is what goes to standard error" same plain.err traced.err
ok "every call is in the trace" \
	equal "$(events prog.tape 0 MPI_Barrier)" 12
line() { grep -nF "$1" stringified.c | cut -d: -f1; }
exact()
{
	local n

	sed -n 's/^site [0-9]* //p' prog.tape/rank.0 >sites
	for n in $(line '	MPI_Barrier(MPI_COMM_WORLD);') \
		$(line 'QUIET(MPI_Barrier(MPI_COMM_WORLD));') \
		$(line 'MPI_Barrier(MPI_COMM_WORLD) + x'); do
		holds "^[0-9]+ $n stringified.c " sites || return
	done
}
ok "calls behind declarations, and within other macros, have their lines" exact
ok "what is left alone is reported" equal "$(sed -nE \
	's/^stringified.c:[0-9]+: ([^,]*): made a string.*/\1/p' reports |
	sort | uniq -c | tr -s ' \n' ' ')" " 8 MPI_Barrier 1 MPI_Send "

run plain2 mpirun -np 1 "$heard" plain2 ./plain.prog x
run traced2 mpirun -np 1 "$heard" traced2 ./prog x
ok "an assertion that fails says the same" equal \
	"$(grep -o 'stringified.c:.*' traced2.told)" \
	"$(grep -o 'stringified.c:.*' plain2.told | head -n 1)"
ok "  and says something" holds 'Assertion .MPI_Barrier\(' traced2.told

for form in -c -S; do
	rm -f stringified.[sod]
	tapecc $form -w -MMD -I. stringified.c 2>/dev/null
	ok "$form -MMD: nothing but its files" equal \
		"$(echo stringified.[sodi])" \
		"$(mpicc $form -w -MMD -I. stringified.c && echo stringified.[sodi])"
done
tapecc -w -E - <stringified.c 2>spelt.err | grep -v "^#" >spelt
[ "$MPI" != mpich ] || # the other does not find its own header then
	ok "from standard input" equal "$(grep -c 'puts("MPI_Barrier' spelt)" 4

mpifort -g -o f.plain stringified_fortran.F90 || exit 1
tapefc -g -o f.prog stringified_fortran.F90
run f.plain mpirun -np 1 ./f.plain
run f.traced mpirun -np 1 ./f.prog
ok "Fortran: the output is that without Tape" same f.plain.out f.traced.out
ok "Fortran: it spells calls" holds 'call mpi_barrier' f.traced.out
ok "Fortran: every call is in the trace" equal \
	"$(events f.prog.tape 0 | tail -n 1)" 4
finish
