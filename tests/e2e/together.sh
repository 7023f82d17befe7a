#!/bin/bash
# All ranks leave MPI_Init together, also where Tape takes longer to start on one.
# Truth: the program's own clock.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
mpicc -O2 -o together "$here/together.c" || exit 1
for n in 2 4; do
	ok "$n ranks: it runs" sh -c \
		"taperun -o $n.tape mpirun -np $n ./together >out 2>errors"
	echo "# $(cat out)"
	ok "$n ranks: Tape measured, and nobody left before it had everywhere" \
		grep -qE '^[1-9][0-9]* calls, 0 early$' out
done
finish
