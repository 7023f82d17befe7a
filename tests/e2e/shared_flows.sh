#!/bin/bash
# Traces that have files in common, as sba makes them: who takes out of one what was
# read does not empty the other. And a trace that was only looked at is as it was.
# Truth: the files as they were before.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc tapelive sba
build streamed streamed.c
# several chunks of 64 KiB: what is read is given back by chunks
run made timeout 100 mpirun -np 2 taperun -o raw ./streamed rounds 40000
sums() { (cd "$1" && ls && cksum ./*); }
ok "there is a trace" equal "$(events raw.tape 1 MPI_Sendrecv)" 40000
sba -o raw.sba.tape raw.tape >sba.out 2>&1
ok "sba's result has its flows" equal "$(stat -c %h raw.tape/flow.*.0)" "2
2"
sums raw.tape >raw.sums
sums raw.sba.tape >sba.sums

for trace in raw.sba raw; do
	run consume timeout 60 tapelive --consume $trace.tape
	ok "$trace: --consume is refused" equal "$(cat consume.rc consume.out)" 1
	ok "$trace: it is said why" holds \
		"^tapelive: .*$trace.tape/flow.0.0 is also a file of another" \
		consume.err
	ok "$trace: nothing has changed" eval \
		'sums raw.tape | same raw.sums - && sums raw.sba.tape | same sba.sums -'
done
run several timeout 60 tapelive --consume --processes 2 raw.tape
ok "several processes: refused, and nothing has changed" eval \
	'equal "$(cat several.rc)" 1 && sums raw.tape | same raw.sums -'

# one that was made to be consumed, and kept
streams() { sed -i '/^library/a stream node' "$1/meta"; }
cp -r raw.tape kept.tape
streams kept.tape
sba -o kept.sba.tape kept.tape >sba.out 2>&1
sums kept.tape >kept.sums
sums kept.sba.tape >linked.sums
run stream timeout 60 tapelive kept.tape
ok "a trace that streamed: it is read" eval \
	'equal "$(cat stream.rc)" 0 && holds MPI_Sendrecv stream.out'
ok "nothing is taken out of its files, which is said" holds \
	"flows are also files of another trace" stream.err
ok "both traces are as they were" eval \
	'sums kept.tape | same kept.sums - && sums kept.sba.tape | same linked.sums -'
cp -r raw.tape own.tape
streams own.tape
blocks() { stat -c %b own.tape/flow.*.0 | paste -sd' '; }
before=$(blocks)
run own timeout 60 tapelive own.tape
ok "with files of its own: they are emptied" eval \
	'set -- $before $(blocks); echo $*; [ $3 -lt $1 ] && [ $4 -lt $2 ]'

# looked at only
for option in --keep "--keep --processes 2" ""; do
	timeout 60 tapelive $option raw.tape >looked.out 2>&1
	ok "looked at (${option:-without options}): as it was" eval \
		'holds MPI_Sendrecv looked.out && sums raw.tape | same raw.sums -'
done
finish
