#!/bin/bash
# The setting max_rate (rates.c): as many events are recorded a second, of call
# sites and of regions; all remaining calls are counted; what becomes rare is
# recorded again; of two threads the one that has more than its part is counted.
# Truth: the program's own count and time of calls.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
mpicc -O1 -g -w -pthread -I"$TAPE_TOP/runtime" -o rates "$here/rates.c" \
	-L"$TAPE_BUILD/lib" -Wl,-rpath,"$TAPE_BUILD/lib" "-l$tracer" ||
	{ echo "Bail out! rates.c does not compile"; exit 1; }

# go NAME RATE ARGUMENT...: $ended is empty for a run that is killed
ended=yes
go()
{
	rm -rf "$1.tape"
	run "$1" env TAPE_TRACE="$1" TAPE_MAX_RATE="$2" timeout 100 \
		mpirun -np 1 ./rates "${@:3}"
	tapedump "$1.tape" >"$1.dump" 2>"$1.err2"
	[ -z "$ended" ] || ok "$1 $2 ${*:3}: it runs" equal \
		"$(cat "$1.rc" "$1.err" "$1.err2")" 0
}
# recorded NAME WORD; counted NAME PLACE, by the list of tapedump
recorded() { awk -v w="$2" '$3 == w { n++ } END { print n + 0 }' "$1.dump"; }
counted()
{
	tapedump -i "$1.tape" 2>/dev/null | awk -v w="$2" '
		/^only counted/ { on = 1 }
		on && ($5 == w || $5 " " $6 == w) { n += $1 }
		END { print n + 0 }'
}
# all NAME: recorded or counted is whatever was made
all()
{
	local ms type rank size

	read -r ms type rank size <"$1.out"
	equal "$(($(recorded "$1" MPI_Type_size) + $(counted "$1" MPI_Type_size)))" "$type" &&
	equal "$(($(recorded "$1" MPI_Comm_rank) + $(counted "$1" MPI_Comm_rank)))" "$rank" &&
	equal "$(($(recorded "$1" MPI_Comm_size) + $(counted "$1" MPI_Comm_size)))" "$size"
}
# holds_rate NAME RATE: events for the time that the run took, and for a second
# and a half more at most, which may have been saved before, and borrowed
holds_rate()
{
	local ms n

	read -r ms _ <"$1.out"
	n=$(awk '$3 ~ /^MPI_/ || $3 == "enter" || $3 == "leave" { n++ }
		END { print n + 0 }' "$1.dump")
	echo "$n events in $ms ms"
	[ "$n" -le $(($2 * (ms + 1500) / 1000 + 200)) ] &&
		[ "$n" -ge $(($2 * ms / 2500)) ]
}
for rate in 1000 10000 100000; do
	go hot $rate hot 2
	ok "$rate events/s: that many are recorded" holds_rate hot $rate
	ok "$rate events/s: all others are counted" all hot
	go marks $rate marks 1
	ok "$rate marks/s: that many are recorded" holds_rate marks $rate
	ok "$rate marks/s: all others are counted" equal \
		"$(($(recorded marks enter) + $(counted marks 'region often')))" \
		"$(cut -d' ' -f2 marks.out)"
done
ended='' go killed 1000 hot 1 0 x
ok "a run without an end: all is recorded or counted" all killed

go rare 1000 rare 1 60
ok "what becomes rare: all is recorded or counted" all rare
# of the last events of the flow; the sooner, the less busy the machine is
tail -n 140 rare.dump >last
ok "  and it is recorded again" test \
	"$(grep -c MPI_Type_size last)" -ge 20 -a "$(grep -c MPI_Comm_rank last)" -ge 20

# what they took lies between what is measured within them and around them
go took 1000 took 2
timed()
{
	local ms within around

	read -r ms _ within around <"$1.out"
	tapedump -i "$1.tape" 2>/dev/null | awk -v within="$within" -v around="$around" '
		/^ *[0-9]+ +[0-9]+ +[0-9.]+ +MPI_Reduce_local / && !on { sum += $3 }
		/^only counted/ { on = 1 }
		on && $5 == "MPI_Reduce_local" { calls = $1; sum += $4 }
		END {
			print calls, "counted;", within, sum * 1e9, around
			exit !(calls > 1000 && sum * 1e9 > 0.999 * within &&
				sum * 1e9 < 1.001 * around)
		}'
}
ok "the time of counted calls is known" timed took
tapestat took.tape >took.stat 2>&1
ok "tapestat says it" holds \
	'^Not recorded: .* only counted; those of call sites took [0-9.]+ m?s of the ranks' took.stat

go threads 3000 threads 700
ok "two threads: all is recorded or counted" all threads
ok "two threads: the slow one is recorded in full" \
	equal "$(recorded threads MPI_Comm_rank)" 700
ok "two threads: the limit holds" holds_rate threads 3000
finish
