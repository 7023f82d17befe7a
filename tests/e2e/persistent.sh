#!/bin/bash
# Persistent messages and persistent collectives (persistent.c) end as they do
# without Tape: what the tracer does while it starts leaves no trace in the
# library.
# Truth: the program without Tape.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
build persistent persistent.c

for np in 1 2; do
	run plain timeout 120 mpirun -np $np ./persistent
	ok "$np: without Tape" equal "$(cat plain.rc)" 0
	for door in preload link; do
		program=./persistent
		[ $door = preload ] || program=./persistent.linked
		run $door timeout 120 mpirun -np $np \
			taperun -o $door.$np.tape $program
		ok "$np, $door: as without Tape" alike plain $door
		ok "$np, $door: the trace is whole" \
			equal "$(end_of $door.$np.tape 0)" "finalize 0"
	done
done
finish
