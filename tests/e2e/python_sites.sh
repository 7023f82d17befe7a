#!/bin/bash
# Call sites and regions of programs in Python that use mpi4py: file, line and
# function of Python, in functions, generators, tasks, threads, code that is
# made at run time, an interpreter in a program of C. Debian's mpi4py is one for
# Open MPI only.
# Truth: the program says where its calls stand (python_sites.py); the program
# without Tape; the headers of the installed Python.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc jq
python=/usr/bin/python3
if ! "$python" -c 'import mpi4py' 2>/dev/null; then
	skip "python_sites" "mpi python3-mpi4py is not installed"
	finish
fi
# more threads than processors: who waits lets the others run
export OMPI_MCA_mpi_yield_when_idle=1 LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
module=$TAPE_BUILD/lib/python3/dist-packages
calls='Barrier|Allreduce|Bcast|Gather|Irecv|Isend|Waitall|Sendrecv|Mprobe|Mrecv|Wait|Send'

mkdir elsewhere
for name in other grüße; do
	printf '\n\ndef call(at, comm):\n\tat("MPI_Barrier"); comm.Barrier()\n' \
		>elsewhere/$name.py
done
cp "$here/python_sites.py" .

# seen TRACE RANK: call, file, line and function of what the program says of, in
# the order of time; repetitions once
seen()
{
	tapedump -j "$1" 2>/dev/null | jq -r "select(.rank == $2)
		| select(.call // \"\" | test(\"^MPI_($calls)\$\"))
		| \"\\(.call) \\((.file // \"?\") | split(\"/\") |
			last):\\(.line // \"?\") \\(.function // \"?\")\"" | uniq
}

run plain mpirun -np 2 "$python" python_sites.py
for r in 0 1; do mv results.$r plain.$r; done
run traced mpirun -np 2 taperun -o sites "$python" python_sites.py
ok "the program ends as without Tape" equal "$(cat plain.rc traced.rc)" "0
0"
ok "it prints the same" same <(cat plain.out plain.err) \
	<(cat traced.out traced.err)
for r in 0 1; do
	ok "rank $r: the same results" same plain.$r results.$r
	ok "rank $r: file, line and function of each call" \
		same <(uniq truth.$r) <(seen sites.tape $r)
done
ok "texts that are the same have one call site" [ \
	"$(grep -c '^site ' sites.tape/rank.0)" -lt 500 ]
ok "the import statement, not the import system" equal \
	"$(tapedump -j sites.tape 2>/dev/null | jq -r 'select(.rank == 0 and
		.call == "MPI_Init_thread") | "\(.line) \(.function)"')" \
	"$(grep -n '^from mpi4py' python_sites.py | cut -d: -f1) <module>"

# ---- other ways to start ----

ok "python -c" eval 'mpirun -np 2 taperun -o words "$python" -c "
from mpi4py import MPI
MPI.COMM_WORLD.Barrier()" && equal "$(calls="Barrier" seen words.tape 0)" \
	"MPI_Barrier <string>:3 <module>"'

cat >embedded.c <<'EOF'
#include <Python.h>

int main(void)
{
	for (int i = 0; i < 2; i++) { /* the second time without mpi4py */
		Py_Initialize();
		if (PyRun_SimpleString(i ? "x = 1" :
			"from mpi4py import MPI\nMPI.COMM_WORLD.Barrier()\n"))
			return 1;
		if (i)
			break;
		PyRun_SimpleString("MPI.Finalize()");
	}
	return Py_FinalizeEx();
}
EOF
flags=$("$python-config" --embed --cflags --ldflags 2>/dev/null)
if gcc -w -o embedded embedded.c $flags 2>embedded.log; then
	run embedded mpirun -np 2 taperun -o embedded ./embedded
	ok "an interpreter in a program of C" equal \
		"$(cat embedded.{rc,err}) $(calls='Barrier|Finalize' seen embedded.tape 1)" \
		"0 MPI_Barrier <string>:2 <module>
MPI_Finalize <string>:1 <module>"
else
	skip "an interpreter in a program of C" "mpi python3-dev is not installed"
fi

