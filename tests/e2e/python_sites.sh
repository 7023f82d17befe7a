#!/bin/bash
# Call sites and regions of programs in Python that use mpi4py: file, line and
# function of Python, in functions, generators, tasks, threads, code that is
# made at run time, an interpreter in a program of C. Debian's mpi4py is one for
# Open MPI only.
# Truth: the program says where its calls stand (python_sites.py); the program
# without Tape; the headers of the installed Python.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc jq
python=/usr/bin/python3
if ! "$python" -c 'import mpi4py' 2>/dev/null; then
	skip "python_sites" "mpi python3-mpi4py is not installed"
	finish
fi
# more threads than processors: who waits lets the others run
export OMPI_MCA_mpi_yield_when_idle=1 LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
module=$TAPE_BUILD/lib/python3/dist-packages
calls='Barrier|Allreduce|Bcast|Gather|Irecv|Isend|Waitall|Sendrecv|Mprobe|Mrecv|Wait|Send'

mkdir elsewhere
for name in other grüße; do
	printf '\n\ndef call(at, comm):\n\tat("MPI_Barrier"); comm.Barrier()\n' \
		>elsewhere/$name.py
done
cp "$here/python_sites.py" .

# seen TRACE RANK: call, file, line and function of what the program says of, in
# the order of time; repetitions once
seen()
{
	tapedump -j "$1" 2>/dev/null | jq -r "select(.rank == $2)
		| select(.call // \"\" | test(\"^MPI_($calls)\$\"))
		| \"\\(.call) \\((.file // \"?\") | split(\"/\") |
			last):\\(.line // \"?\") \\(.function // \"?\")\"" | uniq
}

run plain mpirun -np 2 "$python" python_sites.py
for r in 0 1; do mv results.$r plain.$r; done
run traced mpirun -np 2 taperun -o sites "$python" python_sites.py
ok "the program ends as without Tape" equal "$(cat plain.rc traced.rc)" "0
0"
ok "it prints the same" same <(cat plain.out plain.err) \
	<(cat traced.out traced.err)
for r in 0 1; do
	ok "rank $r: the same results" same plain.$r results.$r
	ok "rank $r: file, line and function of each call" \
		same <(uniq truth.$r) <(seen sites.tape $r)
done
ok "texts that are the same have one call site" [ \
	"$(grep -c '^site ' sites.tape/rank.0)" -lt 500 ]
ok "the import statement, not the import system" equal \
	"$(tapedump -j sites.tape 2>/dev/null | jq -r 'select(.rank == 0 and
		.call == "MPI_Init_thread") | "\(.line) \(.function)"')" \
	"$(grep -n '^from mpi4py' python_sites.py | cut -d: -f1) <module>"

finish
