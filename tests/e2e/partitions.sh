#!/bin/bash
# Programs in a job with others and an analyser (stream = mpi): each says, does
# and returns what it does alone, and its trace is that of its own ranks.
# Truth: the program alone.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
lib=$TAPE_BUILD/lib
library=tape-stream$([ "$MPI" = mpich ] && echo -mpich)
compiled()
{
	"$@" >compiler.log 2>&1 && return
	echo "Bail out! $*"
	sed 's/^/# /' compiler.log
	exit 1
}
programs="conform conform_local conform_windows conform_files conform_processes partitions"
[ "$MPI" != mpich ] || programs+=" conform_session"
build error_classes error_classes.c
for program in $programs; do
	build $program $program.c
done
analyser=(sh -c 'exec "$0" "$@" 2>receiver.err'
	"$TAPE_BUILD/libexec/tapelive-$([ "$MPI" = mpich ] && echo mpich || echo openmpi)"
	-k -S "$work/spool")

# The other program of the job, whose output is not looked at.
build communicators communicators.c
other=(taperun -s stream=mpi -s stream_keep=on -o other
	sh -c 'exec ./communicators >other.out 2>&1')
# alone NAME N COMMAND...; together NAME N COMMAND...
alone()
{
	local name=$1 n=$2

	shift 2
	run "$name" timeout 100 mpirun -np "$n" "$@"
}
together()
{
	local name=$1 n=$2

	shift 2
	rm -rf other.tape "$name.tape" spool
	case $name in
	conform*) # their logs go by PMPI_Send, to rank 0 of the whole job
		run "$name" timeout 60 \
			mpirun -np "$n" taperun -s stream=mpi \
			-s stream_keep=on -o "$name" "$@" : \
			-np 1 "${analyser[@]}" : -np 2 "${other[@]}"
		;;
	*)
		run "$name" timeout 60 mpirun -np 2 "${other[@]}" : \
			-np "$n" taperun -s stream=mpi -s stream_keep=on \
			-o "$name" "$@" : -np 1 "${analyser[@]}"
		;;
	esac
}
sorted() { for _; do sort -o "$_.out" "$_.out"; done; }

# The calls of a trace and how often each was made, but for those that ask
# again and again.
calls()
{
	tapedump -i "$1.tape" 2>/dev/null | awk '
		$1 ~ /^MPI_/ && $1 !~ /Test|Iprobe|Improbe/ { print $1, $3 }'
}

# NAME N COMMAND...
as_alone()
{
	local name=$1 n=$2

	shift 2
	alone "$name.alone" "$n" "$@"
	together "$name" "$n" "$@"
	sorted "$name" "$name.alone"
	ok "$name, $n ranks: the same results" alike "$name.alone" "$name"
	ok "$name, $n ranks: no word from Tape" lacks '^tape: ' "$name.err"
}
traced()
{
	rm -rf "$1.one.tape"
	run "$1.one" mpirun -np "$2" taperun -o "$1.one" "${@:3}"
	ok "$1: the calls in the trace are the same" \
		same <(calls "$1.one") <(calls "$1")
	[ -s <(calls "$1") ] || ok "$1: there are calls" [ -n "$(calls "$1")" ]
	ok "$1: its world is its own" equal \
		"$(sed -nE 's/^comm 1 ([^ ]+ ){2}//p' "$1.tape/rank.0")" \
		"0 MPI_COMM_WORLD"
	ok "$1: its ranks are its own" equal \
		"$(sed -n 's/^ranks //p' "$1.tape/meta")" "$2"
}

for program in $programs; do
	as_alone "$program" 3 "./$program" x
done
traced partitions 3 ./partitions x
traced conform_local 3 ./conform_local x
ok "something is compared" \
	[ "$(wc -l <partitions.out)" -gt 200 ]
for rank in 0 2; do
	until_ended "abort$rank" together "abort$rank" 3 ./partitions abort $rank
	ok "abort of rank $rank: its status" equal "$(cat "abort$rank.rc")" 7
done

# A fatal error: Open MPI's message is the same, MPICH names the communicator.
# A process of Open MPI gives it to mpirun as data, which cannot read it now and
# then, without Tape as well (9 of 60 jobs), and says so: then once more.
fatal()
{
	local i

	for ((i = 0; i < 20; i++)); do
		rm -f error.said error.told
		until_ended error together error 3 "$heard" error \
			./partitions error 1
		grep -q 'ORTE_ERROR_LOG: .*/show_help\.c' error.err || return
	done
}
alone error.alone 3 ./partitions error 1
fatal
ok "a fatal error ends it alike" equal "$(cat error.rc)" "$(cat error.alone.rc)"
ok "it is one" [ "$(cat error.rc)" != 0 ]
ok "and is named" holds 'invalid rank|Invalid rank' \
	<(cat error.err error.told)

