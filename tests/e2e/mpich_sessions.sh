#!/bin/bash
# Ranks that begin in different ways (mpich_sessions.c): Tape gives up, and the
# program does not notice.
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
	"$(grep '^tape: ' traced.err)" "tape: some ranks began with MPI_Init and \
others with a session; this run is not traced"
ok "and there is none" [ ! -e mixed.tape ]
finish
