#!/bin/bash
# Replay of a trace of events: the programs of order.c, recorded as always, run
# again in that order; and the traces that do not have all decisions.
# Truth: the output of the recorded run.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc tapedump
export OMPI_MCA_mpi_yield_when_idle=1
build order order.c
build order_calls order_calls.c

# traced NAME SETTINGS PROGRAM...: a run of four ranks, at most a minute
traced()
{
	local name=$1 settings=$2

	shift 2
	run "$name" timeout 60 mpirun -np 4 taperun $settings \
		-o "$name.tape" "$@"
}
replayed() { holds '^0$' "$2.rc" && same "$1.out" "$2.out" && lacks '^tape' "$2.err"; }

kinds="recv probe mprobe iprobe waitall waitany testsome testall cancel start"
for kind in $kinds; do
	traced $kind "" ./order $kind 8
	traced $kind.again "-s replay=$kind.tape" ./order $kind 8
	ok "$kind: a replay has the recorded order" replayed $kind $kind.again
done
for kind in $(./order_calls list | grep -vx free); do
	traced $kind "" ./order_calls $kind 8
	traced $kind.again "-s replay=$kind.tape" ./order_calls $kind 8
	ok "$kind: the same" replayed $kind $kind.again
done
run all timeout 60 taperun -s replay=recv.again.tape -o all.tape \
	mpirun -np 4 ./order recv 8
ok "the trace of a replay is replayed, by one taperun for all ranks" \
	replayed recv all

for interface in mpi f08; do
	command -v mpifort >/dev/null &&
		mpifort -O1 -cpp "-D$(echo $interface | tr a-z A-Z)" \
			-o order_$interface "$here/order_fortran.F90" || {
		skip "Fortran" "mpifort is not installed"
		continue
	}
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
