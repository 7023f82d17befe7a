#!/bin/bash
# tapelive by several processes: what it says at the end of a run is to the byte
# what tapestat says of the same trace, however many there are, in an MPI job and
# outside, of one program and of two; its page is that of one
# process; programs that are killed, and analysers that are.
# In make check-all only: sums.sh compares both with a truth.
# Truth: none; tapestat, which sums.sh compares with a truth.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
library=$([ "$MPI" = mpich ] && echo mpich || echo openmpi)
[ -x "$TAPE_BUILD/libexec/tapelive-$library" ] || {
	skip "tapelive in jobs" "tapelive-$library is not built"; finish; }
cp "$TAPE_TOP"/examples/stories.c .
mpicc -O1 -g -o stories stories.c -lm || { echo "Bail out! stories.c"; exit 1; }
mpicc -O1 -g -o mixed "$here/tapelive.c" ||
	{ echo "Bail out! tapelive.c"; exit 1; }
cp mixed other
mpicc -O1 -g -pthread -I"$TAPE_TOP/runtime" -o threads "$here/threads.c" \
	-L"$TAPE_BUILD/lib" -Wl,-rpath,"$TAPE_BUILD/lib" -l$tracer

stat_of() { tapestat -a -n 0 "$1" 2>/dev/null; }
# same_figures cmp|diff FILE FILE: but for what one process knows alone
same_figures() { "$1" <(without_ideal <"$2") <(without_ideal <"$3"); }
is_as_stat() # FILE TRACE
{
	[ -s "$1" ] && same_figures diff <(stat_of "$2") "$1"
}

# ---- traces that are there: one process and several, all that is shown ----

again() # NAME PROCESSES
{
	timeout 120 tapelive --keep -a -n 0 --processes $2 --report $2.html \
		"$1.tape" >$2.again 2>$2.said
}
for what in "mixed 3 -s counters=cpu,minor_faults ./mixed 1500 1" "stories 4 ./stories late" \
	"threads 2 ./threads"; do
	set -- $what
	[ -x "$1" ] || continue
	run $1 timeout 200 mpirun -np $2 taperun -s stream=node -o $1 "${@:3}"
	again $1 1
	ok "$1, one process" is_as_stat 1.again $1.tape
	for n in 2 3 4; do
		again $1 $n
		ok "$1, $n processes: the same" same_figures cmp 1.again $n.again
		ok "$1, $n processes: the same page" same_figures cmp 1.html $n.html
		ok "$1, $n processes: no other words" cmp 1.said $n.said
	done
done
if [ -d mixed.tape ]; then
	cp -r mixed.tape damaged.tape
	printf '\377\377\377\377' |
		dd of=damaged.tape/flow.2.0 bs=1 seek=700 conv=notrunc 2>/dev/null
	again damaged 1
	for n in 2 3; do
		again damaged $n
		ok "a damaged trace, $n processes: the same" same_figures cmp 1.again $n.again
		ok "and says why" eval "holds flow.2.0 $n.said && cmp 1.said $n.said"
	done
fi

# ---- while it runs ----

# both PROCESSES NAME RANKS PROGRAM...
both()
{
	local n=$1 name=$2 ranks=$3 pid

	shift 3
	timeout 200 tapelive --keep -a -n 0 -i 0.1 --line-every 0.2 --processes $n \
		-w 100 "$name.tape" >"$name.live" 2>"$name.said" & pid=$!
	run "$name" timeout 200 mpirun -np "$ranks" taperun -s stream=node \
		-o "$name" "$@"
	wait $pid
	echo $? >"$name.status"
}
both 2 run2 3 -s counters=cpu ./mixed 1500 2
ok "while it runs, 2 processes" is_as_stat run2.live run2.tape
both 4 run4 3 ./mixed 1500 3
ok "while it runs, more processes than ranks" is_as_stat run4.live run4.tape
both 3 killed 3 ./mixed 1500 4 700
ok "a program that is killed: the report is of what came" \
	is_as_stat killed.live killed.tape
ok "and says so" holds '^INCOMPLETE: [0-9]+ of [0-9]+ ranks ha(s|ve) no end record' killed.live

# what is consumed is not read again
timeout 200 tapelive --processes 2 -i 0.1 --wait 100 gone.tape >gone.live \
	2>gone.said & pid=$!
run gone timeout 200 mpirun -np 4 taperun -s stream=node -s stream_bytes=524288 \
	-o gone ./mixed 3000 5
