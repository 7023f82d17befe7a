#!/bin/bash
# stream = node: a trace that is consumed while it is written (here by
# tests/rigs/consume, which keeps a copy) stays small, has what files would have,
# and does not hold up a program for whom nobody consumes.
# Truth: the program alone; a copy of what was consumed.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
build streamed streamed.c
consume=$TAPE_BUILD/rig/consume
rounds=100000 # 2 MB of each rank
spool=$(mktemp -d /dev/shm/tape-e2e.XXXXXX) || spool=$work/spool
later rm -rf "$spool"


# consumed NAME "OPTIONS of consume" SETTINGS... -- PROGRAM ARGUMENTS...: left are
# NAME.rc/out/err, what consume printed, and the copy NAME.tape
consumed()
{
	local name=$1 options=$2 settings=() pid

	shift 2
	while [ $# -gt 0 ]; do
		[ "$1" = -- ] && { shift; break; }
		settings+=(-s "$1")
		shift
	done
	mkdir "$spool/$name"
	$consume $options "$spool/$name/x.tape" "$name.tape" \
		>"$name.consumed" 2>&1 &
	pid=$!
	run "$name" timeout 300 mpirun -np 2 taperun -s stream=node \
		"${settings[@]}" -o "$spool/$name/x" "$@"
	: >"$spool/$name/over"
	wait $pid
	echo $? >"$name.consumed.rc"
	du -sk "$spool/$name" | cut -f1 >"$name.left"
	rm -rf "$spool/$name"
}

# plain NAME PROGRAM...: without Tape
plain()
{
	local name=$1

	shift
	run "$name" timeout 300 mpirun -np 2 "$@"
	sort -o "$name.out" "$name.out"
}

# as_plain NAME PLAIN: what it printed, and how it ended
as_plain()
{
	equal "$(cat "$1.rc"; sort "$1.out")" "$(cat "$2.rc" "$2.out")"
}

# counts TRACE: rank, call and how many; what comes and goes with the time left
# out
counts()
{
	tapedump "$1" 2>/dev/null | awk '
		$1 == "flow" { rank = $2 }
		$3 ~ /^(MPI_|enter$|leave$|on$|off$)/ { n[rank " " $3]++ }
		$1 == "end" { print rank, "end", $2, $3 }
		END { for (k in n) print k, n[k] }' | sort
}

# most NAME: the most that was allocated for a flow
most() { awk '$1 == "chunks" { print $4 }' "$1.consumed"; }

# ---- consumed: as files, and small ----

plain rounds.plain ./streamed rounds $rounds
run files timeout 300 mpirun -np 2 taperun -s alpha=calibrated -o files \
	./streamed.linked rounds $rounds
consumed rounds "-p 2" stream_bytes=800000 alpha=calibrated -- ./streamed.linked rounds $rounds
ok "a slow consumer: the program is as alone" as_plain rounds rounds.plain
ok "nothing is said" equal "$(grep -c 'tape:' rounds.err)" 0
ok "what was consumed is what files have" equal "$(counts rounds.tape)" \
	"$(counts files.tape)"
ok "a flow of $(du -sk files.tape | cut -f1) KiB never had more than asked for" \
	[ "$(most rounds)" -le 800000 ]
ok "and in the end next to nothing is left" [ "$(cat rounds.left)" -lt 512 ]
# the time in which it was held back is nobody's work: it is an event's alpha
ok "waiting is in alpha" awk '
	match($0, /alpha=[0-9]+:[0-9]+/) {
		split(substr($0, RSTART + 6, RLENGTH - 6), a, ":")
		if (a[2] > most) most = a[2]
	}
	/tick_hz/ { hz = $2 }
	END { print most, hz; exit !(most > hz / 1000) }' \
	<(tapedump rounds.tape)
consumed small "-p 1" stream_bytes=196608 -- ./streamed requests 20000
ok "the smallest buffer: no more than that" [ "$(most small)" -le 196608 ]
ok "and the program is as alone" equal "$(cat small.rc)" 0
run requests timeout 300 mpirun -np 2 taperun -o requests ./streamed \
	requests 20000
ok "requests are complete" equal "$(counts small.tape)" \
	"$(counts requests.tape)"

# ---- who waits for whom ----

plain alone.plain ./streamed alone 200000
consumed alone -l stream_bytes=400000 -- ./streamed alone 200000
ok "an analyser that waits for another rank says so: nobody is held back" \
	as_plain alone alone.plain
mkdir "$spool/stuck"
$consume -n "$spool/stuck/x.tape" stuck.tape >stuck.consumed 2>&1 &
pid=$!
run stuck timeout 10 mpirun -np 2 taperun -s stream=node \
	-s stream_bytes=400000 -o "$spool/stuck/x" ./streamed alone 200000
: >"$spool/stuck/over"
wait $pid
ok "one that does not say it would be waited for, for ever" equal \
	"$(cat stuck.rc)" 124
rm -rf "$spool/stuck"

# ---- nobody consumes ----

# killed NAME SETTING...: the analyser is, as soon as the program is held back
killed()
{
	local name=$1 pid f tries=0

	shift
	mkdir "$spool/$name"
	$consume -H "$spool/$name/x.tape" nothing.tape >/dev/null 2>&1 &
	pid=$!
	(
		until [ "$(stat -c %b "$spool/$name/x.tape/flow.0.0" \
			2>/dev/null || echo 0)" -ge 600 ] ||
			[ $((++tries)) -gt 1000 ]; do
			sleep 0.05
		done
		kill -9 $pid
	) &
	run "$name" timeout 300 mpirun -np 2 taperun -s stream=node \
		-s alpha=calibrated -s stream_bytes=400000 "$@" \
		-o "$spool/$name/x" ./streamed.linked rounds $rounds
	wait 2>/dev/null
	mv "$spool/$name/x.tape" "$name.tape"
	rm -rf "$spool/$name"
}
killed files.lost
ok "analyser killed: the program goes on, as alone" as_plain files.lost \
	rounds.plain
ok "it says so once" equal "$(grep 'tape:' files.lost.err | sed 's/ .*x.tape//')" \
	"tape: is no longer consumed: the analyser has exited; the trace is now written without a size limit"
ok "and all of it is in the files" equal "$(counts files.lost.tape)" \
	"$(counts files.tape)"
killed stop.lost -s stream_lost=stop
ok "stream_lost = stop: the program goes on, as alone" as_plain stop.lost \
	rounds.plain
ok "each rank says how far its trace goes" equal "$(grep -c \
	'tracing stopped after [0-9]* events because no analyser consumes the stream any more' \
	stop.lost.err)" 2
ok "and what it has is whole" equal "$(tapedump stop.lost.tape 2>&1 >/dev/null |
	grep -c 'stops early')" 2
