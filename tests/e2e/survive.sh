#!/bin/bash
# Accidents: of the program, of the disk, of the user. The program ends as it
# does without Tape, and every call that it made is in the trace or is said to
# be missing (survive.c counts them where no accident reaches).
# Truth: the program without Tape; its own count of calls.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
build survive survive.c
chmod 755 "$work"

count() { od -An -tu8 "$1" | tr -d ' '; }

# Hydra kills the other ranks when one ends without MPI_Finalize; its status and
# theirs then depend on who was quicker. Where all end by themselves it is to
# wait for them.
patient=()

# pair NAME RANKS MODE ARGUMENT...: survive, without Tape and with it; the
# counts are in NAME.plain.n and NAME.n. broken_off: of a job that is.
pair() { twice "" "$@"; }
broken_off() { twice "$heard" "$@"; }
twice()
{
	local by=$1 name=$2 ranks=$3 mode=$4

	shift 4
	run "$name.plain" mpirun "${patient[@]}" -np "$ranks" \
		${by:+"$by" "$name.plain"} \
		./survive "$mode" "$name.plain.n" "$@" &
	# at once: mpirun takes seconds to end a job that was broken off
	run "$name" mpirun "${patient[@]}" -np "$ranks" \
		taperun -s window=1 -o "$name.tape" ${by:+"$by" "$name"} \
		./survive "$mode" "$name.n" "$@"
	wait
}

# What mpirun says of a job that was broken off depends on who was first: the
# status, the output and the signal that the process itself reports have to be
# the same, and Tape to be silent.
ended_alike()
{
	equal "$(cat "$1.rc")" "$(cat "$1.plain.rc")" &&
		[ -s "$1.said" ] &&
		same <(sort "$1.plain.said") <(sort "$1.said") &&
		lacks '^tape: ' "$1.told" && lacks '^tape: ' "$1.err" &&
		same <(verdict "$1.plain.told") <(verdict "$1.told")
}
verdict()
{
	grep -oE 'Signal: .*' "$1" | sort -u
}
as_before()
{
	alike "$1.plain" "$1" && lacks '^tape: ' "$1.err"
}

# whole NAME RANK END [AHEAD]: the trace holds what the rank counted; a call
# may have been recorded and not yet counted, if it was killed in between
whole()
{
	local there counted

	counted=$(count "$1.n.$2")
	there=$(events "$1.tape" "$2")
	equal "$(end_of "$1.tape" "$2")" "$3 0" || return
	[ "$counted" -gt 100 ] && [ "$there" -ge "$counted" ] &&
		[ "$there" -le $((counted + ${4:-0})) ] ||
		{ echo "rank $2: $there in the trace, $counted made"; false; }
}

# ---- the end of a process ----

broken_off kill 2 kill 9 40000
ok "kill -9 of one rank: ends as without Tape" ended_alike kill
ok "kill -9: every call up to it is there" whole kill 1 none
ok "kill -9: those of the rank that mpirun ended" whole kill 0 none 1
tools()
{
	run sba sba -o "$1.sba.tape" "$1.tape"
	run tico tico -o "$1.tico.tape" "$1.sba.tape"
	equal "$(cat sba.rc tico.rc | paste -sd' ')" "0 0"
}
ok "kill -9: sba and tico take what is there" tools kill
broken_off poll 2 poll
ok "kill -9 while it polls: ends as without Tape" ended_alike poll
ok "kill -9 while it polls: the polls are there" whole poll 1 none
broken_off term 2 kill 15 10
ok "SIGTERM: ends as without Tape" ended_alike term
ok "SIGTERM: every call is there" whole term 1 none
broken_off segv 2 segv 0
ok "SIGSEGV: ends as without Tape" ended_alike segv
ok "SIGSEGV: every call is there" whole segv 1 none

# From outside, wherever it strikes.
killed_anywhere()
{
	local pid i

	mpirun -np 2 taperun -s window=1 -o anywhere.tape ./survive endless \
		anywhere.n >/dev/null 2>&1 </dev/null &
	for ((i = 0; i < 2000; i++)); do
		[ -s anywhere.n.pid.0 ] && [ -s anywhere.n.pid.1 ] &&
			[ "$(count anywhere.n.1)" -gt 40000 ] && break
		sleep 0.1
	done
	pid=$(cat anywhere.n.pid.1) && kill -9 "$pid"
	wait
	whole anywhere 1 none 1 && whole anywhere 0 none 1
}
ok "kill -9 from outside: every call is there" killed_anywhere

broken_off abort 2 abort 5
ok "MPI_Abort: ends as without Tape" ended_alike abort
ok "MPI_Abort: every call is there" whole abort 1 abort
[ "$MPI" = mpich ] && patient=(-disable-auto-cleanup)
broken_off exit 2 exit 3
ok "exit without MPI_Finalize: ends as without Tape" ended_alike exit
ok "exit without MPI_Finalize: every call is there" whole exit 1 exit
broken_off _exit 2 _exit 3
ok "_exit: ends as without Tape" ended_alike _exit
ok "_exit: every call is there" whole _exit 1 none
broken_off handler 2 handler
ok "exit in a signal handler: ends as without Tape" ended_alike handler
ok "exit in a signal handler: every call is there" whole handler 1 exit
patient=()

