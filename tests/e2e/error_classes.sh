#!/bin/bash
# Errors on every kind of communicator, under every error handler
# (error_classes.c): traced or not, the same calls fail in the same way, the
# same handlers hear of it, and each communicator has the handler that it had.
# Truth: the program without Tape.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
build error_classes error_classes.c -w

for how in "" threads; do
	run plain timeout 100 mpirun -np 2 ./error_classes plain $how
	ok "${how:-one thread}: without Tape" equal "$(cat plain.rc)" 0
	for door in preload link; do
		program=./error_classes
		[ $door = preload ] || program=./error_classes.linked
		run $door timeout 100 mpirun -np 2 taperun -o $door$how.tape \
			$program $door $how
		ok "${how:-one thread}, $door: as without Tape" \
			alike plain $door
		for rank in 0 1; do
			ok "${how:-one thread}, $door: rank $rank, too" \
				eval '[ -s plain.'$rank' ] &&
				diff plain.'"$rank $door.$rank"
		done
		# ask about receives that fail, too: else nothing was tried
		ok "${how:-one thread}, $door: waits were asked about" eval \
			'tapedump '$door$how'.tape 2>/dev/null |
			grep -E " MPI_Wait(all|some|any)? " |
			grep -cE "received=.*:1( |$)"'
	done
done
finish
