#!/bin/bash
# tape live: a report of a run of which no trace is kept. The program is as alone,
# its exit status, output and signals are its own, and nothing is left behind.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc tapelive
build streamed streamed.c
spools() { ls -d /dev/shm/tape.?????? 2>/dev/null | wc -l; }
before=$(spools)

run plain mpirun -np 2 ./streamed rounds 60000
run live timeout 300 tape live mpirun -np 2 ./streamed rounds 60000
ok "as alone" equal "$(cat live.rc; sort live.out)" "$(cat plain.rc
	sort plain.out)"
ok "the report is on standard error" holds "^[^ ]*streamed.tape  2 ranks" \
	live.err
ok "of all calls" holds " 120000 .* MPI_Sendrecv" live.err
run file timeout 300 tape live -o report.txt -s stream_bytes=196608 -n 3 \
	mpirun -np 2 ./streamed alone 60000
ok "-o: the report is in the file" holds "^[^ ]*streamed.tape  2 ranks" \
	report.txt
ok "-o: and nothing is said" equal "$(cat file.rc file.err)" 0
run status timeout 300 tape live sh -c 'exit 7'
ok "the exit status is the command's" equal "$(cat status.rc)" 7
ok "there is nothing to report, and that is said" holds \
	"^tape: no trace was made" status.err
run signal timeout 300 tape live bash -c 'kill -TERM $$'
ok "so is its end by a signal" equal "$(cat signal.rc)" 143
printf 'a line\n' >input
ok "standard input is the command's" equal "$(tape live cat <input 2>cat.err)" \
	"a line"
ok "no spool is left behind" [ "$(spools)" -le "$before" ]
for c in "" "-m" "-m 0 mpirun ./streamed" "-m x mpirun ./streamed" "-o"; do
	run wrong tape live $c
	ok "tape live $c: wrong use" equal "$(cat wrong.rc wrong.out)" 2
done
finish
