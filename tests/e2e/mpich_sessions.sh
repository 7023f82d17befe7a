#!/bin/bash
# Ranks that begin in different ways (mpich_sessions.c): Tape gives up, and the
# program does not notice.
# Truth: the program without Tape.
. "$(dirname "$0")/tap.bash"
need mpiexec.mpich mpicc.mpich
if ! mpicc.mpich -g -o begin "$here/mpich_sessions.c" 2>log; then
	grep -q Session log || { cat log; exit 1; }
	skip "sessions" "this MPICH has none"
	finish
fi
run plain mpiexec.mpich -n 3 ./begin
run traced timeout 60 mpiexec.mpich -n 3 taperun -o mixed ./begin
ok "some ranks begin with a session: results" alike plain traced
ok "they are what they should be" equal "$(cat traced.out)" \
	"the ranks are 3 in all"
ok "one line says that there is no trace" equal \
	"$(grep '^tape: ' traced.err)" "tape: some ranks called MPI_Init first and \
others started a session; this run is not traced"
ok "and there is none" [ ! -e mixed.tape ]

# one process (mpich_session_alone.c)
mpicc.mpich -g -o alone "$here/mpich_session_alone.c" 2>log || { cat log; exit 1; }
for later in "" init; do
	run plain mpiexec.mpich -n 1 ./alone $later
	run traced mpiexec.mpich -n 1 taperun -o alone$later ./alone $later
	name="one process${later:+, MPI_Init comes later}"
	ok "$name: without Tape" equal "$(cat plain.rc)" 0
	ok "$name: results" alike plain traced
	ok "$name: all calls are in the trace" equal \
		"$(tapedump alone$later.tape | grep -cE \
			' MPI_(Allreduce|Iallreduce|Irecv|Send|Wait|Iprobe|Comm_dup|Comm_free|Session_finalize) ')" \
		$((${#later} ? 19 : 10))
	ok "$name: it is a trace" eval 'tico -o c.tape alone'$later'.tape'
	rm -rf c.tape
done
finish
