#!/bin/bash
# PVM programs of others, from Debian's packages, as they are: PVM's examples in
# C and Fortran, the timetables of tablix2, NetPIPE. What they print, what their
# tasks print and how they end is the same from run to run, once what differs
# without Tape is taken out; the second run is one under taperun, in which an
# independent counter has seen as many calls and bytes (tests/rigs/counter).
# Truth: the programs without Tape; calls counted by a library of its own.
# In make check-all only: programs of others.
. "$(dirname "$0")/pvm.bash"
PATH=$TAPE_BUILD/rig:$PATH

# What tasks are called differs from run to run, for PVM's own console takes
# numbers, too: t40003, 0x40003, 262147 on one host. Of PVM's log, what tasks
# printed: "[t80040000] DATE TIME [t40003] TEXT".
no_tids()
{
	sed -E 's/\bt4[0-9a-f]{4}\b/TID/g; s/(0x|\[)4[0-9a-f]{4}\b/\1TID/g
		s/\b262[12][0-9]{2}\b/TID/g'
}
said_by_tasks() { sed -nE 's/^\[t80040000\] [^[]*(\[t[0-9a-f]+\] )/\1/p' "$1"; }

# in_directory DIRECTORY DOOR COMMAND: the shell's command, in which $door is
# where taperun goes; leaves run.out, run.err, run.log, run.rc; standard input
# is $input
in_directory()
{
	cd "$1" || return
	door=$2 timeout 60 pvm_machine -l run.pvml sh -c "$3" \
		>run.out 2>run.err <<<"${input:-}"
	echo $? >run.rc
	said_by_tasks run.pvml >run.log
	rm run.pvml
	cd ..
}

# the_same NAME RUN RUN FILE...: status, the list of files, and what they hold
# once neutral_NAME has taken out what differs
the_same()
{
	local name=$1 a=$2 b=$3 file

	shift 3
	equal "$(cat "$b/run.rc") $(cat "$a/run.rc")" \
		"${status:-0} ${status:-0}" &&
		same <(ls "$a") <(ls "$b") || return
	for file in run.out run.err run.log "$@"; do
		same <(no_tids <"$a/$file" | "neutral_$name" "$file") \
			<(no_tids <"$b/$file" | "neutral_$name" "$file") ||
			return
	done
	# nothing was neutral to the point of being empty
	[ "$(cat "$a"/run.{out,err,log} | no_tids | "neutral_$name" run.out |
		wc -l)" -ge "${lines:-3}" ] || { echo "no output"; return 1; }
}

again() { in_directory "$1.second" "" "$2"; }

# traced NAME COMMAND: under taperun; all tasks are in the trace, at least
# $tasks, and the tools take it
traced()
{
	local name=$1

	in_directory "$name.second" \
		"taperun --library pvm -o ../$name count -p ../$name.counts" "$2"
	# what is started twice has two traces
	ok "$name: every call is in the trace, and every byte" \
		counted -a ${killed:+-k} "$name".*tape "$name.counts"
	ok "$name: its tasks are in the trace" [ \
		"$(ls "$name.tape"/flow.*.0 | wc -l)" -ge "${tasks:-2}" ]
	ok "$name: sba takes the trace" sba -o "$name.sba.tape" "$name.tape"
	ok "$name: tico takes it" tico -o "$name.tico.tape" "$name.sba.tape"
	ok "$name: tapedump takes it" tapedump "$name.tape"
}

