#!/bin/bash
# Planted faults in real runs of Open MPI: a rank sleeps, and others wait for it.
# The rank and the call site must be right, and the waiting at least what the
# program's own clock readings give.
# Truth: answers_real.c: the rank that sleeps; clock readings of the program.
. "$(dirname "$0")/tap.bash"
. "$here/answers.bash"
need mpirun mpicc jq
ok "answers_real is built" tapecc -O1 -g -fopenmp -Wall -Werror \
	-o answers_real "$here/answers_real.c"
# who waits lets the others run
export OMPI_MCA_mpi_yield_when_idle=1 OMP_WAIT_POLICY=passive
bind=--bind-to\ none
[ "$MPI" = openmpi ] || bind=
# a wait counts from when its rank came, which may be late itself
least=0.7 most=1000

# record NAME CASE [RANKS]: NAME.tape, its truth in NAME.truth, and NAME.json
record()
{
	rm -rf "$1.tape"
	TAPE_TRACE=$1 timeout 60 mpirun -np ${3:-4} $bind ./answers_real "$2" \
		>"$1.truth" 2>"$1.err" && tapestat -j "$1.tape" >"$1.json" \
		2>>"$1.err"
}

faults="late_sender probe chain hidden_in_waitall serial_master slow_rank
	communicator_in_loop idle_threads lock"
for what in $faults; do
	check_real "$what: the cause" $what record is_caused_first
done
check_balanced 0.95
print_verdicts
finish
