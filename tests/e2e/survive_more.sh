#!/bin/bash
# Accidents that reach into the tracer itself: the process dies while MPI_Init
# measures, control leaves a call for good, the process is copied, files shrink,
# stacks are small. The program ends as it does without Tape, and every call
# that it made is in the trace or is said to be missing (survive_more.c counts
# them).
# Truth: the program without Tape; its own count of calls.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
program()
{
	mpicc -O1 -g -w -rdynamic -o "$1" "$here/$1.c" -ldl -lpthread && return
	echo "Bail out! $1.c does not compile"
	exit 1
}
program survive_more
program survive_stack

count() { od -An -tu8 "$1" | tr -d ' '; }

# pair MODE ARGUMENT...: without Tape and with it
pair()
{
	local mode=$1

	shift
	run "$mode.plain" mpirun -np 1 ./survive_more "$mode" "$mode.plain.n" "$@"
	run "$mode" mpirun -np 1 taperun -s window=1 -o "$mode.tape" \
		./survive_more "$mode" "$mode.n" "$@"
}
as_before() { alike "$1.plain" "$1" && lacks '^tape: ' "$1.err"; }
# whole MODE: what was counted is there, and nothing else
whole()
{
	equal "$(events "$1.tape" 0) $(end_of "$1.tape" 0)" \
		"$(count "$1.n.0") finalize 0"
}
# both MODE: all of that
both() { equal "$(cat "$1.rc")" 0 && as_before "$1" && whole "$1"; }

# ---- the process dies while MPI_Init measures its costs ----

dies()
{
	local at

	for at in 1 2 3 10 20 33 40 50 60; do
		rm -rf dies.tape
		run dies env KILL_AT=$at mpirun -np 1 taperun -o dies.tape \
			./survive_more plain dies.n 10
		[ "$(cat dies.rc)" != 0 ] || { echo "$at: not killed"; return 1; }
		[ -d dies.tape ] || continue
		run dump tapedump dies.tape
		lacks 'undefined|damaged|call site' dump.err || return
		equal "$at: $(events dies.tape 0)" "$at: 0" || return
	done
}
ok "killed while MPI_Init measures: no event of that is in the trace" dies

# ---- control leaves a call ----

pair left
ok "longjmp out of an error handler: all later calls are there" both left
pair inside
ok "longjmp within an error handler: what it calls is not the program's" \
	both inside
pair stack
ok "handlers on other stacks: what they call is not the program's" both stack
pair coroutine
ok "longjmp in a coroutine: all later calls are there" both coroutine
if "mpicxx.$MPI" -O1 -g -w -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX -o survive_throw \
	"$here/survive_throw.cpp"; then
	run throw.plain mpirun -np 1 ./survive_throw 1000
	run throw mpirun -np 1 taperun -o throw.tape ./survive_throw 1000
	ok "exceptions out of an error handler: as without Tape" as_before throw
	ok "exceptions: all later calls are there" equal \
		"$(events throw.tape 0 MPI_Barrier) $(
		events throw.tape 0 MPI_Send) $(
		events throw.tape 0 MPI_Type_size)" "1000 10 0"
else
	ok "survive_throw.cpp compiles" false
fi

# ---- copies of the process ----

pair fork 1000
ok "children that nobody announced: only the parent's calls are there" both fork
daemon()
{
	rm -rf daemon.tape daemon.n.*
	# cat ends when the last who could write to it has: that is the daemon
	taperun -o daemon.tape ./survive_more daemon daemon.n 5000 \
		2>daemon.err </dev/null | cat >daemon.out
	[ "${PIPESTATUS[0]}" -eq 0 ] && [ -e daemon.n.done ] || return
	holds '^tape: rank 0: the traced process exited; tracing continues' \
		daemon.err || return
	local missing=$(sed -n 's/.* of it, \([0-9]*\) of .*/\1/p' daemon.err)
	holds '^note goes-on-in-process' daemon.tape/rank.0 &&
		equal "$(end_of daemon.tape 0)" "exit 0" &&
		equal $(($(events daemon.tape 0) + missing)) \
			"$(count daemon.n.0)"
}
ok "daemon(): the trace goes on with the child" daemon

