#!/bin/bash
# "Had it arrived?" of receives that are waited for (arrived.c): the answer is
# what it must be, and asking leaves the program's error handlers alone.
# Truth: what the answer must be, by the order of the program.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
build arrived arrived.c

# answers TRACE: tag and answer, in the order of the waits
answers()
{
	tapedump "$1" 2>/dev/null | tr ' ' '\n' |
		sed -n 's/^received=[0-9.]*:[0-9]*:\([0-9]*\):[0-9]*:\([012]\)$/\1:\2/p' |
		paste -sd' '
}
# Two of each round: it was there, it was not. One that failed was there; where
# the handler is not fatal that is asked once more.
expected()
{
	local i

	printf '%d:1 %d:0 ' {0..9}
	for i in {1..3}; do
		printf '2:1 3:0 %s' '' '50:1 ' '50:1 '
	done
	echo 70:1
}

for door in preload link; do
	program=./arrived
	[ $door = preload ] || program=./arrived.linked
	run plain timeout 60 mpirun -np 1 ./arrived plain
	run $door timeout 60 mpirun -np 1 taperun -o $door.tape $program \
		traced
	ok "$door: as without Tape" alike plain $door
	ok "$door: what was there had arrived, what was not had not" \
		equal "$(answers $door.tape)" "$(expected)"
done
finish
