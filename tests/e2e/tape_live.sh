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

# ---- a window of the run is left as a trace ----

run window timeout 300 tape live --window 0.01,0.05 --report run.html \
	mpirun -np 2 ./streamed rounds 60000
ok "--window: as alone" equal "$(cat window.rc; sort window.out)" \
	"$(cat plain.rc; sort plain.out)"
ok "the window is a trace, here" holds '^Not recorded: window = 0.01 to 0.05 s' \
	<(tapestat window.tape)
ok "and so is the page" holds '<html' run.html
run again timeout 300 tape live --window 0.01,0.05 mpirun -np 2 ./streamed \
	rounds 10
ok "one that is there stays, and nothing runs" equal \
	"$(cat again.rc again.out again.err)" "1
tape: window.tape is there already"
run named timeout 300 tape live --window=0, --trace sub.tape -m 1 mpirun -np 2 \
	./streamed rounds 6000
ok "--trace names it, in a job, too" holds ' 12000 .* MPI_Sendrecv' \
	<(tapestat -a sub.tape)
rm -rf window.tape
for c in "--window 2,1" "--window" "--trace x.tape" "--window=x" "-n x"; do
	run wrong tape live $c mpirun -np 2 ./streamed rounds 10
	ok "tape live $c: wrong use, and nothing runs" equal \
		"$(cat wrong.rc wrong.out)" 2
done

ok "no spool is left behind" [ "$(spools)" -le "$before" ]
for c in "" "-m" "-m 0 mpirun ./streamed" "-m x mpirun ./streamed" "-o"; do
	run wrong tape live $c
	ok "tape live $c: wrong use" equal "$(cat wrong.rc wrong.out)" 2
done
finish
