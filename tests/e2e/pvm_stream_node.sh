#!/bin/bash
# stream = node with PVM: tasks come and go, their traces are consumed, and the
# program does not wait for an analyser that is gone.
# Truth: the program alone.
# In make check-all only: stream_node.sh has it with MPI.
. "$(dirname "$0")/pvm.bash"
if [ ! -e "$TAPE_BUILD/lib/libtape-pvm.so" ]; then
	skip "pvm_stream_node" "pvm Tape was built without it"
	finish
fi
compile streamed pvm_streamed.c
consume=$TAPE_BUILD/rig/consume
spool=$(mktemp -d /dev/shm/tape-e2e.XXXXXX) || spool=$work/spool
later rm -rf "$spool"
n=12000

# counts TRACE: how many calls of each name, over all tasks
counts()
{
	tapedump "$1" 2>/dev/null | awk '
		$3 ~ /^pvm_/ && $3 != "pvm_mytid" { n[$3]++ }
		END { for (k in n) print k, n[k] }' | sort
}

run plain timeout 300 pvm_machine ./streamed 3 $n
run files timeout 300 pvm_machine taperun -s alpha=calibrated -o files \
	./streamed 3 $n

# streamed NAME "OPTIONS of consume" SETTING...
streamed()
{
	local name=$1 options=$2 pid

	shift 2
	mkdir "$spool/$name"
	$consume $options "$spool/$name/x.tape" "$name.tape" \
		>"$name.consumed" 2>&1 &
	pid=$!
	[ "$name" != killed ] || (
		until [ -s "$spool/$name/x.tape/flow.1.0" ]; do sleep 0.05; done
		kill -9 $pid
	) &
	run "$name" timeout 300 pvm_machine taperun -s alpha=calibrated \
		-s stream=node -s stream_bytes=196608 "$@" \
		-o "$spool/$name/x" ./streamed 3 $n
	: >"$spool/$name/over"
	wait 2>/dev/null
}
streamed slow "-p 3"
ok "a slow consumer: the program is as alone" equal \
	"$(cat slow.rc slow.out)" "$(cat plain.rc plain.out)"
ok "tasks that come later are consumed, too" equal "$(counts slow.tape)" \
	"$(counts files.tape)"
ok "no flow ever had more than was asked for" eval \
	'[ "$(awk "{ print \$4 }" slow.consumed)" -le 196608 ]'
ok "next to nothing is left" eval \
	'[ "$(du -sk "$spool/slow" | cut -f1)" -lt 512 ]'
streamed step -l
ok "one that waits for a task says so: nobody is held back" equal \
	"$(cat step.rc step.out)" "$(cat plain.rc plain.out)"
streamed killed -H
ok "analyser killed: as alone" equal "$(cat killed.rc killed.out)" \
	"$(cat plain.rc plain.out)"
ok "the files have all of it" equal "$(counts "$spool/killed/x.tape")" \
	"$(counts files.tape)"
if command -v tapelive >/dev/null; then
	run live timeout 300 pvm_machine tape live ./streamed 3 $n
	ok "tape live: as alone" equal "$(cat live.rc live.out)" \
		"$(cat plain.rc plain.out)"
	ok "tape live: a report" holds "^streamed  .*PVM" live.err
else
	skip "tape live" "tapelive is not built"
fi
finish
