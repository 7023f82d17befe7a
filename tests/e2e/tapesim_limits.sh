#!/bin/bash
# What tapesim does with files that end early, factors of 0, and platforms that are
# hostile: by both engines, a sentence and no more memory than there must be.
# Truth: limits of memory, by the kernel.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc python3
engines=own
! command -v smpirun >/dev/null || engines="own simgrid"

platform() # ATTRIBUTES OF A CLUSTER
{
	echo '<?xml version="1.0"?>'
	echo '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">'
	echo "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"h\" suffix=\"\" $*/></platform>"
}
platform 'radical="0-3" speed="1Gf" bw="1GBps" lat="10us"' >four.xml
platform 'radical="0-3" speed="0f" bw="1GBps" lat="10us"' >stopped.xml
platform 'radical="0-999999" topology="TORUS" topo_parameters="1000,1000" speed="1Gf"
	bw="1GBps" lat="10us"' >torus.xml
mkfifo pipe
mkdir actions
printf '0 init\n0 send 1 0 984 6\n0 finalize\n' >actions/rank.0
printf '1 init\n1 recv 0 0 984 6\n1 finalize\n' >actions/rank.1
printf 'rank.0\nrank.1\n' >actions/ranks
cp -r actions early
sed -i '$d' early/rank.1
cp -r actions empty
: >empty/rank.0

# says STATUS SENTENCE COMMAND...: within 200 s, and below 700 MB
says()
{
	local status=$1 sentence=$2
	shift 2
	python3 - "$@" <<'P' >out 2>&1
import resource, subprocess, sys
try:
    rc = subprocess.run(sys.argv[1:], timeout=200).returncode
except subprocess.TimeoutExpired:
    rc = 124
mib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
sys.stdout.flush()
print("status", rc, "large" if mib > 700 else "")
P
	sed 's/^/# /' out
	holds "^status $status $" out && holds "$sentence" out
}
for e in $engines; do
	ok "$e: a file that ends before finalize" says 1 \
		"early/rank.1: line 2: the file ends without a finalize" \
		tapesim --engine "$e" --platform four.xml early
	ok "$e: an empty one" says 1 "empty/rank.0: line 0: the file ends" \
		tapesim --engine "$e" --platform four.xml empty
	ok "$e: no latency" says 0 "^predicted" \
		tapesim --engine "$e" --latency 0 --platform four.xml actions
	# 1000 bytes at 1 GB/s, with SMPI's factor for 732 bytes and more
	ok "$e: and what is left is bandwidth" holds "^predicted  0.000002924 s" out
	ok "$e: processors without speed" says 1 "speed.*must not be 0" \
		tapesim --engine "$e" --platform stopped.xml actions
	ok "$e: a million hosts" says 1 "torus.xml:.*(hosts|--engine simgrid)" \
		tapesim --engine "$e" --platform torus.xml actions
	ok "$e: a pipe" says 1 "pipe: not a plain file" \
		tapesim --engine "$e" --platform pipe actions
	ok "$e: a device" says 1 "zero: not a plain file" \
		tapesim --engine "$e" --platform /dev/zero actions
done
ok "latency: not a number" says 2 "latency -1: not a number from 0 on" \
	tapesim --latency -1 --platform four.xml actions

if command -v smpirun >/dev/null; then
	ok "a pipe for a program that is simulated" says 1 \
		"taperun: pipe: not a plain file" \
		taperun --simulate -np 2 --platform pipe ./none
fi

# ---- what SimGrid alone replays ----

cat >bcast.c <<'C'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	char buffer[4096] = "";

	MPI_Init(&argc, &argv);
	MPI_Bcast(buffer, argc > 1 ? atoi(argv[1]) : 0, MPI_CHAR, 1,
		  MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
C
mpicc -o bcast bcast.c || { echo "Bail out! bcast.c does not compile"; exit 1; }
replays() # FOLDER SELECTOR
{
	(
		cd "$1" && smpirun -np 2 -no-privatize -replay ranks \
			-platform ../four.xml -hostfile ../hosts \
			--cfg=smpi/coll-selector:"$2" >../smpi.log 2>&1
	)
}
# dies FOLDER SELECTOR: by a signal, not by a sentence
dies()
{
	local rc

	replays "$@"
	rc=$?
	echo "status $rc"
	[ $rc -ge 128 ]
}
printf 'h0\nh1\n' >hosts
for bytes in 800 2000; do
	mpirun -np 2 taperun -o $bytes.tape ./bcast $bytes 2>err
	t2ti $bytes.tape >$bytes.log || cat err
	sed 's/^/# /' $bytes.log
done
ok "a broadcast that the selector ompi dies of" holds \
	"only SimGrid replays them, and not with its selector ompi$" 800.log
ok "one that it does not" holds "only SimGrid replays them$" 2000.log
if command -v smpirun >/dev/null; then
	ok "so it is: the first by default" replays 800.ti default
	ok "not with ompi" dies 800.ti ompi
	ok "the second by both" eval 'replays 2000.ti default && replays 2000.ti ompi'
fi
finish
