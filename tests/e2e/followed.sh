#!/bin/bash
# A trace that is read while it is written gives the same as afterwards, item by
# item (tests/rigs/followed), whatever program writes it, and though what was
# read is removed.
# Truth: none; the same trace read afterwards.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
followed=$TAPE_BUILD/rig/followed
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
follow threads "" ./threads stress 3 200
ok "threads: the reader ends" equal "$(cat threads.reader threads.rc)" $'0\n0'
afterwards threads
ok "all events of all threads" alike_of threads '^[0-9]+\.[0-9]+ '
ok "and all messages" alike_of threads '^message'

# Clocks that are apart and drift: all dates, by clocks that are placed at the
# start and steered by messages, against the true ones.
timeout 100 "$followed" -fc bent.tape >bent.live 2>bent.err2 &
reader=$!
"$TAPE_TOP/tests/rigs/warp/warp" run bent 3 tcp \
	"1:offset=2e9,drift=3e-5 2:offset=-1e9,drift=-6e-5" \
	WARP_ONE_MACHINE=1 -- ./doors ring 1000
wait $reader
ok "clocks: reader and program end" equal "$? $(cat bent.rc)" "0 0"
for rank in 0 1 2; do
	od -An -v -t u8 -w16 bent.truth/readings.$rank |
		awk -v rank=$rank '$2 { print "truth", rank, $1, $2 }'
done >bent.real
awk '$1 == "truth" { real[$2, $3] = $4; next }
	$1 == "date" && ($2, $3) in real {
		n++
		e = $4 - real[$2, $3]
		if (e < 0)
			e = -e
		if (e > most)
			most = e
		outside += e > $5 + 1
	}
	$1 == "error" { worst = $3 }
	END { print n, "dates,", outside + 0, "outside; wrong by", most,
		"at most; said:", worst }' \
	bent.real bent.live >bent.sum
ok "no date is more wrong than what is said then of the worst clock" awk '
	{ print }
	END { exit !($1 > 3000 && $3 == 0) }' bent.sum
ok "and in the end, of all of them" awk '{ print }
	END { exit !($7 <= $NF && $NF < 1e8) }' bent.sum

mkdir nothing.tape
timeout 60 "$followed" -f nothing.tape >nothing.live 2>nothing.err &
sleep 0.1
echo "tape-trace 99" >nothing.tape/meta
wait $!
ok "another version: a sentence" holds "nothing.tape/meta" nothing.err
finish
