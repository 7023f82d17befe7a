#!/bin/bash
# Record and replay of the order that MPI leaves to chance. The programs of
# order.c print the order in which a rank meets messages of ranks that compute
# for random times; a replay must print what the recorded run printed.
# Truth: the output of the recorded run.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
. "$here/order.bash"
replay_kinds "-s record=order"

run said timeout 60 tape run -s record=order -o said mpirun -np 4 ./order recv 8
ok "tape run says what a trace without events is for" holds \
	'^said.tape has the order .* tape run -s replay=said.tape command$' said.err
ok "and reports no figures" lacks 'efficiency|ran' said.err
run said.again timeout 60 tape run -s replay=said.tape -o said.again \
	mpirun -np 4 ./order recv 8
ok "and runs in that order" same said.out said.again.out

for kind in recv iprobe testsome; do
	traced $kind.linked "-s replay=$kind.tape" ./order.linked $kind 8
	ok "$kind: the same in a linked program" replayed $kind $kind.linked
done

for interface in mpi f08; do
	build_fortran $interface || continue
	traced $interface "-s record=order" ./order_$interface
	traced $interface.again "-s replay=$interface.tape" ./order_$interface
	ok "Fortran, $interface: the same" replayed $interface $interface.again
done

# a record of the other library
other=$([ "$MPI" = mpich ] && echo openmpi || echo mpich)
if command -v mpicc.$other mpirun.$other >/dev/null; then
	mpicc.$other -O1 -w -o order.$other "$here/order.c"
	for kind in recv testsome; do
		run $kind.other timeout 60 mpirun.$other -np 4 taperun \
			-s record=order -o $kind.other.tape ./order.$other $kind 8
		traced $kind.here "-s replay=$kind.other.tape" ./order $kind 8
		ok "$kind: the record of another library" replayed $kind.other $kind.here
	done
else
	skip "a record of another library" "$other is not installed"
fi

# a record of a replay, with all events
traced both "-s replay=waitany.tape -s record=both" ./order waitany 8
traced both.again "-s replay=both.tape -s record=order" ./order waitany 8
ok "a replay can be recorded" replayed waitany both
ok "and replayed" replayed waitany both.again
ok "the records are the same" cmp waitany.tape/order.0 both.again.tape/order.0
ok "a replay is traced" equal "$(events both.tape 0 MPI_Irecv)" 24
ok "a record of the order has no events of calls" \
	equal "$(events waitany.tape 0 MPI_Irecv)" 0

# threads: only the first one has a record
build order_threads order_threads.c
traced threads "-s record=order" ./order_threads
ok "which threads have no record is said" holds \
	'^tape: MPI_THREAD_MULTIPLE: of the thread that called MPI_Init the order is recorded, of other threads it is not$' \
	threads.err
traced threads.again "-s replay=threads.tape -s replay_wait=1" ./order_threads
ok "and of a replay" holds 'the order is replayed' threads.again.err
ok "all messages come" equal "$(cat threads.again.rc threads.again.out)" \
	"$(printf '0\n120 120')"

# beside programs that take all processors
stop() { kill "$@" 2>/dev/null; }
busy=
for i in 1 2 3 4; do
	while :; do :; done &
	later stop $!
	busy+=" $!"
done
for kind in recv testsome; do
	traced $kind.busy "-s replay=$kind.tape" ./order $kind 8
	ok "$kind: the same on a busy machine" replayed $kind $kind.busy
done
stop $busy

# ---- departures ----

traced more "-s replay=recv.tape" ./order recv 8 more
head -n "$(wc -l <recv.out)" more.out >more.head
ok "more messages: the order up to there" same recv.out more.head
ok "it says where the program departs" holds \
	'^tape: rank 0 departs from the record at decision 25 \([a-z_]+, order\+0x[0-9a-f]+\): expected MPI_Finalize, got MPI_Recv;' \
	more.err
traced fewer "-s replay=waitany.tape" ./order waitany 7
ok "fewer messages: the same" holds \
	'decision 29 \(main, order\+0x[0-9a-f]+\): expected MPI_Waitany, got MPI_Finalize' fewer.err
traced other "-s replay=recv.tape" ./order probe 8
ok "another call: the same" holds \
	'decision 1 \(.*\): expected MPI_Recv from rank [1-3], tag [789], got MPI_Probe' other.err
ok "the program ends as without a record" holds '^0$' other.rc

traced early "-s record=order" ./order recv 8 early
traced late "-s replay=early.tape -s replay_wait=1" ./order recv 8 late
ok "a message that does not come: the wait is named" \
	holds '^tape: rank 0 waits in MPI_Recv for what the record has' late.err
ok "then the rank goes on" holds 'expected what does not come, got MPI_Recv' \
	late.err
ok "and ends" holds '^0$' late.rc
traced double "-s replay=waitall.tape -s replay_wait=1" ./order waitall 8 double
ok "a posted receive is given up, too" holds '^0$' double.rc
ok "and gets another message" equal "$(wc -l <double.out)" 24
for kind in sendrecv replace; do
	traced $kind.double "-s replay=$kind.tape -s replay_wait=1" \
		./order_calls $kind 8 double
	ok "$kind: the receive is given up, too" \
		holds 'expected what does not come, got MPI_Sendrecv' $kind.double.err
	ok "$kind: and gets another message" \
		equal "$(cat $kind.double.rc) $(wc -l <$kind.double.out)" "0 24"
done

# ---- records that are incomplete or damaged ----

traced kill "-s record=order" ./order recv 8 kill
traced kill.again "-s replay=kill.tape" ./order recv 8
traced kill.twice "-s replay=kill.tape" ./order recv 8
head -n 13 kill.again.out >kill.head
head -n 13 kill.twice.out >twice.head
ok "the record of a killed rank is replayed" same kill.head twice.head
ok "and its end is said" holds \
	'rank 0 departs .* decision 14 \(.*\): expected nothing \(the recorded run was killed\)' \
	kill.again.err

damage() { rm -rf bad.tape; cp -r recv.tape bad.tape; "$@"; traced bad.run "-s replay=bad.tape" ./order recv 8; }
put_byte() { printf "$2" | dd of=bad.tape/order.0 bs=1 seek="$1" conv=notrunc 2>/dev/null; }
unreplayed()
{
	holds '^0$' bad.run.rc && holds "$1" bad.run.err &&
		holds '^tape: nothing is replayed' bad.run.err
}
damage put_byte 64 '\377'
ok "an unknown decision" unreplayed 'order.0: byte 64: damaged$'
damage truncate -s 66 bad.tape/order.0
ok "a file that is cut" unreplayed 'order.0: byte 64: damaged$'
damage put_byte 0 X
ok "another file" unreplayed 'order.0: not an order file$'
damage rm bad.tape/order.1
ok "a missing file" unreplayed 'cannot read .*order.1: No such file or directory$'
damage put_byte 66 '\176'
ok "a rank that does not exist" holds 'expected MPI_Recv from rank 63' bad.run.err
run size timeout 60 mpirun -np 3 taperun -s replay=recv.tape -o size.tape \
	./order recv 8
ok "a run of another size" holds 'order.0 is of rank 0 of 4, this is rank 0 of 3' \
	size.err
finish