# ---- processes and interpreters that the program starts ----

cat >spawn.py <<'EOF'
import sys
from mpi4py import MPI

def parent():
    child = MPI.COMM_SELF.Spawn(sys.executable, [__file__, "child"], 2)
    child.Barrier()
    child.Disconnect()

def child():
    up = MPI.Comm.Get_parent()
    up.Barrier()
    MPI.COMM_WORLD.Barrier()
    up.Disconnect()

child() if len(sys.argv) > 1 else parent()
EOF
run spawn mpirun -np 1 taperun -o spawn "$python" spawn.py
ok "a spawned job: its own trace, file, line and function of all calls" equal \
	"$(cat spawn.rc spawn.err; calls='Comm_spawn|Barrier' seen spawn.tape 0
	for r in 0 1; do calls='Comm_get_parent|Barrier' seen spawn.2.tape $r; done)" \
	"0
MPI_Comm_spawn spawn.py:5 parent
MPI_Barrier spawn.py:6 parent
MPI_Comm_get_parent spawn.py:10 child
MPI_Barrier spawn.py:11 child
MPI_Barrier spawn.py:12 child
MPI_Comm_get_parent spawn.py:10 child
MPI_Barrier spawn.py:11 child
MPI_Barrier spawn.py:12 child"
tapestat -t calls -n 0 spawn.2.tape >spawn.calls 2>&1
ok "the report names the functions" \
	holds 'MPI_Barrier spawn.py:11 child$' spawn.calls

cat >inner.py <<'EOF'
import _xxsubinterpreters as inner
code = """
from mpi4py import MPI
def work(comm):
    comm.Barrier()
work(MPI.COMM_WORLD)
"""
made = inner.create()
inner.run_string(made, code)
inner.run_string(made, "MPI.COMM_SELF.Barrier()")
inner.destroy(made)
print("done")
EOF
if [ "$("$python" -c 'import sys; print(sys.version_info[:2])')" = "(3, 11)" ]; then
	run bare mpirun -np 2 "$python" inner.py
	run inner mpirun -np 2 taperun -o inner "$python" inner.py
	ok "a subinterpreter: the program prints the same" equal \
		"$(cat inner.rc inner.out inner.err)" "$(cat bare.rc bare.out bare.err)"
	ok "a subinterpreter: the line that runs it" equal \
		"$(calls=Barrier seen inner.tape 1)" "MPI_Barrier inner.py:9 <module>
MPI_Barrier inner.py:10 <module>"
else
	skip "a subinterpreter" "this is not Python 3.11"
fi

# What is read of Python's memory is where its headers have it.
cat >layout.c <<'EOF'
#define Py_BUILD_CORE 1
#include <Python.h>
#include <internal/pycore_frame.h>
#include <stddef.h>
#include "python_code.h"

