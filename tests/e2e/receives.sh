#!/bin/bash
# Blocking receives give their program what the library gives it (receives.c),
# though the tracer makes them of their parts.
# Truth: the program without Tape.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
build receives receives.c

for np in 1 2; do
	run plain timeout 60 mpirun -np $np ./receives
	ok "$np: without Tape" equal "$(cat plain.rc)" 0
	for door in preload link; do
		program=./receives
		[ $door = preload ] || program=./receives.linked
		run $door timeout 60 mpirun -np $np taperun -o $door.$np.tape \
			$program
		ok "$np, $door: as without Tape" alike plain $door
	done
done
ok "the tools take it" eval 'sba -o s preload.2.tape && tico -o t s'
finish
