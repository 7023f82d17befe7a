#!/bin/bash
# What tico, sba and t2otf2 take for each rank, and tico for each message in
# flight: the difference of two sizes.
# In make check-all only: it makes traces of many ranks.
# Truth: the kernel's figure of peak memory, of two sizes.
. "$(dirname "$0")/tap.bash"
made=$TAPE_BUILD/bench/made
if [ ! -x "$made" ]; then
	skip "memory" "mpi bench/made was not built"
	finish
fi
if grep -q __asan_init "$TAPE_BUILD/bin/tico"; then
	skip "memory" "the sanitizer's memory has no bound"
	finish
fi

# most COMMAND...: the most memory that it has at a time, KiB; 0: it failed
most()
{
	python3 -c 'import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
print(0 if status else usage.ru_maxrss)' "$@"
}

# less BOUND A B N: have N more of something taken less than BOUND bytes each?
less()
{
	[ "$2" -gt 0 ] && [ "$3" -gt "$2" ] &&
		[ $((($3 - $2) * 1024)) -lt $(($1 * $4)) ]
}

for n in 2048 4096; do
	"$made" halo $n $((12 * n)) global.tape 64
	"$made" -l halo $n $((12 * n)) local.tape 64
	tico[n]=$(most tico --threads 1 -o out.tape global.tape)
	rm -rf out.tape
	sba[n]=$(most sba -o out.tape local.tape)
	command -v t2otf2 >/dev/null &&
		otf2[n]=$(most t2otf2 -o out.otf2 global.tape)
	rm -rf ./*.tape out.otf2
done
ok "tico: less than 20 KiB a rank" \
	less 20480 "${tico[2048]}" "${tico[4096]}" 2048
ok "sba: less than 20 KiB a rank" less 20480 "${sba[2048]}" "${sba[4096]}" 2048
if command -v t2otf2 >/dev/null; then
	ok "t2otf2: less than 20 KiB a rank" \
		less 20480 "${otf2[2048]}" "${otf2[4096]}" 2048
else
	skip "t2otf2" "libopen-trace-format2-dev is not installed"
fi

# One rank sends, the other receives the last message first: all are in flight.
flight()
{
	awk -v n="$1" 'function definitions(r) {
		print "rank " r "\n\ttape-rank 1\n\trank " r "\n\thost h"
		print "\tpid 1\n\tdomain 0\n\tcomm 1 1 2 " r " world"
		print "\tsite 1 120 1 a.c main\n\tsite 2 124 2 a.c main"
	}
	BEGIN {
		print "meta\n\ttape-trace 1\n\tprogram flight\n\tranks 2"
		print "\tbase global\n\tdomain 0 d h\n\tclock 0 0 0 1 0 0"
		definitions(0); definitions(1)
		print "flow 0 0"
		for (i = 1; i <= n; i++)
			print "\t" i * 1000 " +10 MPI_Send @1 peer=1 tag=" \
				(i == n) " bytes=8 comm=1"
		print "\tend finalize 0\nflow 1 0"
		for (i = 1; i <= n; i++)
			print "\t" (n + i) * 1000 " +9 MPI_Recv @2 peer=0" \
				" tag=" (i == 1) " comm=1 actual_peer=0" \
				" actual_tag=" (i == 1) " bytes=8 arrived=1"
		print "\tend finalize 0"
	}' >flight.txt
	tapedump --assemble -o flight.tape flight.txt
	most tico --threads 1 -o out.tape flight.tape 2>errors
	rm -rf ./*.tape
}
some=$(flight 100000)
ok "tico: less than 192 bytes a message in flight" \
	less 192 "$some" "$(flight 200000)" 100000
finish
