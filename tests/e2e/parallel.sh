#!/bin/bash
# tico on several threads: what it writes and says are those of one thread, on
# whole traces and on damaged ones, to the byte.
# PARALLEL_SEED makes other programs and other damage.
# Truth: none; one thread.
. "$(dirname "$0")/tap.bash"
seed=${PARALLEL_SEED:-1}
echo "# seed $seed"
RANDOM=$seed

# by THREADS TRACE: status, report and errors in THREADS.*, the trace beside.
# All write to one name, which is in the report.
by()
{
	rm -rf out.tape "$1".*
	timeout 120 tico -j --threads "$1" -o out.tape "$2" >"$1.report" 2>"$1.errors"
	echo $? >"$1.status"
	# the temporary file's name has the process in it
	sed -i 's/\.part[0-9]*/.part/' "$1.errors"
	[ ! -d out.tape ] || mv out.tape "$1.tape"
}

# same_for TRACE: by 1, 2 and 4 threads
same_for()
{
	local n what

	by 1 "$1"
	for n in 2 4; do
		by $n "$1"
		for what in status report errors; do
			cmp 1.$what $n.$what || return 1
		done
		[ ! -d 1.tape ] && [ ! -d $n.tape ] ||
			diff -r 1.tape $n.tape || return 1
	done
}

status_is() { [ "$(cat 1.status)" = "$1" ]; }

# ---- programs made up at random: wildcards, requests, collectives, ... ----

mkdir des
for i in 1 2 3; do
	"$TAPE_BUILD/rig/des" -n 1 -l 20000 -s $((seed + i)) \
		"$TAPE_BUILD/bin" des >/dev/null
	ok "program $i: the same by 1, 2 and 4 threads" same_for des/run.tape
	ok "program $i: it was corrected" status_is 0
done

# ---- threads of the traced program share messages and requests ----

awk -v n=4000 'function definitions(r) {
	print "rank " r "\n\ttape-rank 1\n\trank " r "\n\thost h\n\tpid 1"
	print "\tdomain 0\n\tcomm 1 1 2 " r " world"
	print "\talpha irecv 20 30\n\talpha wait 20 30\n\talpha send 5 40"
	print "\tsite 1 120 1 a.c main\n\tsite 2 144 2 a.c main"
	print "\tsite 3 170 3 a.c main"
}
BEGIN {
	print "meta\n\ttape-trace 1\n\tprogram threads\n\tranks 2"
	print "\tbase global\n\tdomain 0 d h\n\tclock 0 0 0 1 0 0"
	print "\teager shm 4096"
	definitions(0); definitions(1)
	# each thread completes what the other one began
	for (t = 0; t < 2; t++) {
		print "flow 0 " t
		for (i = 1; i <= n; i++) {
			at = i * 2000 + t * 700
			print "\t" at " +50 MPI_Irecv @2 peer=1 tag=" t \
				" comm=1 bytes=8"
			if (i > 1)
				print "\t" at + 300 " +90 MPI_Wait @3 n=1" \
					" received=" 1 - t "." i - 1 \
					":1:" 1 - t ":8:1"
		}
		print "\tend finalize 0"
	}
	print "flow 1 0"
	for (i = 1; i <= n; i++)
		for (t = 0; t < 2; t++)
			print "\t" i * 2000 + 500 + t * 700 " +60" \
				" MPI_Send @1 peer=0 tag=" t " bytes=8 comm=1"
	print "\tend finalize 0"
}' >threads.txt
ok "a program with threads" tapedump --assemble -o threads.tape threads.txt
ok "threads: the same by 1, 2 and 4" same_for threads.tape
ok "threads: it was corrected" status_is 0
ok "threads: requests went from one to another" \
	grep -Eq '"handed_over":[1-9]' 1.report

# ---- what goes wrong is said by one thread ----

# damaged TRACE: a copy, of which one flow is shorter or has a wrong byte
damaged()
{
	local flow size at flows

	rm -rf bad.tape && cp -r "$1" bad.tape
	flows=(bad.tape/flow.*)
	flow=${flows[RANDOM % ${#flows[@]}]}
	size=$(stat -c %s "$flow")
	at=$(((RANDOM * 32768 + RANDOM) % size))
	if [ $((RANDOM % 2)) -eq 0 ]; then
		truncate -s $at "$flow"
	else
		printf '\xff' | dd of="$flow" bs=1 seek=$at conv=notrunc \
			status=none
	fi
}

bad=0 noticed=0
for i in $(seq 10); do
	damaged des/run.tape
	same_for bad.tape || bad=$((bad + 1))
	if ! status_is 0 || grep -q 'is not read$' 1.errors; then
		noticed=$((noticed + 1))
	fi
	[ "$(wc -l <1.errors)" -le 2 ] || bad=$((bad + 1))
done
ok "10 damaged traces: the same by 1, 2 and 4 threads" [ $bad -eq 0 ]
ok "most of them are noticed" [ $noticed -gt 5 ]

# a file may be that long, in blocks of 1 KiB
for n in 1 2 4; do
	(trap '' XFSZ; ulimit -f 64; by $n des/run.tape)
	ok "a disk that is full: $n threads say so, and leave nothing" eval \
		'[ "$(cat $n.status)" = 1 ] && [ -z "$(ls -d out*)" ] &&
		grep -q "flow.*File too large" $n.errors &&
		[ "$(wc -l <$n.errors)" -le 2 ]'
done

# ---- the number of threads ----

for n in 0 65 1.5 x; do
	ok "--threads $n is refused" eval \
		"tico --threads $n des/run.tape 2>refused; [ \$? -eq 2 ] &&
		grep -q -- '--threads $n' refused"
done
finish