# error handlers: also of communicators that have none of their own
alone classes.alone 2 ./error_classes alone
together classes 2 ./error_classes together
ok "errors on all communicators: it ends alike" alike classes.alone classes
for rank in 0 1; do
	ok "errors on all communicators: rank $rank has the same" eval \
		"[ -s alone.$rank ] && diff alone.$rank together.$rank"
done

# what MPICH cannot start here alone either
if [ "$MPI" = openmpi ]; then
	as_alone spawn 2 ./partitions spawn
	ok "children know their parents" holds 'child of 2' spawn.out
fi

# ---- who is there ----

rm -rf spool
run table timeout 60 mpirun -np 2 taperun -s stream=mpi -o a ./partitions quiet : \
	-np 1 taperun -s stream=mpi -s partition=both -o b ./partitions quiet : \
	-np 1 "${analyser[@]}" : \
	-np 2 taperun -s stream=mpi -s partition=both -o b ./partitions quiet : \
	-np 1 taperun -s stream=mpi -o c ./partitions quiet
ok "partitions by command line and by name" equal "$(cd spool &&
	grep -H '^ranks ' */meta | sort)" "both/meta:ranks 3
partitions-2/meta:ranks 1
partitions/meta:ranks 2"
ok "each has its size" equal \
	"$(awk '/quiet/ { print $1 }' table.out | sort | paste -sd' ')" \
	"0/1 0/2 0/3 1/2 1/3 2/3"

# one program of two parts: MPI_APPNUM counts within
run parts.alone mpirun -np 1 ./partitions x : -np 2 ./partitions x
rm -rf spool
run parts timeout 60 mpirun -np 1 "${analyser[@]}" : \
	-np 1 taperun -s stream=mpi -s stream_keep=on -s partition=one -o parts ./partitions x : \
	-np 2 "${other[@]}" : \
	-np 2 taperun -s stream=mpi -s stream_keep=on -s partition=one -o parts ./partitions x
sorted parts parts.alone
ok "a program of two parts" alike parts.alone parts
ok "with two numbers" equal \
	"$(sed -n 's/.*attribute 5 of 0: //p' parts.out | sort | uniq -c | xargs)" \
	"1 1 0 2 1 1"

run bad taperun -s stream=mpi -s partition=a/b true
ok "a name that is none" equal "$(cat bad.rc bad.err)" \
	"2
taperun: partition = a/b: expected a name of at most 63 letters, digits, and . _ + -"

# ---- Fortran ----

if command -v mpifort >/dev/null; then
	for interface in MODULE F08; do
		compiled mpifort -cpp -O1 -g -w -fallow-argument-mismatch \
			-D$interface "-D$MPI" -o "fortran_$interface" \
			"$here/partitions_fortran.F90"
		as_alone "fortran_$interface" 3 "./fortran_$interface"
		ok "fortran_$interface: something is compared" \
			[ "$(wc -l <"fortran_$interface.out")" -gt 60 ]
	done
	for interface in MPIFH MODULE F08; do
		[ "$MPI" = openmpi ] || break
		compiled mpifort -cpp -O1 -g -w -fallow-argument-mismatch \
			-D$interface -o "calls_$interface" "$here/fortran.F90"
		as_alone "calls_$interface" 2 "./calls_$interface"
		traced "calls_$interface" 2 "./calls_$interface"
	done
fi

# ---- somebody who does not take part is named, after a while ----

# Open MPI's mpirun, told to end, now and then waits for a thread of its own for
# ever
timeout -k 5 100 mpirun -np 1 taperun -s stream=mpi -s stream_keep=on \
	-o missing ./partitions quiet : -np 1 ./partitions quiet >missing.out \
	2>missing.err </dev/null &
pid=$!
words='waiting for all processes of this job'
until grep -q "$words" missing.err || ! kill -0 $pid 2>/dev/null; do
	sleep 0.1
done
kill $pid 2>/dev/null
wait $pid 2>/dev/null
ok "a process without Tape: what is waited for is said" holds "$words" missing.err
finish