# ---- files that shrink ----

# lost MODE FLOWS: said of each, and the program goes on
lost()
{
	alike "$1.plain" "$1" &&
		equal "$(grep -c '^tape: rank 0: tracing stopped after .* because the trace file was truncated or its disk is full' "$1.err")" "$2" &&
		equal "$(grep -c '^tape: ' "$1.err")" "$2"
}
pair cut "$work/cut.tape" 60000
ok "a flow that somebody cuts: one line, the program lives on" lost cut 1
pair threads "$work/threads.tape"
ok "the flows of threads at work: the same for each" lost threads 3
pair handler "$work/handler.tape" 60000
ok "the program's own handler of SIGBUS, asked for and called as ever" \
	lost handler 1
for how in 0 1; do
	pair death "$work/death.tape" $how
	ok "a SIGBUS of its own, $how: the program dies of it as ever" \
		equal "$(cat death.rc)" "$(cat death.plain.rc)"
	rm -rf death.tape
done
disk="a full disk that copies on write"
if command -v mkfs.btrfs >/dev/null && mkdir -p disk &&
	truncate -s 128m btrfs.img && mkfs.btrfs -q -M btrfs.img &&
	mount -o loop btrfs.img disk 2>/dev/null; then
	later umount disk
	later cd "$work"
	on_full()
	{
		run full.plain mpirun -np 1 ./survive_more plain full.plain.n 300000
		mpirun -np 1 taperun -s window=1 -o disk/full.tape \
			./survive_more plain full.n 300000 >full.out \
			2>full.err </dev/null &
		sleep 1
		dd if=/dev/zero of=disk/fill bs=64k status=none 2>/dev/null
		wait $!
		equal $? 0 && same_output full.plain full
	}
	ok "$disk: the program lives on" on_full
else
	skip "$disk" "root cannot make and mount a btrfs here"
fi

# ---- interrupted, refused ----

mkdir -p ram
if mount -t tmpfs -o size=64m tape-e2e ram 2>/dev/null; then
	later umount ram
	later cd "$work"
	run interrupted mpirun -np 1 taperun -s window=8 -o ram/i.tape \
		./survive_more interrupted interrupted.n 600000
	ok "a timer that interrupts every call of the system: all is there" \
		equal "$(cat interrupted.rc) $(events ram/i.tape 0)" \
		"0 $(count interrupted.n.0)"
else
	skip "a timer that interrupts" "root cannot mount a tmpfs here"
fi
# UCX, beneath MPICH, does not live below that limit of files
if [ "$MPI" != mpich ]; then
	pair refused
	refused()
	{
		local n=$(sed -n 's/.*; \([0-9]*\) later.*/\1/p' refused.err)

		alike refused.plain refused &&
			equal $(($(events refused.tape 0) + n)) \
				"$(count refused.n.0)"
	}
	ok "a definition that is refused: the call is counted as missing" refused
fi
pair thread "$work/thread.tape"
ok "a thread that cannot be traced: said, and noted in the trace" \
	holds '^note thread-[0-9]*-is-not-traced' thread.tape/rank.0

# ---- small stacks ----

run deep.plain mpirun -np 1 ./survive_stack deep.plain.n
run deep mpirun -np 1 taperun -s window=1 -o deep.tape ./survive_stack deep.n
shallow()
{
	equal "$(cat deep.rc)" 0 && as_before deep &&
		join deep.plain.n deep.n | awk '
			$3 - $2 > 1024 { print $1, $2, "without,", $3; bad = 1 }
			END { exit bad || NR != 7 }'
}
join_sorted() { sort -o deep.plain.n deep.plain.n; sort -o deep.n deep.n; }
join_sorted
ok "small stacks: first uses take less than 1 KiB more of them" shallow
finish
