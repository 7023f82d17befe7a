#!/bin/bash
# mpi4py: its module is opened by Python, and brings the MPI library along.
# Truth: the program without Tape; its own count of calls.
. "$(dirname "$0")/programs.bash"
python=/usr/bin/python3
if ! "$python" -c 'import mpi4py' 2>/dev/null; then
	skip "python" "mpi python3-mpi4py is not installed"
	finish
fi

mkdir ringtest
neutral_ringtest() { sed -E 's/= [0-9.e-]+ seconds.*//'; }
lines=1 program ringtest "$python" 20000 run.out -- \
	-m mpi4py.bench ringtest -n 20 -s 4096

# Most of what mpi4py can do, in one script. mpi4py itself makes calls inside of
# others: of MPI_Finalize, and of a reduction that calls a function.
export COUNTER_NESTED=yes
mkdir tour
cp "$here/tour.py" tour/
neutral_tour() { sort; }
ranks=3 program tour "$python" 300 run.out -- tour.py
# The same, the module opened for itself only, and messages received otherwise.
cp -r tour local
sed -i '1i import mpi4py\nmpi4py.rc.recv_mprobe = False\nimport sys, os\nsys.setdlopenflags(os.RTLD_NOW | os.RTLD_LOCAL)' \
	local/tour.py
neutral_local() { sort; }
ranks=3 program local "$python" 300 run.out -- tour.py

# A pool: a thread that answers workers on an intercommunicator.
mkdir pool
cat >pool/pool.py <<'END'
from mpi4py.futures import MPIPoolExecutor
if __name__ == "__main__":
	with MPIPoolExecutor() as pool:
		print(sum(pool.map(abs, range(-50, 50))))
END
neutral_pool() { cat; }
warned='flow.0.[1-9]: ends before MPI_Finalize' lines=1 ranks=3 \
	explained='^incomplete +1 +flows without MPI_Finalize' \
	program pool "$python" 100 run.out -- -m mpi4py.futures pool.py
finish
