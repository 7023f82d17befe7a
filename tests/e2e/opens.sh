#!/bin/bash
# Programs that are not linked with the MPI library: they open it, in each way
# that dlopen has, and look its functions up (opens.c; Python by ctypes). Calls
# by pointers from dlsym are in the trace, and dlsym's errors are its own.
# Truth: the program without Tape; its own count of calls.
. "$(dirname "$0")/tap.bash"
need mpirun gcc
gcc -w -g -o opens "$here/opens.c" -ldl || exit 1
mpirun -np 1 ./opens local 0 >/dev/null 2>&1
if [ $? = 77 ]; then
	skip "opens" "mpi there is no libmpi.so.40"
	finish
fi

# calls NAME: of each call how many
calls()
{
	tapedump -i "$1.tape" 2>/dev/null | awk '/^MPI_/ { print $1, $3 }' | sort |
		paste -sd' '
}
neutral() { sort "$1.out"; cat "$1.rc" "$1.err"; }
for way in local global deep default; do
	run "plain.$way" mpirun -np 2 ./opens $way 50
	run "$way" mpirun -np 2 taperun -o $way ./opens $way 50
	ok "$way: same results" \
		equal "$(neutral $way)" "$(neutral "plain.$way")"
	ok "$way: it succeeds" equal "$(cat $way.rc) $(wc -l <$way.out)" "0 2"
	ok "$way: every call is in the trace" equal "$(calls $way)" \
		"MPI_Comm_rank 2 MPI_Comm_size 2 MPI_Finalize 2 MPI_Init 2 MPI_Sendrecv 100"
done

cat >through_ctypes.py <<'END'
from ctypes import CDLL, byref, c_int, c_void_p

mpi = CDLL("libmpi.so.40")
world = byref(c_void_p.in_dll(mpi, "ompi_mpi_comm_world"))
mpi.MPI_Init(None, None)
rank, size = c_int(), c_int()
mpi.MPI_Comm_rank(world, byref(rank))
mpi.MPI_Comm_size(world, byref(size))
for turn in range(20):
	mpi.MPI_Barrier(world)
print("%d of %d\n" % (rank.value, size.value), end="")
mpi.MPI_Finalize()
END
if command -v python3 >/dev/null; then
	run plain.types mpirun -np 2 python3 through_ctypes.py
	run types mpirun -np 2 taperun -o types python3 through_ctypes.py
	ok "ctypes: same results" \
		equal "$(neutral types)" "$(neutral plain.types)"
	ok "ctypes: every call is in the trace" equal "$(calls types)" \
		"MPI_Barrier 40 MPI_Comm_rank 2 MPI_Comm_size 2 MPI_Finalize 2 MPI_Init 2"
else
	skip "ctypes" "python3 is not installed"
fi

# By the link door the library is there from the start.
gcc -w -g -o opens.linked "$here/opens.c" -ldl -L"$TAPE_BUILD/lib" \
	-Wl,-rpath,"$TAPE_BUILD/lib" -Wl,--no-as-needed -ltape-mpi || exit 1
TAPE_TRACE=linked run linked mpirun -np 2 ./opens.linked local 50
ok "linked with -ltape-mpi: every call is in the trace" \
	equal "$(calls linked)" "$(calls local)"
finish