# ---- what programs do ----

# whose lines come first is open
in_any_order() { for f; do sort -o "$f.out" "$f.out"; done; }

pair fork 2 fork 2000
in_any_order fork fork.plain
ok "children that exit, exec and die: as without Tape" as_before fork
ok "children: only the parent's calls are there" \
	whole fork 0 finalize
ok "children: on the other rank as well" whole fork 1 finalize
# UCX, beneath MPICH, does not live on after it, nor below that limit of files
if [ "$MPI" != mpich ]; then
	pair jump 2 jump
	in_any_order jump jump.plain
	ok "calls left by longjmp: as without Tape" as_before jump
	# the calls that were left may be in the trace or not: four at most
	ok "calls left by longjmp: those that ended are there" \
		whole jump 1 finalize 4
fi
pair close 2 close 40000
in_any_order close close.plain
ok "all files closed, the numbers used again: as without Tape" as_before close
ok "all files closed: every call is there" whole close 1 finalize
moved() { [ "$(stat -c %s close.tape/flow.1.0)" -gt $((1 << 20)) ]; }
ok "all files closed: the window moved afterwards" moved
mkdir elsewhere
pair chdir 2 chdir elsewhere 40000
ok "chdir after MPI_Init: as without Tape" as_before chdir
ok "chdir after MPI_Init: the trace stays where it was" whole chdir 1 finalize
run rel env TAPE_TRACE=rel TAPE_WINDOW=1 \
	mpirun -np 2 ./survive.linked chdir rel.n elsewhere 40000
ok "chdir after MPI_Init, a relative name: there as well" whole rel 1 finalize
export CHDIR_FIRST=elsewhere
pair first 2 plain 100
run here mpirun -np 2 taperun ./survive plain here.n 10
unset CHDIR_FIRST
mv elsewhere/*.n.* .
ok "chdir before MPI_Init: as without Tape" as_before first
ok "chdir before MPI_Init: -o is where the user was" whole first 1 finalize
ok "chdir before MPI_Init: without -o where the program is" \
	equal "$(ls -d survive*.tape elsewhere/*.tape 2>/dev/null)" \
	elsewhere/survive.tape

# ---- standard streams ----

pair silent 2 silent 40000
ok "its own files on 1 and 2: as without Tape" as_before silent
ok "its own files on 1 and 2: every call is there" whole silent 1 finalize
# max_size is reached: there is something to say, and nobody to hear it
short="-s window=1 -s max_size=1"
run own mpirun -np 2 taperun $short -o own.tape \
	./survive silent own.n 40000
ok "its own file on 2, something to say: the file is untouched" \
	equal "$(cat own.rc) $(cat own.n.two.0 own.n.two.1)" "0 twotwo"
closed() { sh -c 'exec "$@" >&- 2>&-' sh "$@"; }
export -f closed
run nofd.plain mpirun -np 2 bash -c 'closed ./survive plain nofd.plain.n 40000'
run nofd mpirun -np 2 bash -c \
	"closed taperun $short -o nofd.tape ./survive plain nofd.n 40000"
ok "no standard output and error at all: as without Tape" as_before nofd
# the number is MPI's by now
ok "no standard error, something to say: it is not sent to a stranger" \
	equal "$(count nofd.n.0) $(end_of nofd.tape 0 | cut -d' ' -f1)" \
	"$(count nofd.plain.n.0) limit"
run first mpirun -np 1 bash -c "OWN_FIRST=own.first closed \
	taperun $short -o ownfirst.tape ./survive limit first.n 10000000 40000"
ok "its own file on 2 before MPI_Init, something to say: untouched" \
	equal "$(cat first.rc) $(stat -c %s own.first) $(
		end_of ownfirst.tape 0 | cut -d' ' -f1)" "0 0 limit"
pair pipe 1 pipe 1000
run pipe mpirun -np 1 taperun $short -o pipe.short.tape \
	./survive pipe pipe.n 40000
ok "a broken pipe as standard error, something to say: it lives on" \
	equal "$(cat pipe.rc pipe.plain.rc | paste -sd' ')" "0 0"

# ---- the disk ----

# stopped NAME REASON RANK...: one line for each rank, which says how much is
# there and how much is missing; together they are all
stopped()
{
	local name=$1 reason=$2 r line n lost

	shift 2
	alike "$name.plain" "$name" &&
		equal "$(grep -c '^tape: ' "$name.err")" $# || return
	for r; do
		line=$(grep -E "^tape: rank $r: tracing stopped .* because $reason; .* are not in $work/.*$name.tape\$" \
			"$name.err")
		n=$(sed 's/.* after \([0-9]*\) events.*/\1/' <<<"$line")
		lost=$(sed 's/.*; \([0-9]*\) later.*/\1/' <<<"$line")
		# a run of failed tests is one event
		equal "$(($(events "$(trace_of "$name")" "$r") + lost)) $n" \
			"$(count "$name.n.$r") $(tapedump -i \
				"$(trace_of "$name")" 2>/dev/null |
				awk -v r="$r" '$1 == r && $2 == 0 { print $3 }')" ||
			return
	done
}
trace_of() { if [ -d "disk/$1.tape" ]; then echo "disk/$1.tape"; else echo "$1.tape"; fi; }

