#!/bin/bash
# Sums and differences of addresses (aint.c, aint.F90): the same results as
# without Tape, and every call that is one in the trace, as a rig counts them
# that knows no calls. In C they are macros of Open MPI.
# Truth: the program without Tape; calls counted by a library of its own.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
rig=$TAPE_BUILD/rig

# both NAME EXPECTED: results and counts of the program NAME
both()
{
	rm -rf t.tape t.counts*
	run plain mpirun -np 2 "./$1"
	run traced mpirun -np 2 taperun -o t "$rig/count" t.counts "./$1"
	ok "$1: results" alike plain traced
	ok "$1: they are right" equal "$(sort -u plain.out | xargs)" "982 5 -5"
	ok "$1: calls in the trace" equal "$(tapedump -i t.tape 2>/dev/null |
		awk '$1 ~ /^MPI_Aint/ { print $1, $3 }' | sort | xargs)" "$2"
	# the rig counts the functions that Open MPI has
	[ $MPI:$1 = mpich:in_c ] || ok "$1: as they were counted" \
		"$rig/counted" -a t.tape t.counts
}

all="MPI_Aint_add 8 MPI_Aint_diff 4"
mpicc -g -o in_c "$here/aint.c" || exit 1
both in_c "$([ "$MPI" = openmpi ] || echo "$all")"
fc=$(command -v mpifort.$MPI || command -v mpifort)
if [ -n "$fc" ] && command -v gfortran >/dev/null; then
	"$fc" -g -cpp -J . -o in_fortran "$here/aint.F90" || exit 1
	"$fc" -g -cpp -DF08 -J . -o in_f08 "$here/aint.F90" || exit 1
	both in_fortran "$all"
	both in_f08 "$all"
	MPIFORT=$fc tapefc -g -cpp -J . -o in_source "$here/aint.F90" 2>log ||
		{ cat log; exit 1; }
	both in_source "$all"
else
	skip "in Fortran" "mpi mpifort is not installed"
fi
finish
