#!/bin/bash
# Descriptors of the tracer's own have high numbers, and the kernel's table of
# them has room for these before the process has threads: to make room later
# takes the kernel milliseconds, in which MPI_Init waits.
# Truth: the kernel: descriptors in use.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
build prog descriptors.c

# as large after MPI_Init as before
fixed() { holds '^table' "$1.err" && awk '$1 == "table" && $2 != $3 {
	print; bad = 1 } END { exit bad }' "$1.err"; }
run plain mpirun -np 2 ./prog
run preload mpirun -np 2 taperun -o preload ./prog
run link env TAPE_TRACE=link.tape mpirun -np 2 ./prog.linked
for door in preload link; do
	ok "$door: it runs" equal "$(cat $door.rc)" 0
	ok "$door: the program gets the numbers that it gets without Tape" \
		same plain.out $door.out
	ok "$door: the table does not grow in MPI_Init" fixed $door
done
few() { ulimit -n 256; exec "$@"; }
export -f few
run low mpirun -np 2 bash -c 'few taperun -o low ./prog'
ok "where 256 may be open: it runs" equal "$(cat low.rc)" 0
ok "and is traced" equal "$(events low.tape 1)" 3
finish
