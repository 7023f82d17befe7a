#!/bin/bash
# Record and replay of the order that PVM leaves to chance. The first task of
# pvm_order.c prints in which order it meets messages of tasks that work for
# random times, and how often it asked in vain; a replay must print what the
# recorded run printed.
# Truth: the output of the recorded run.
. "$(dirname "$0")/pvm.bash"
[ -e "$TAPE_BUILD/lib/libtape-pvm.so" ] || needs_pvm libtape-pvm.so
compile order pvm_order.c

# traced NAME SETTINGS KIND ROUNDS [HOW]: what tasks say is in NAME.log
traced()
{
	local name=$1 settings=$2

	shift 2
	run "$name" timeout 100 pvm_machine -l "$name.log" taperun $settings \
		-o "$name" ./order "$PWD/order" "$@"
}
replayed()
{
	holds '^0$' "$2.rc" && same "$1.out" "$2.out" &&
		lacks '^tape: ' "$2.err" "$2.log"
}

stop() { kill "$@" 2>/dev/null; }
busy=
for i in 1 2; do
	while :; do :; done &
	later stop $!
	busy+=" $!"
done
kinds="recv nrecv known trecv probe precv recvf notify context tree reduce mailbox"
kinds+=" handler untraced again first"
for kind in $kinds; do
	traced $kind "-s record=order" $kind 6
	traced $kind.again "-s replay=$kind.tape" $kind 6
	ok "$kind: a replay has the recorded order" replayed $kind $kind.again
done
stop $busy
received() { tapedump -j "$1" 2>/dev/null | grep -c '"call":"pvm_recv"'; }
ok "a record of the order has no events of calls" equal "$(received recv.tape)" 0
ok "a replay is traced" equal "$(received recv.again.tape)" 18
ok "a task has the name of who spawned it" equal \
	"$(sed -n 's/^task //p' tree.tape/rank.* | sort | tr '\n' ' ')" \
	"0 0/1.0 0/1.0/1.0 0/1.0/1.0/1.0 0/1.1 0/1.1/1.0 0/1.1/1.0/1.0 0/1.2 0/1.2/1.0 0/1.2/1.0/1.0 "

# without taperun, and with a PVM of the program's own
lib=$TAPE_BUILD/lib
if [ -e "$lib/libtape-pvm.a" ] && gcc -O1 -g -o order.linked "$here/pvm_order.c" \
	-L"$lib" @"$lib/libtape-pvm.link" 2>linked.log; then
	for kind in recv trecv; do
		run $kind.linked env TAPE_REPLAY=$kind.tape \
			TAPE_TRACE=$kind.linked timeout 100 pvm_machine \
			-l $kind.linked.log ./order.linked "$PWD/order.linked" $kind 6
		ok "$kind: the same in a linked program" replayed $kind $kind.linked
	done
else
	skip "a linked program" "pvm a static PVM is not installed"
fi

run said timeout 100 pvm_machine tape run -s record=order -o said ./order \
	"$PWD/order" recv 6
ok "tape run says what a trace without events is for" holds \
	'^said.tape has the order .* tape run -s replay=said.tape command$' said.err

# a record of a replay, with all events
traced both "-s replay=trecv.tape -s record=both" trecv 6
traced both.again "-s replay=both.tape -s record=order" trecv 6
ok "a replay can be recorded" replayed trecv both
ok "and replayed" replayed trecv both.again

# ---- departures ----

traced more "-s replay=recv.tape" recv 6 more
head -n 18 more.out >more.head
ok "a message more: the order up to there" same recv.out more.head
ok "it says where the program departs" equal "$(grep -h '^tape: ' more.err more.log)" \
	"tape: rank 0 departs from the record at decision 19: expected pvm_exit, got pvm_recv; it goes on in its own order"
ok "and ends" holds '^0$' more.rc
traced other "-s replay=recv.tape" probe 6
ok "another call: the same" holds \
	'decision 1: expected pvm_recv from task 0/1.[0-2], tag 7, got pvm_probe' other.err
traced early "-s record=order" recv 6 early
traced late "-s replay=early.tape -s replay_wait=1" recv 6 late
ok "a message that does not come: the wait is named" \
	holds '^tape: rank 0 waits in pvm_recv for what the record has' late.err
ok "then the task goes on" holds 'expected what does not come, got pvm_recv' late.err
ok "and ends" holds '^0$' late.rc

# ---- records that are incomplete or damaged ----

traced kill "-s record=order" recv 6 kill
traced kill.again "-s replay=kill.tape" recv 6
head -n 6 kill.again.out >kill.head
ok "the record of a killed task is replayed" same kill.out kill.head
ok "and its end is said" holds \
	'rank 0 departs .* decision 7: expected nothing \(the recorded run was killed\)' \
	kill.again.err
traced worker "-s record=order" recv 6 worker
traced worker.again "-s replay=worker.tape" recv 6 worker
ok "another task is killed: the order is the same" replayed worker worker.again

rm -rf bad.tape; cp -r recv.tape bad.tape
printf '\377' | dd of=bad.tape/order.0 bs=1 seek=64 conv=notrunc 2>/dev/null
traced bad "-s replay=bad.tape" recv 6
ok "a damaged record: its own order" holds \
	'^tape: rank 0: .*order.0: byte 64: damaged; it runs in its own order$' bad.err
sed -i '/^task /d' bad.tape/rank.*
traced unnamed "-s replay=bad.tape" recv 6
ok "a trace without names: the same" holds \
	'^tape: rank 0: .*bad.tape has no order of task 0; it runs in its own order$' \
	unnamed.err
finish
