#!/bin/bash
# A real run on a host with two packages of two L3 with two cores each, which hwloc
# makes up: what tapestat says of levels is what the program sends over each.
# Truth: what the program sends over each level.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc python3

cat >halo.c <<'END_C'
#include <mpi.h>

/* 20 times: 1 KiB with the neighbour, 2 KiB two away, 4 KiB four away */
int main(int argc, char **argv)
{
	static char in[4096], out[4096];
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 20; i++) {
		for (int by = 1; by < 8; by *= 2)
			MPI_Sendrecv(out, 1024 * by, MPI_CHAR, rank ^ by, 3,
				     in, 1024 * by, MPI_CHAR, rank ^ by, 3,
				     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
END_C
cat >on <<'END_SH'
#!/bin/bash
export HWLOC_SYNTHETIC="pack:2 l3:2 core:2 pu:1"
export TAPE_BINDING=$OMPI_COMM_WORLD_LOCAL_RANK
exec "$@"
END_SH
chmod +x on
tapecc -O1 -g -o halo halo.c >log 2>&1 && mpirun -np 8 ./on ./halo >>log 2>&1
ok "a run with positions" test -d halo.tape
# columns of a table, by name
columns()
{
	python3 -c 'import csv, sys
for r in csv.DictReader(sys.stdin):
    print(*(r[k] for k in sys.argv[1:]))' "$@"
}
if tapestat -c -t positions halo.tape | grep -q L3; then
	ok "where the last rank is" equal \
		"$(tapestat -c -t positions halo.tape | columns position | tail -n 1 |
			sed 's/Machine:[^/]*/Machine/')" \
		Cluster/Machine/Package:1/L3:3/Core:7
	tapestat -c -t levels halo.tape | columns bytes messages groups level >shown
	ok "bytes and messages by level" same <(cat <<-END
		163840 160 4 within one L3
		327680 160 2 within one Package
		655360 160 1 within a host
	END
	) shown
	tapestat -c --level Package -t messages halo.tape |
		columns bytes messages from to | sed 's/Machine:[^/]*.//g' |
		sort -k 3 >shown
	ok "messages from package to package" same <(cat <<-END
		245760 160 Package:0 Package:0
		327680 80 Package:0 Package:1
		327680 80 Package:1 Package:0
		245760 160 Package:1 Package:1
	END
	) shown
	# all waiting is in some level
	sum() { columns waiting_s | awk '{ s += $1 } END { printf "%.6f\n", s }'; }
	ok "waiting by level is that of all waits" equal \
		"$(tapestat -c -t levels halo.tape | sum)" \
		"$(tapestat -c -n 0 -t waits halo.tape | sum)"
	sba halo.tape >>log 2>&1 && tico halo.sba.tape >>log 2>&1
	ok "corrected traces have the positions" same \
		<(tapestat -c -t positions halo.tape) \
		<(tapestat -c -t positions halo.tico.tape)
	ok "the first lines say how far" \
		holds "57% of the messages' bytes went to another Package" \
		<(tapestat halo.tape)
else
	skip "levels" "Tape is built without hwloc"
fi
finish
