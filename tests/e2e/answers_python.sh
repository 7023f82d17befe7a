#!/bin/bash
# Planted faults in programs in Python (mpi4py): a rank sleeps, and others wait
# for it. The rank and the line must be right, and the waiting at least most of
# what was slept. Debian's mpi4py is one for Open MPI only.
# Truth: answers_python.py: the rank that sleeps.
. "$(dirname "$0")/tap.bash"
. "$here/answers.bash"
need mpirun jq
python=/usr/bin/python3
if ! "$python" -c 'import mpi4py' 2>/dev/null; then
	skip "answers_python" "mpi python3-mpi4py is not installed"
	finish
fi
# who waits lets the others run
export OMPI_MCA_mpi_yield_when_idle=1 PYTHONDONTWRITEBYTECODE=1
cp "$here/answers_python.py" .
# a rank that waits comes late itself now and then
least=0.5 most=1000

# record NAME CASE [RANKS]: NAME.tape, its truth in NAME.truth, and NAME.json
record()
{
	rm -rf "$1.tape"
	timeout 100 mpirun -np ${3:-4} --bind-to none taperun -o "$1" \
		"$python" answers_python.py "$2" >"$1.truth" 2>"$1.err" &&
		tapestat -j "$1.tape" >"$1.json" 2>>"$1.err"
}
for what in slow_rank late_root late_sender; do
	check_real "$what: the cause" $what record is_caused_first
done
check_balanced 0.9
print_verdicts
finish
