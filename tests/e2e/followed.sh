#!/bin/bash
# A trace that is read while it is written gives the same as afterwards, item by
# item (tests/rigs/followed), whatever program writes it, and though what was
# read is removed.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
followed=$TAPE_BUILD/rig/followed
export OMPI_MCA_mpi_yield_when_idle=1
build communicators communicators.c
build doors doors.c
build conform conform.c
build survive survive.c
build threads threads.c -pthread

# follow NAME OPTION COMMAND...: the reader beside the run
follow()
{
	local name=$1 option=$2 reader

	shift 2
	timeout 100 "$followed" -f $option $name.tape >$name.live 2>$name.err &
	reader=$!
	run $name timeout 100 mpirun -np 2 taperun -o $name.tape "$@"
	wait $reader
	echo $? >$name.reader
}
# what the trace says when all is over
afterwards()
{
	echo "stream node" >>$1.tape/meta
	"$followed" $1.tape >$1.after 2>>$1.err && [ -s $1.after ]
}
# the same lines that match, in any order
alike_of() { diff <(grep -E "$2" $1.live | sort) <(grep -E "$2" $1.after | sort) &&
	grep -qE "$2" $1.live; }

for program in "doors ring 300" communicators conform; do
	name=${program%% *}
	follow $name "" ./$program
	ok "$name: the reader ends" equal "$(cat $name.reader)" 0
	afterwards $name
	ok "$name: the same, item by item" cmp $name.live $name.after
done

follow punched -p ./doors ring 3000
ok "removed behind the reader: it ends" equal "$(cat punched.reader)" 0
ok "the last chunks are all that is left" [ "$(stat -c '%b' punched.tape/flow.* |
	awk '{ n += $1 } END { print n / NR }')" -le 384 ]
ok "each round was read" equal "$(grep -c '^0\.0 MPI_Send' punched.live)" \
	"$(grep -c '^1\.0 MPI_Send' punched.live)"
ok "as many as there were" [ "$(grep -c '^0\.0 MPI_Send' punched.live)" -ge 3000 ]

follow killed "" ./survive kill calls 9 20000
ok "killed: the reader ends" equal "$(cat killed.reader)" 0
afterwards killed
ok "and has what came" cmp killed.live killed.after

# Threads begin one after the other; they are read from when they are noticed.
follow threads "" ./threads stress 200
ok "threads: the reader ends" equal "$(cat threads.reader)" 0
afterwards threads
ok "all events of all threads" alike_of threads '^[0-9]+\.[0-9]+ '
ok "and all messages" alike_of threads '^message'

mkdir nothing.tape
timeout 60 "$followed" -f nothing.tape >nothing.live 2>nothing.err &
sleep 0.1
echo "tape-trace 99" >nothing.tape/meta
wait $!
ok "another version: a sentence" holds "nothing.tape/meta" nothing.err
finish