pair limit 2 limit 1500000 60000
ok "file size limit: one line, the program lives on" \
	stopped limit "the disk is full" 0 1
not_traced()
{
	alike "$1.plain" "$1" && equal "$(cat "$1.rc")" 0 &&
		equal "$(grep -c '^tape: ' "$1.err")" "$3" &&
		holds "^tape: .*not traced.*$2|^tape: .*$2.*not traced" "$1.err"
}
if [ "$MPI" != mpich ]; then
	limited='ulimit -f $1; shift; exec "$@"'
	run ulimit.plain mpirun -np 1 bash -c "$limited" sh 500 \
		./survive plain ulimit.plain.n 100
	run ulimit mpirun -np 1 bash -c "$limited" sh 500 taperun -o ulimit.tape \
		./survive plain ulimit.n 100
	ok "ulimit -f below the window: one line, not traced" \
		not_traced ulimit "cannot allocate space in .*: File too large" 1
fi

disk="a full disk"
mkdir disk
if mount -t tmpfs -o size=4m tape-e2e disk 2>/dev/null; then
	later umount disk
	later cd "$work"
	pair_on_disk()
	{
		run "$1.plain" mpirun -np 2 ./survive plain "$1.plain.n" "$2"
		run "$1" mpirun -np 2 taperun -s window=1 -o "disk/$1.tape" \
			./survive plain "$1.n" "$2"
	}
	pair_on_disk full 60000
	ok "$disk: one line for each rank, the program lives on" \
		stopped full "the disk is full" 0 1
	full_tools()
	{
		run fsba sba -o fullsba.tape disk/full.tape
		run ftico tico -o fulltico.tape fullsba.tape
		equal "$(cat fsba.rc ftico.rc | paste -sd' ')" "0 0"
	}
	ok "$disk: sba and tico take what is there" full_tools
	sba_full()
	{
		head -c 8m /dev/zero >disk/fill 2>/dev/null
		run sfull sba -o disk/sba.tape max.tape
		equal "$(cat sfull.rc) $(ls disk | grep -c sba)" "1 0" &&
			holds '^sba: .*No space left' sfull.err
	}
	run max mpirun -np 2 taperun -o max.tape ./survive plain max.n 10
	ok "$disk: sba fails with a sentence and leaves nothing" sba_full
	rm -rf disk/full.tape
	head -c 8m /dev/zero >disk/fill 2>/dev/null
	pair_on_disk none 1000
	ok "$disk from the start: not traced, one line" \
		not_traced none "No space left on device" 1
	truncate -s 3300k disk/fill
	rm -rf disk/*.tape
	pair_on_disk little 1000
	ok "$disk, no room for a window: not traced" \
		not_traced little "cannot allocate space in .*No space left" 2
else
	skip "$disk" "root cannot mount a tmpfs here"
fi

# ---- directories ----

echo text >file
run way.plain mpirun -np 2 ./survive plain way.plain.n 100
run way mpirun -np 2 taperun -o file/x ./survive plain way.n 100
ok "a file in the way: one line, not traced" \
	not_traced way "cannot create $work/file/x.tape: Not a directory" 1
echo text >taken.tape
run taken mpirun -np 2 taperun -o taken ./survive plain taken.n 100
ok "a file of that name: the next name" \
	equal "$(cat taken.tape) $(end_of taken.2.tape 0)" "text finalize 0"

nobody()
{
	local me=$work/nobody

	mkdir -p "$me" && chown 65534:65534 "$me" &&
		setpriv --reuid 65534 --regid 65534 --clear-groups \
			env HOME="$me" TMPDIR="$me" OMPI_MCA_orte_tmpdir_base="$me" "$@"
}
if nobody true 2>/dev/null && nobody test -r "$TAPE_BUILD/lib/libtape-mpi.so"
then
	run user.plain nobody mpirun -np 2 ./survive plain nobody/p.n 100
	run user nobody mpirun -np 2 taperun ./survive plain nobody/u.n 100
	ok "no right to write there: one line, not traced" \
		not_traced user 'cannot create .*: Permission denied' 1
else
	skip "no right to write there" "root cannot become another user here"
fi

together()
{
	local i

	for i in 1 2 3; do
		mpirun -np 2 taperun -o shared ./survive plain "shared$i.n" \
			$((i * 100)) >"shared$i.out" 2>&1 </dev/null &
	done
	wait
	# whichever got which name, each is one whole run
	for i in shared.tape shared.2.tape shared.3.tape; do
		in_one "$i" || return
	done | sort | paste -sd' '
}
in_one()
{
	equal "$(end_of "$1" 0)$(end_of "$1" 1)" "finalize 0finalize 0" \
		>/dev/null && equal "$(events "$1" 0)" "$(events "$1" 1)" \
		>/dev/null && events "$1" 0
}
ok "three runs at once into one name: three whole traces" \
	equal "$(together)" "1204 1804 604"
finish