wait $pid
ok "what is read is given back" equal "$? $(cat gone.rc)" "0 0"
ok "all events are told of" holds 'MPI_Sendrecv_replace' gone.live
ok "little is left of the trace" eval \
	'[ "$(du -k gone.tape | cut -f1)" -lt 4096 ]'

# an analyser that dies
timeout 60 tapelive --keep --processes 3 --wait 100 dies.tape >dies.live \
	2>dies.said & pid=$!
run dies timeout 200 mpirun -np 3 taperun -s stream=node -o dies \
	./mixed 6000 6 &
runs=$!
for ((i = 0; i < 600; i++)); do
	[ -s dies.tape/flow.2.0 ] && break
	sleep 0.05
done
# the child of timeout, and of that the last
first=$(pgrep -P $pid)
kill -9 "$(pgrep -P "$first" | tail -n 1)"
wait $pid
ok "an analyser that is killed: the others end" equal $? 1
ok "and one says so" equal \
	"$(grep -c 'analysis process [12] of 3 exited unexpectedly' dies.said)" 1
wait $runs
ok "the program goes on" equal "$(cat dies.rc)" 0

# ---- in a job ----

# job NAME ANALYSERS ARGUMENTS-OF-MPIRUN
job()
{
	local name=$1 m=$2

	shift 2
	run "$name" timeout 200 mpirun "$@" : -np "$m" tapelive -a -n 0 \
		--keep --spool "$work/spool.$name"
}
for m in 1 2 4; do
	job job$m $m -np 3 taperun -s stream=mpi -s counters=cpu ./mixed 1500 $m
	ok "a job with $m analysers" is_as_stat job$m.out \
		"$work/spool.job$m/mixed"
	job two$m $m -np 2 taperun -s stream=mpi ./mixed 900 5 : \
		-np 3 taperun -s stream=mpi ./other 600 7
	{
		echo "Program 1 of 2"
		stat_of "$work/spool.two$m/mixed"
		echo
		echo "Program 2 of 2"
		stat_of "$work/spool.two$m/other"
	} >two.stat
	ok "two programs in it" same_figures diff two.stat two$m.out
done
if gcc -O1 -g -shared -fPIC -o late.so "$TAPE_TOP/examples/plugin/late.c" \
	-I"$TAPE_TOP/plugin"; then
	run plugged timeout 200 mpirun -np 3 taperun -s stream=mpi ./mixed 900 8 : \
		-np 3 tapelive -t names --keep --spool "$work/spool.plugged" \
		--plugin ./late.so:0
	tapestat -t names --plugin ./late.so:0 "$work/spool.plugged/mixed" \
		>plugged.stat
	ok "a job with 3 analysers and a plug-in" same <(sort plugged.stat) \
		<(sort plugged.out)
	ok "which has said something" holds '^  [0-9.]+ s: .* for ' plugged.out
fi
run window timeout 200 mpirun -np 3 taperun -s stream=mpi ./mixed 900 9 : \
	-np 3 tapelive -t names --keep --spool "$work/spool.window" \
	--window 0.01, -o window.tape
tapecut -o window.cut.tape -w 0.01, "$work/spool.window/mixed"
ok "a job with 3 analysers keeps a window" same \
	<(tapedump window.tape | grep -v '^.history') \
	<(tapedump window.cut.tape | grep -v '^.history')
ok "which has events" holds MPI_Sendrecv_replace <(tapedump window.tape)
# late enough for something to have come; an open chunk goes after 100 ms
run ended timeout 200 mpirun -np 3 taperun -s stream=mpi ./mixed 20000 4 12000 : \
	-np 2 tapelive --keep --spool "$work/spool.ended" --report ended.html
for ((i = 0; i < 200; i++)); do
	[ -s ended.html ] && break
	sleep 0.05
done
ok "a program of it that is killed: a page of what came" \
	holds '</html>' ended.html

# ---- what is wrong ----

for wrong in "--processes 0" "--processes x" "--processes 100000"; do
	run wrong tapelive $wrong x.tape
	ok "$wrong" equal "$(cat wrong.rc) $(wc -l <wrong.err)" "2 1"
done
run none timeout 60 tapelive --processes 3 --wait 0.2 none.tape
ok "no trace: one line" equal "$(cat none.rc) $(wc -l <none.err)" "1 1"
finish
