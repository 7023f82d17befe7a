#!/bin/bash
# A campaign of replays: the programs of order.c and order_calls.c on 2 and 8
# ranks, beside 0 and 4 programs that take processors all the time, recorded as
# an order and as events. REPLAYS= is how many, SEED= which: a seed determines the
# runs, not their orders.
# In make check-all only: make check has each kind of program in order.sh.
# Truth: the output of the recorded run.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
: "${REPLAYS:=100}" "${SEED:=1}"
echo "# seed $SEED"
RANDOM=$SEED
. "$here/order.bash"

programs=()
for kind in $order_kinds; do programs+=("order $kind"); done
for kind in $(./order_calls list); do programs+=("order_calls $kind"); done

busy=()
stop_busy() { [ ${#busy[@]} = 0 ] || kill "${busy[@]}" 2>/dev/null; busy=(); }
later stop_busy
start_busy()
{
	for _ in 1 2 3 4; do
		while :; do :; done &
		busy+=($!)
	done
}

# run_once NAME SETTINGS: the program on those ranks
run_once()
{
	run "$1" timeout 120 mpirun -np "$ranks" taperun $2 -o "$1.tape" \
		./$program $rounds
}

# Each record is replayed four times.
n=0 different=0 n_records=0
while [ "$n" -lt "$REPLAYS" ]; do
	program=${programs[RANDOM % ${#programs[@]}]}
	ranks=$((RANDOM % 2 ? 2 : 8)) settings= rounds=4
	[ $((RANDOM % 2)) = 0 ] || settings="-s record=order"
	[ "$program" != "order_calls free" ] || settings="-s record=order"
	stop_busy
	load=0
	[ $((RANDOM % 2)) = 0 ] || { start_busy; load=4; }
	run_once first "$settings"
	n_records=$((n_records + 1))
	for ((i = 0; i < 4 && n < REPLAYS; i++)); do
		run_once again "-s replay=first.tape"
		n=$((n + 1))
		if ! cmp -s first.out again.out || ! grep -q '^0$' again.rc ||
			grep -q '^tape' first.err again.err; then
			different=$((different + 1))
			echo "# $program, $ranks ranks, $load busy [$settings]:"
			diff first.out again.out | head -n 4 | sed 's/^/#   /'
			cat first.err again.rc again.err | head -n 4 |
				sed 's/^/#   /'
		fi
		rm -rf again.tape
	done
	rm -rf first.tape
done
echo "# $n replays of $n_records records, $different differ"
ok "replays have the recorded output" equal "$different" 0
finish
