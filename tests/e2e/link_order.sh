#!/bin/bash
# Link lines that name the MPI library ahead of everything, as Meson writes them
# (its file, and --as-needed): tapecc puts Tape's library before it, so that the
# calls of other compilers' objects are recorded, too. Where somebody else links
# and Tape comes behind, calls that are not recorded are named, and others not.
# Truth: the program's own count of calls.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
L=$TAPE_BUILD/lib
library=$(mpicc -show | tr ' ' '\n' | sed -n 's/^-L//p' | while read -r d; do
	ls "$d"/lib$([ "$MPI" = mpich ] && echo mpich || echo mpi).so; done 2>/dev/null | head -n 1)
[ -n "$library" ] || library=-l$([ "$MPI" = mpich ] && echo mpich || echo mpi)
export MPICC=mpicc

cat >main.c <<'END'
#include <mpi.h>
void other(void);
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Barrier(MPI_COMM_WORLD);
	if (argc > 1)
		other();
	MPI_Finalize();
	return 0;
}
END
cat >other.c <<'END'
#include <mpi.h>
void other(void)
{
	int x = 0;

	MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
}
END
compiled()
{
	"$@" >compiler.log 2>&1 && return
	echo "Bail out! $*"
	sed 's/^/# /' compiler.log
	exit 1
}
compiled tapecc -g -c main.c
compiled mpicc -g -c other.c
meson=(-Wl,--as-needed -Wl,--no-undefined "-Wl,-rpath,$work" -Wl,--start-group
	"$library" -Wl,--end-group)
compiled tapecc -o behind main.o other.o "${meson[@]}"
compiled tapecc -o ahead "$library" -Wl,--as-needed main.o other.o
compiled tapecc -g -o whole "${meson[@]}" main.c other.c
compiled tapecc -shared -fPIC -o libother.so "$library" other.c
compiled tapecc -o shared "${meson[@]}" main.o -L. -lother
ours=("-L$L" "-l$tracer" "-Wl,-rpath,$L")
compiled mpicc -o lazy main.o other.o -Wl,-z,lazy "$library" "${ours[@]}"
compiled mpicc -o now main.o other.o -Wl,-z,now "$library" "${ours[@]}"

# ran NAME ARGUMENT...: exit status, what it said, and calls of each kind
ran()
{
	rm -rf t.tape
	run "$1" env TAPE_TRACE=t mpirun -np 2 "./$@"
	# shellcheck disable=SC2046
	echo $(cat "$1.rc" "$1.out" "$1.err") "$(tapedump -i t.tape 2>/dev/null | awk '
		$1 == "MPI_Bcast" || $1 == "MPI_Barrier" { print $1, $3 }' |
		sort | paste -sd' ')"
}

for program in behind ahead whole shared; do
	ok "$program: all calls are recorded, and nothing is said" equal \
		"$(ran $program both)" "0 MPI_Barrier 4 MPI_Bcast 2"
	ok "$program: those of tapecc's source alone" equal \
		"$(ran $program)" "0 MPI_Barrier 2"
done
said="tape: calls in the parts of ./lazy that tapecc did not compile are not recorded"
said+=" (MPI_Barrier, MPI_Bcast): the link line names the MPI library before Tape's"
ok "Tape behind the MPI library, no call is lost: nothing is said" equal \
	"$(ran lazy)" "0 MPI_Barrier 2"
ok "Tape behind the MPI library, calls are lost: they are named" equal \
	"$(ran lazy both)" "0 $said MPI_Barrier 2"
# which of them are called cannot be seen: the linker binds all at the start
ok "where all is bound at the start: named, too" equal \
	"$(ran now both)" "0 ${said/lazy/now} MPI_Barrier 2"
finish
