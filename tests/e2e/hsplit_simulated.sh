#!/bin/bash
# libtape-hsplit in simulated runs: linked by tapecc --simulate with the tracer, and by
# smpicc alone. Six hosts, two and two and two below a switch, four of them below one more.
# Truth: the platform that is simulated.
. "$(dirname "$0")/tap.bash"
if ! command -v smpirun >/dev/null; then
	skip "simulated runs" "no SimGrid"
	finish
fi
cat >prog.c <<'C'
#include <stdio.h>
#include <tape_hsplit.h>
int main(int argc, char **argv)
{
	MPI_Comm comm = MPI_COMM_WORLD, next;
	char line[200];
	int rank, n = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(comm, &rank);
	n = sprintf(line, "%d:", rank);
	for (; comm != MPI_COMM_NULL; comm = next) {
		const char *type = "";
		int size = 0;

		if (tape_hsplit(comm, MPI_INFO_NULL, &next))
			break;
		if (next == MPI_COMM_NULL)
			break;
		MPI_Comm_size(next, &size);
		tape_get_hlevel_info(next, NULL, NULL, &type);
		n += sprintf(line + n, " %s %d", type, size);
	}
	puts(line);
	MPI_Finalize();
	return 0;
}
C
cat >levels <<'X'
levels Switch2 Switch1
h0 0 0
h1 0 0
h2 0 1
h3 0 1
h4 1 0
h5 1 0
X
cat >six.xml <<'X'
<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><cluster id="c" prefix="h" suffix="" radical="0-5" speed="1Gf" bw="1GBps" lat="10us"/></platform>
X
printf 'h%s\n' 0 1 2 3 4 5 >hosts
cat >expected <<'X'
0: Switch2 4 Switch1 2 Machine 1
1: Switch2 4 Switch1 2 Machine 1
2: Switch2 4 Switch1 2 Machine 1
3: Switch2 4 Switch1 2 Machine 1
4: Switch1 2 Machine 1
5: Switch1 2 Machine 1
X
export TAPE_NETWORK=$work/levels
ok "linked by tapecc" tapecc --simulate -g -I"$TAPE_TOP/hsplit" -o traced prog.c \
	-L"$TAPE_BUILD/lib" -ltape-hsplit
ok "it runs, traced" eval 'taperun --simulate -np 6 --platform six.xml -o t.tape \
	./traced >traced.out 2>traced.err'
sed 's/^/# /' traced.err
ok "each rank is in what it should be" diff <(sort traced.out) expected
ok "the trace has the splits" eval 'tapedump t.tape | grep -q MPI_Comm_split'
ok "linked by smpicc" eval 'smpicc -I"$TAPE_TOP/hsplit" -o plain prog.c \
	"$TAPE_BUILD/lib/tape-hsplit-smpi.o" >cc.log 2>&1'
ok "it runs" eval 'smpirun -np 6 -platform six.xml -hostfile hosts ./plain \
	>plain.out 2>plain.err'
ok "and does the same" diff <(sort plain.out) expected
finish
