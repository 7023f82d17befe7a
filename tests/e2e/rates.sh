#!/bin/bash
# What max_rate chooses to count (rates.c): the most frequent call of the last
# chunk, not of those before it; and of the threads that one which has more than
# its part.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
mpicc -O1 -g -w -pthread -o rates "$here/rates.c" ||
	{ echo "Bail out! rates.c does not compile"; exit 1; }

# counted NAME: "THREAD CALL" of what was only counted, in the order of time
counted()
{
	tapedump "$1.tape" 2>/dev/null | awk '
		$1 == "flow" { thread = $3 }
		$3 ~ /^MPI_/ { call[$4] = $3 }
		$3 == "counted" && $NF && / calls=0 / {
			split($4, site, "=")
			print thread, call["@" site[2]]
		}'
}
run phases timeout 60 mpirun -np 1 taperun -s max_rate=1000 -o phases \
	./rates phases 13400 30000
ok "two phases: it runs" equal "$(cat phases.rc phases.err)" 0
ok "two phases: of each the most frequent call is counted" \
	equal "$(counted phases | head -n 2 | paste -sd,)" \
	"0 MPI_Type_size,0 MPI_Comm_size"

run threads timeout 100 mpirun -np 1 taperun -s max_rate=1000 -o threads \
	./rates threads 24000
ok "two threads: it runs" equal "$(cat threads.rc threads.err)" 0
ok "two threads: the slow one is recorded in full" \
	equal "$(events threads.tape 0 MPI_Comm_rank)" 24000
ok "two threads: the fast one is counted" \
	equal "$(counted threads)" "1 MPI_Type_size"
finish
