#!/bin/bash
# Was the message there when its receive began? As arrival.sh, of programs in
# Fortran (arrival_fortran.F90), by the module mpi and by mpi_f08.
# Truth: the program's log of both ranks, on one clock.
. "$(dirname "$0")/tap.bash"
. "$here/arrival.bash"
need mpirun mpifort gfortran
# from the look at the clock to the answer it is farther than in C
late=3000

for f08 in "" -DF08; do
	program=arrival$f08
	mpifort -cpp $f08 -O1 -w -o $program "$here/arrival_fortran.F90" ||
		{ echo "Bail out! it does not compile"; exit 1; }
	for kind in recv sendrecv wait probe; do
		ok_right "$kind ${f08:+by mpi_f08}" mpi_$kind 400 ./$program $kind 8
	done
done
finish
