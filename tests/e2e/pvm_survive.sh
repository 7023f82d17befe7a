#!/bin/bash
# Accidents of PVM programs: tasks that are killed, abort or never leave, a
# machine that is halted, hosts that are lost, deleted and added. What the
# program says and how it ends is as without Tape, what its tasks did up to then
# is in the trace, and the tools take that and say what is missing
# (pvm_survive.c counts the messages where no accident reaches).
# Truth: the program without Tape; its own count of messages.
. "$(dirname "$0")/pvm.bash"
need jq
if [ ! -e "$TAPE_BUILD/lib/libtape-pvm.so" ]; then
	skip "pvm_survive" "pvm Tape was built without it"
	finish
fi
compile survive pvm_survive.c
hosts=

# in_pvm NAME COMMAND...: in a directory NAME; out, err, rc, log of the tasks
in_pvm()
{
	local name=$1

	shift
	mkdir "$name"
	(
		cd "$name" || exit
		timeout 100 $hosts pvm_machine -l log "$@" >out 2>err </dev/null
		echo $? >rc
	)
}

# pair MODE: without Tape and with it
pair()
{
	in_pvm "$1.plain" ../survive "$1" 3 $rounds
	in_pvm "$1" taperun -s window=1 $clock -o x ../survive "$1" 3 $rounds
}
rounds=200 clock=

# ended_alike MODE STATUS [SAID]: SAID where Tape has to say something
ended_alike()
{
	local f

	for f in rc out err; do same "$1.plain/$f" "$1/$f" || return; done
	equal "$(cat "$1/rc")" "$2" || return
	[ "${3:-}" ] || lacks 'tape: ' "$1/log"
}

# whole MODE TASKS: what each task took is there, one at most that it could not
# count any more
whole()
{
	local f tid rank counted there n=0

	for f in "$1"/x.tape/rank.*; do
		rank=${f##*.} tid=$(sed -n 's/^tid //p' "$f") n=$((n + 1))
		counted=$(od -An -tu8 "$1/took.$tid" | tr -d ' ')
		there=$(tapedump -j "$1/x.tape" 2>/dev/null | jq -c "select(
			.rank == $rank and .call == \"pvm_recv\" and
			.comm != 0)" | wc -l)
		[ "$counted" -gt 0 ] && [ "$there" -ge "$counted" ] &&
			[ "$there" -le $((counted + 1)) ] || {
			echo "rank $rank: $there in the trace, $counted taken"
			return 1
		}
	done
	equal "$n" "$2"
}

# missing MODE PATTERN FLOWS UNMATCHED: tapedump says PATTERN of so many flows,
# tico that so many have no end, and both that so many sends have no receive
missing()
{
	local f

	(
		cd "$1" || exit
		run dump timeout 60 tapedump x.tape
		run sba timeout 60 sba -o g.tape x.tape
		run tico timeout 60 tico -o c.tape g.tape
		equal "$(cat dump.rc sba.rc tico.rc | paste -sd' ')" "0 0 0" &&
			equal "$(grep -c "$2" dump.err)" "$3" &&
			equal "$(number incomplete tico.out)" "$3" || exit
		for f in sba.out tico.out; do
			equal "$f $(number unmatched $f)" "$f $4" || exit
		done
	)
}
number()
{
	awk -v w="$1" '$1 == w && $2 ~ /^[0-9]+$/ && !n { n = $2 }
		END { print n + 0 }' "$2"
}

# accident MODE STATUS PATTERN FLOWS UNMATCHED [TASKS]
accident()
{
	pair "$1"
	ok "$1: ends as without Tape" ended_alike "$1" "$2"
	ok "$1: what each task did is there" whole "$1" "${6:-4}"
	ok "$1: the tools say what is missing" missing "$1" "$3" "$4" "$5"
}
killed='has no end record: the process was killed'

accident plain 4 "$killed" 0 0
accident kill 4 "$killed" 1 1
accident kill9 4 "$killed" 1 0
accident abort 4 "$killed" 1 0
accident silent 4 'ends before MPI_Finalize or pvm_exit' 3 0

# the machine goes, and all tasks with it; what was under way depends on when
pair halt
ok "halt: ends as without Tape" ended_alike halt 143
ok "halt: what each task did is there" whole halt 4
ok "halt: the tools say what is missing" missing halt "$killed" 4 \
	"$(tapedump --messages halt/x.tape 2>/dev/null | grep -c ^unreceived)"

# one task of four has no room any more
pair disk
ok "disk: ends as without Tape" ended_alike disk 4 said
ok "disk: one line, where the task's output goes" equal "$(grep -c \
	'tape: rank .: tracing stopped .* because the disk is full' \
	disk/log) $(grep -c 'tape: ' disk/log)" "1 1"
ok "disk: the tools say what is missing" missing disk \
	'stops early: the disk was full; [0-9]* events are missing' 1 \
	"$((rounds / 2 + 1))"

# the same of a disk that is really full, with the trace on it
mkdir disk.full
if mount -t tmpfs -o size=8m tape-e2e disk.full 2>/dev/null; then
	later umount disk.full
	later cd "$work"
	in_pvm full.plain ../survive full 3 $rounds
	ok "a full disk: it is full" [ "$(df --output=avail disk.full |
		tail -n 1)" -lt 4 ]
	rm disk.full/filler
	in_pvm full taperun -s window=1 -o ../disk.full/x ../survive full 3 \
		$rounds
	ln -s ../disk.full/x.tape full/x.tape
	ok "a full disk: ends as without Tape" ended_alike full 4 said
	ok "a full disk: one line, where the task's output goes" equal \
		"$(grep -c 'tape: rank .: tracing .* the disk is full' \
		full/log) $(grep -c 'tape: ' full/log)" "1 1"
	ok "a full disk: the tools say what is missing" missing full \
		'stops early: the disk was full; [0-9]* events are missing' 1 \
		"$((rounds / 2 + 1))"
else
	skip "a full disk" "root cannot mount a tmpfs here"
fi

hosts="$TAPE_TOP/tests/rigs/hosts.sh 0 100 -5 --"
clock="-s clock=monotonic_raw"
in_pvm three true
if [ "$(cat three/rc)" -ne 0 ]; then
	skip "three hosts" "root $(tail -n 1 three/err)"
else
	accident host 4 "$killed" 1 0
	ok "host: sba says which clock was not sampled at its end" \
		holds ' before(\+messages)? +host' host/sba.out
	accident change 4 "$killed" 2 2 5
fi
finish
