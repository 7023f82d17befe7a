#!/bin/bash
# Requests that are never completed, communicators, windows and files that are
# never freed: each with its call site and ranks; nothing else is accused.
# Truth: the marks in never_freed.c.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc jq
build prog never_freed.c

at() { echo "never_freed.c:$(grep -n "/\* $1 \*/" "$here/never_freed.c" | cut -d: -f1)"; }
# left TRACE: KIND CALL:LINE RANKS COUNT a line
left()
{
	tapestat -j "$1" 2>/dev/null | jq -r '.never_freed[] |
		"\(.kind) \(.call | sub(" .*never"; " never")) \(.ranks |
		map(tostring) | join(",")) \(.count)"' | sort
}
requests="request MPI_Ibarrier $(at BARRIER) 0,1,2 3
request MPI_Isend $(at SENDS) 1 2
request MPI_Start $(at PERSISTENT) 2 1"
# in MPI-4
if printf '#include <mpi.h>\n#if MPI_VERSION < 4\n#error\n#endif\n' |
	mpicc -x c -c -o /dev/null - 2>/dev/null; then
	requests+="
request MPI_Start $(at COLLECTIVE) 0,1,2 3"
fi
objects="communicator MPI_Comm_dup $(at DUP) 0,1,2 1
communicator MPI_Comm_split $(at SPLIT) 0,2 1"

for how in nothing some all; do
	run plain.$how mpirun -np 3 ./prog $how
	run $how mpirun -np 3 taperun -o $how ./prog $how
	ok "$how: the program ends as without Tape" equal \
		"$(cat $how.rc)" "$(cat plain.$how.rc)"
done
ok "nothing is left: nothing is said" equal "$(left nothing.tape)" ""
ok "requests and communicators, with call sites and ranks" equal \
	"$(left some.tape)" "$(sort <<<"$requests
$objects")"
ok "windows and files, too" equal "$(left all.tape)" "$(sort <<<"$requests
$objects
window MPI_Win_create $(at WIN) 0,1,2 1
file MPI_File_open $(at FILE) 0,1,2 1")"
tapestat some.tape >some.txt 2>&1
ok "the report has a line" holds "^3 requests of MPI_Ibarrier .*$(at BARRIER
	) were never completed \(ranks 0-2\)$" some.txt
ok "those with the largest number come first, the others are counted" holds \
	'^2 more call sites are like these' some.txt
run two mpirun -np 2 tapestat -j some.tape
ok "two processes find the same" equal "$(jq -c .never_freed two.out)" \
	"$(tapestat -j some.tape 2>/dev/null | jq -c .never_freed)"
mpirun -np 3 taperun -s groups=-group -o few ./prog some
ok "where calls are not recorded nothing is accused" equal \
	"$(tapestat -j few.tape 2>/dev/null | jq .never_freed)" null
finish
