#!/bin/bash
# libtape-hsplit's module for Fortran, with use mpi and use mpi_f08.
# Truth: rules of the hierarchy, worked out by hand.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc mpifort
. "$here/hsplit.bash"
bound 0 1 2 3 4 5 6 7
hwloc_known || {
	skip "Fortran" "hwloc is not installed"
	finish
}
ok "the module compiles" mpifort -Wall -Wextra -Werror -c \
	"$TAPE_TOP/hsplit/tape_hsplit.f90"
for f in "" -DF08; do
	ok "a program compiles${f:+ ($f)}" mpifort -cpp $f -Wall -Werror -g \
		-o prog "$here/hsplit_fortran.F90" tape_hsplit.o \
		-L"$TAPE_BUILD/lib" -Wl,-rpath,"$TAPE_BUILD/lib" "-l$hsplit"
	run prog mpirun -np 8 ./bound ./prog
	ok "use mpi${f:+_f08}" equal "$(cat prog.rc prog.out prog.err)" "0
done"
done
finish
