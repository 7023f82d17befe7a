#!/bin/bash
# Replay of a trace of events: the programs of order.c, recorded as always, run
# again in that order; and the traces that do not have all decisions.
# Truth: the output of the recorded run.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc tapedump
. "$here/order.bash"
replay_kinds ""
run all timeout 60 taperun -s replay=recv.again.tape -o all.tape \
	mpirun -np 4 ./order recv 8
ok "the trace of a replay is replayed, by one taperun for all ranks" \
	replayed recv all

for interface in mpi f08; do
	build_fortran $interface || continue
	traced $interface "" ./order_$interface
	if grep -qE '^ +[0-9]+ +0 ' $interface.out; then
		skip "Fortran, $interface" "the library counts indices from 0"
		continue
	fi
	traced $interface.again "-s replay=$interface.tape" ./order_$interface
	ok "Fortran, $interface: the same" replayed $interface $interface.again
done

# ---- what is refused ----

# refused NAME SENTENCE TRACE [SETTINGS]: the program runs in its own order
refused()
{
	traced "$1" "-s replay=$3 ${4:-}" ./order waitany 8
	ok "$1" eval "holds '$2' $1.err && holds '^0\$' $1.rc &&
		holds '^tape: nothing is replayed' $1.err"
}
traced free "" ./order_calls free 8
refused freed 'free.tape cannot be replayed: rank 0: which message a receive got that was freed is not recorded$' \
	free.tape
traced groups "-s groups=p2p" ./order waitany 8
refused filtered 'groups.tape cannot be replayed: a setting left calls out \(groups p2p\)$' \
	groups.tape
refused part 'waitany.tape/order.0 is of a trace of events: to replay it, record all calls$' \
	waitany.tape -s\ groups=p2p
traced stream "-s stream=node -s stream_full=drop" ./order waitany 8
refused removed 'stream.tape cannot be replayed: parts of it were removed while' \
	stream.tape
cp -r recv.tape damaged.tape
rm -f damaged.tape/order.*
printf '\377' | dd of=damaged.tape/flow.0.0 bs=1 seek=200 conv=notrunc 2>/dev/null
refused damaged 'flow.0.0: ' damaged.tape
finish