# program NAME PATTERN COMMAND FILE...: PATTERN is what has to be said when it
# went well
program()
{
	local name=$1 pattern=$2 command=$3 binary=${3#*\$door }

	shift 3
	if ! command -v "${binary%% *}" >/dev/null; then
		skip "$name" "pvm ${binary%% *} is not installed"
		return
	fi
	mkdir -p "$name"
	cp -rL "$name" "$name.first" && cp -rL "$name" "$name.second"
	in_directory "$name.first" "" "$command"
	cat "$name.first"/run.{out,err,log} >"$name.all"
	ok "$name: does what it is for" holds "$pattern" "$name.all"
	"$second" "$name" "$command"
	ok "$name: the same again" \
		the_same "$name" "$name.first" "$name.second" "$@"
}
second=traced
[ -e "$TAPE_BUILD/lib/libtape-pvm.so" ] || second=again

# ---- PVM's examples ----

neutral_hello() { cat; }
lines=2 program hello 'from .*: hello, world' '$door hello.pvm'
# results come in any order
neutral_master() { sort; }
lines=4 tasks=4 program master 'I got 300.0+ from 2; \(expecting 300' \
	'$door master1'
neutral_fmaster() { sort; }
lines=4 tasks=4 program fmaster 'I got +300.0+ from +2 +\(expected +300' \
	'$door fmaster1'
# spawned together by the console, for they look for their siblings
neutral_spmd() { cat; }
tasks=5 program spmd 'token ring done' 'echo spawn -4 spmd | $door pvm'
neutral_fspmd() { cat; }
tasks=5 program fspmd 'token ring done' 'echo spawn -4 fspmd | $door pvm'
neutral_gexample() { cat; }
input=$'8\n3' program gexample 'product of column 1 is 40320' '$door gexample'
neutral_fgexample() { cat; }
program fgexample '1-Norm is +5050' '$door fgexample'
neutral_trsg() { cat; }
status=1 input=$'3\n4' program trsg 'Sum of Squares of .* 12 integers is 650' \
	'$door trsg'
# Its first sum begins with a variable that the program never sets (PSum in
# frsg.f): whether it says that all is well is up to what the stack holds.
neutral_frsg()
{
	sed -E 's/(OK|ERROR): .*Sum of Squares.*(is|Sum2 as) +(650)\>.*/\3/'
}
input=$'3\n4' program frsg \
	'Sum of Squares of .* 12 +integers (is|.* Sum2 as) +650\b' \
	'$door frsg'
# three tasks at once; who finds the others out of step depends on the moment
neutral_ge() { grep -v "doesn't match up" | sort; }
tasks=3 program ge 'group ge size 3 gid 0: sync' '$door ge 3'
# it polls, if need be
neutral_gs() { grep -v 'waiting on kids'; }
lines=5 tasks=3 program gs '\] .*gs.pvm .* enrolled' '$door gs.pvm 3'
neutral_thb() { cat; }
tasks=3 program thb 'leaving all the groups' '$door thb 3'
neutral_tjf() { cat; }
tasks=1 program tjf 'joined group31' '$door tjf'
neutral_hitc() { cat; }
program hitc 'Program Finished' '$door hitc'
# measurements, of which there is a table
# its slave is killed while it waits
neutral_timing() { sed -E 's/[0-9.]+/N/g; s/ +/ /g'; }
killed=1 lines=150 status=1 program timing 'Message size 1000000' '$door timing'

# ---- NetPIPE ----

# Sizes and how often each was sent, which depends on how long it took; the
# receiver has to be there first: it has a connection to the daemon, and a second
# to say who it is.
neutral_netpipe() { sed -E 's/ *[0-9]+ times.*/ N times/; s/^( *[0-9]+) .*/\1/'; }
lines=9 tasks=1 program netpipe ' 16 bytes .* Mbps' \
	'$door NPpvm -u 16 &
	while kill -0 $! && ! ls -l /proc/$!/fd | grep -q socket; do
		sleep 0.1
	done 2>/dev/null
	sleep 1; $door NPpvm -h localhost -u 16; wait' \
	np.out

# ---- tablix2 ----

# A search by chance: the timetables differ, their form and that they keep the
# rules do not.
mkdir tablix
cp /usr/share/doc/tablix2/examples/hint.xml tablix 2>/dev/null
neutral_tablix()
{
	case $1 in
	result*) sed 's/[0-9]//g' ;;
	conv*) awk '/^#/ { print } { last = $3 } END { print last }' ;;
	*) head -n 3 ;;
	esac
}
kept_rules()
{
	equal "$(tail -qn 1 "$1".first/conv?.txt | cut -f 3 | paste -sd' ')" \
		"1 1 1"
}
if [ -e tablix/hint.xml ]; then
	program tablix 'TABLIX version' '$door tablix2 -n 3 hint.xml' \
		result{0,1,2}.xml conv{0,1,2}.txt
	ok "tablix: every node has a timetable that keeps the rules" \
		kept_rules tablix
else
	skip "tablix" "pvm tablix2-doc is not installed"
fi
finish