ok "an analyser that never came: as alone, one line" \
	eval 'run never timeout 300 mpirun -np 2 taperun -s stream=node \
		-s stream_bytes=400000 -o "$spool/never" ./streamed.linked rounds $rounds &&
	as_plain never rounds.plain &&
	equal "$(grep -c "tape:.* is not consumed: no analyser has started" \
		never.err)" 1'
ok "and the files have it all" equal "$(counts "$spool/never.tape" |
	grep -v ' end ')" "$(counts files.tape | grep -v ' end ')"
rm -rf "$spool"/never*

# ---- dropping ----

# sums FILE: events of the trace and of the gaps, of each rank
sums()
{
	tapedump "$1" 2>/dev/null | awk '
		$1 == "flow" { rank = $2 }
		$3 ~ /^(MPI_|enter$|leave$)/ { n++ }
		$1 == "end" { print rank, n + $3; n = 0 }
	' | sort
}
all_of() { counts "$1" | awk '$2 != "end" { n[$1] += $3 }
	END { for (r in n) print r, n[r] }' | sort; }
consumed drop -H stream_full=drop stream_bytes=400000 alpha=calibrated -- \
	./streamed.linked rounds $rounds
ok "drop: the program is as alone" as_plain drop rounds.plain
ok "dropped and recorded are all events of the program" equal \
	"$(sums drop.tape)" "$(all_of files.tape)"
ok "each rank says how many" equal "$(grep -cE \
	'tape: rank [01]: stream full: [0-9]+ events dropped' \
	drop.err)" 2
tapedump drop.tape >drop.text 2>drop.said
ok "so does the reader" equal "$(grep -c 'events are missing' drop.said)" 2
ok "a mark says where" equal "$(grep -c ' off ;' drop.text)" 2
consumed gaps "-p 60" stream_full=drop stream_bytes=400000 alpha=calibrated -- \
	./streamed.linked rounds $rounds
ok "the same where there is room again" equal "$(sums gaps.tape)" \
	"$(all_of files.tape)"
consumed gone "-p 40" stream_full=drop stream_bytes=196608 -- ./streamed \
	requests 20000
run gone.files timeout 300 mpirun -np 2 taperun -o gone.files ./streamed \
	requests 20000
ok "drop: requests that are older than a gap" equal "$(sums gone.tape)" \
	"$(all_of gone.files.tape)"
for tool in tapestat "tapedump -j" "sba -o gone.sba.tape"; do
	run tool timeout 300 $tool gone.tape
	ok "${tool%% *}: takes a trace with gaps" equal "$(cat tool.rc)" 0
done

# ---- accidents ----

if mkdir "$work/small" && mount -t tmpfs -o size=2m none "$work/small" \
	2>/dev/null; then
	later umount "$work/small"
	run full timeout 300 mpirun -np 2 taperun -s stream=node \
		-o "$work/small/x" ./streamed rounds $rounds
	ok "the tmpfs is full: as alone" as_plain full rounds.plain
	ok "and that is said" holds "because the disk is full|No space left" full.err
else
	skip "the tmpfs is full" "needs the right to mount one"
fi
for s in stream=nothing stream_bytes=100 stream_full=x stream_lost=; do
	run wrong taperun -s $s ./streamed rounds 1
	ok "$s: one sentence" equal "$(cat wrong.rc; wc -l <wrong.err)" "2
1"
done
finish