#define SAME(field, type, member) \
	(l->field == offsetof(type, member) ? 0 : (puts(#member), 1))

int main(void)
{
	const struct tape_python_layout *l = tape_python_layout(PY_VERSION_HEX);

	return !l || SAME(state_frame, PyThreadState, cframe) |
		SAME(cframe_frame, _PyCFrame, current_frame) |
		SAME(frame_code, _PyInterpreterFrame, f_code) |
		SAME(frame_previous, _PyInterpreterFrame, previous) |
		SAME(frame_instruction, _PyInterpreterFrame, prev_instr) |
		SAME(frame_owner, _PyInterpreterFrame, owner) |
		SAME(code_first_line, PyCodeObject, co_firstlineno) |
		SAME(code_bytes, PyCodeObject, co_code_adaptive) |
		(l->ascii_bytes != sizeof(PyASCIIObject)) |
		(l->compact_bytes != sizeof(PyCompactUnicodeObject)) |
		(offsetof(PyCodeObject, co_filename) != 112) |
		(offsetof(PyCodeObject, co_qualname) != 128) |
		(offsetof(PyCodeObject, co_linetable) != 136) |
		(offsetof(PyBytesObject, ob_sval) != 32) |
		(offsetof(PyASCIIObject, state) != 32);
}
EOF
include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
if [ -e "$include/internal/pycore_frame.h" ]; then
	ok "the layout is that of its headers" eval 'gcc -w -o layout \
		-I"$include" -I"$include/internal" \
		-I"$TAPE_TOP"/{runtime/{events,core},catalogue} layout.c \
		"$TAPE_TOP/runtime/events/python_code.c" && ./layout'
else
	skip "the layout is that of its headers" "mpi python3-dev is not installed"
fi

# ---- threads at once ----

cat >together.py <<'EOF'
import threading
from mpi4py import MPI
done, gate = [], threading.Barrier(4)
def first(comm):
	for i in range(2000): comm.Barrier(); i or gate.wait()
	done.append(1)
def second(comm):
	for i in range(2000): comm.Barrier(); i or gate.wait()
	done.append(2)
threads = [threading.Thread(target=f, args=(MPI.COMM_SELF.Dup(),))
	for f in (first, second, first, second)]
for t in threads: t.start()
for t in threads: t.join()
print(sorted(done))
# one that the interpreter leaves behind in a call, when it ends
threading.Thread(target=MPI.COMM_SELF.Dup().recv, daemon=True).start()
EOF
run together mpirun -np 1 taperun -o together "$python" together.py
ok "threads at once: each has its own function and line" equal \
	"$(cat together.rc together.out; tapedump -j together.tape 2>/dev/null |
		jq -r 'select(.call == "MPI_Barrier") | "\(.thread) \(.line) \(.function)"' |
		sort | uniq -c | awk '{ print $1, $3, $4 }' | sort)" "0
[1, 1, 2, 2]
2000 5 first
2000 5 first
2000 8 second
2000 8 second"

# ---- settings ----

ok "calls of one file" eval 'mpirun -np 1 taperun -s files=other.py -o one \
	"$python" python_sites.py && equal "$(tapedump -j one.tape 2>/dev/null |
	jq -r "select(.call == \"MPI_Barrier\") | .file" | sed "s|.*/||" |
	sort -u)" other.py'

# ---- regions ----

cat >regions.py <<'EOF'
import sys
import tape
assert "libtape-reader" not in open("/proc/self/maps").read()
before = tape.region("before MPI_Init")
with before:
	from mpi4py import MPI
comm = MPI.COMM_SELF

@tape.region("whole")
def whole(depth):
	comm.Barrier()
	if depth:
		whole(depth - 1)
	with tape.region("part \u00fc"):
		comm.Barrier()
	return depth

print(whole(1), whole.__name__)
for error in ValueError, SystemExit, KeyboardInterrupt:
	try:
		with tape.region("fails"):
			comm.Barrier()
			raise error
	except error:
		comm.Barrier()
def leave():
	for _ in range(2):
		with tape.region("loop"):
			return comm.Barrier()
leave()
for i in range(3):
	with tape.region(f"step {i}"):
		comm.Barrier()
async def task():
	pass
try:
	tape.region("task")(task)
except TypeError as e:
	print(e)
EOF
export PYTHONPATH=$module
run bare "$python" regions.py
run regions mpirun -np 1 taperun -o regions "$python" regions.py
marks()
{
	tapedump -c "$1" 2>/dev/null | awk -F, '
		$5 == "enter" { print depth++, $9 }
		$5 == "leave" { depth--; print "end", $9 }
		$5 == "MPI_Barrier" { print "call", depth + 0 }'
}
ok "regions: the program prints the same" equal \
	"$(cat regions.rc regions.out regions.err)" "$(cat bare.rc bare.out bare.err)"
ok "regions: with, a decorator, exceptions" equal "$(marks regions.tape |
	paste -sd ' ')" "$(cat <<'EOF' | paste -sd ' '
0 whole
call 1
1 whole
call 2
2 part ü
call 3
end part ü
end whole
1 part ü
call 2
end part ü
end whole
0 fails
call 1
end fails
call 0
0 fails
call 1
end fails
call 0
0 fails
call 1
end fails
call 0
0 loop
call 1
end loop
0 step 0
call 1
end step 0
0 step 1
call 1
end step 1
0 step 2
call 1
end step 2
EOF
)"
finish
