#!/bin/bash
# Tape uses up none of the numbers that Open MPI gives to the nonblocking
# collectives of MPI_COMM_WORLD (numbering.c). With some of them a later
# MPI_Dist_graph_create of the program waits for ever.
# Truth: the program without Tape.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
build numbering numbering.c
export OMPI_MCA_mpi_param_check=0

run plain timeout 60 mpirun -np 2 ./numbering
ok "without Tape there is such a number" holds '^MPI_Init: -[1-9]' plain.out
for door in preload link; do
	program=./numbering
	[ $door = preload ] || program=./numbering.linked
	run $door timeout 60 mpirun -np 2 taperun -o $door.tape $program
	ok "$door: the same numbers as without Tape" alike plain $door
done
finish
