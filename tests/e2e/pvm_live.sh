#!/bin/bash
# tapelive with PVM: tasks come and go while it follows, and what it says at the end is
# what tapestat says of the same trace.
# Truth: none; tapestat of the same trace.
. "$(dirname "$0")/pvm.bash"
if [ ! -e "$TAPE_BUILD/lib/libtape-pvm.so" ] ||
	! command -v tapelive >/dev/null; then
	skip "pvm_live" "pvm Tape was built without it"
	finish
fi
compile streamed pvm_streamed.c
compile churn pvm_churn.c
compile plate ../../examples/pvm/jacobi.c

stat_of() { tapestat -a -n 0 "$1" 2>/dev/null; }
# follow NAME PROGRAM...: the report is NAME.live
follow()
{
	local name=$1 pid

	shift
	timeout 200 tapelive --keep -a -n 0 --wait 100 "$name.tape" \
		>"$name.live" 2>"$name.said" &
	pid=$!
	run "$name" timeout 200 pvm_machine taperun -s stream=node \
		-o "$name" "$@"
	wait $pid
	echo $? >"$name.status"
}
is_as_stat()
{
	equal "$(cat "$1.rc" "$1.status")" $'0\n0' &&
		diff -u <(stat_of "$1.tape" | without_ideal) \
			<(without_ideal <"$1.live")
}
follow streamed -s counters=cpu ./streamed 3 4000
ok "tasks that send: as tapestat" is_as_stat streamed
# tasks that come with all of their call sites: these have lines, too
mkdir late.tape
# each is there at once, and of a process that has not ended
arrive()
{
	sed "s/^pid .*/pid $$/" streamed.tape/rank.$1 >late.tape/coming
	mv late.tape/coming late.tape/rank.$1
	cp streamed.tape/flow.$1.0 late.tape/coming
	mv late.tape/coming late.tape/flow.$1.0
}
cp streamed.tape/meta late.tape
arrive 0
timeout 200 tapelive --keep -a -n 0 -i 0.1 --line-every 0.1 late.tape >late.live \
	2>late.said & pid=$!
tries=0
until grep -q events/s late.said || [ $((++tries)) -gt 600 ]; do
	sleep 0.05
done
for r in 1 2 3; do arrive $r; done
: >late.tape/over
wait $pid
ok "tasks that come with all that they have: as tapestat" diff \
	<(without_ideal <late.live) <(stat_of late.tape | without_ideal)
# of groups only the whole trace tells which calls belong together
first() { sed -n 's/, PVM.*//; 1p' "$1"; }
follow churn ./churn 50
ok "tasks that come and go: they are counted" equal "$(first churn.live)" \
	"$(first <(tapestat churn.tape 2>/dev/null))"
follow plate ./plate 3
# the column "calls" of the table by call
calls_of() { awk '/^By call$/ { on = 1 } on && /calls/ { for (i = 1; $i != "calls"; i++); }
	on && $NF == "pvm_reduce" { print $i; exit }'; }
ok "calls of groups: they are counted" equal "$(calls_of <plate.live)" \
	"$(tapestat -a -n 0 plate.tape 2>/dev/null | calls_of)"
either() { is_as_stat plate || holds 'PVM group membership changed' plate.said; }
ok "and all is as tapestat has it, or it is said that it may not be" either
ok "of groups whose members come and go it is said" equal \
	"$(grep -c 'PVM group membership changed' churn.said)" 1
ok "and only there" lacks 'PVM groups' streamed.said
finish
