#!/bin/bash
# A run in which nothing calls MPI or PVM leaves no trace, and one line says so:
# of the program that taperun became, or of rank 0, if nothing else can have
# made one. What the program does is as without Tape.
# Truth: the program without Tape.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
build doors doors.c
mkdir dir && touch dir/a dir/b

# as_plain NAME LINE, no_line NAME: as the run plain, with that line or without
line()
{
	echo "tape: $1 has called no MPI_Init: no trace was written. To trace a PVM" \
		"program use --library pvm"
}
as_plain()
{
	equal "$(cat "$1.rc")" "$(cat plain.rc)" && same plain.out "$1.out" &&
		same <(cat plain.err; echo "$2") "$1.err" &&
		equal "$(echo ./*.tape)" './*.tape'
}
no_line()
{
	equal "$(cat "$1.rc")" "$(cat plain.rc)" && same plain.out "$1.out" &&
		same plain.err "$1.err"
}

run plain ls dir
run a taperun ls dir
ok "a program that closes standard error at its end" as_plain a "$(line ls)"
run a taperun bash -c 'ls dir'
ok "a shell that becomes it" as_plain a "$(line ls)"
{ sleep 0.5; taperun bash -c 'exit 6'; echo $? >closed; } 2>&1 | true
ok "one whose standard error nobody reads" equal "$(cat closed)" 6
if [ -e "$TAPE_BUILD/lib/libtape-pvm.so" ]; then
	run plain ls dir
	run a taperun --library pvm ls dir
	ok "with --library pvm" as_plain a \
		"tape: ls has called no function of PVM: no trace was written"
fi
run plain ls none
run a taperun ls none
ok "its own errors and status" as_plain a "$(line ls)"
run plain sh -c 'ls dir; exit 3'
run a taperun sh -c 'ls dir; exit 3'
ok "a shell with children: no line" no_line a
run plain bash -c 'exit 3'
run a taperun bash -c 'exit 3'
ok "a shell without" as_plain a "$(line bash)"
echo 'int main(void) { return 4; }' >idle.c
mpicc -o idle idle.c
run plain ./idle
run a taperun ./idle
ok "a program linked with MPI that does not call it" as_plain a "$(line idle)"
printf 'import os, sys\nsys.stdout.write("x")\nsys.stdout.flush()\n' >x.py
if [ -x /usr/bin/python3 ]; then
	run plain /usr/bin/python3 x.py
	run a taperun /usr/bin/python3 x.py
	ok "Python" as_plain a "$(line python3)"
	printf 'import os\nif os.fork() == 0: os._exit(4)\nos.wait()\n' >y.py
	run plain /usr/bin/python3 y.py
	run a taperun /usr/bin/python3 y.py
	ok "one that had a child: no line" no_line a
fi
run plain mpirun -np 2 ls dir
run a taperun mpirun -np 2 ls dir
ok "taperun mpirun: one line" as_plain a "$(line ls)"
run a mpirun -np 2 taperun ls dir
ok "mpirun taperun: one line" as_plain a "$(line ls)"
run plain sh -c 'ls dir 2>&-'
run a sh -c 'taperun ls dir 2>&-'
ok "without standard error nothing is written elsewhere" no_line a
# who waits for the end of standard error waits for the program only
run a timeout 100 bash -c 'taperun bash -c "sleep 1000 2>/dev/null >&2 & \
	echo \$! >left" 2>&1 | cat'
kill "$(cat left)"
ok "a child left behind holds nothing open" equal "$(cat a.rc a.out)" 0
run plain mpirun -np 2 ./doors ring 5
for how in "taperun mpirun -np 2" "mpirun -np 2 taperun"; do
	rm -rf ./*.tape
	run a $how sh -c './doors ring 5; ls dir >/dev/null'
	ok "$how: a script with a program that is traced: no line" no_line a
	ok "$how: and it is traced" equal "$(events doors.tape 0 MPI_Recv)" 5
done

# Where some processes are not traced, those that are wait in MPI_Init for ever;
# what for is said, with Open MPI once for each command of the job.
words='tape: waiting for all processes of this job'
timeout -k 5 100 mpirun -np 1 ./doors ring 5 : -np 2 taperun -o part \
	./doors ring 5 >part.out 2>part.err </dev/null &
pid=$!
until grep -q "$words" part.err || ! kill -0 $pid 2>/dev/null; do
	sleep 0.1
done
sleep 1
kill $pid 2>/dev/null
wait $pid 2>/dev/null
said=$(grep -c "$words" part.err)
ok "a process without taperun: a line says what is waited for" \
	test "$said" -gt 0 -a "$said" -le "$([ "$MPI" = mpich ] && echo 2 || echo 1)"
finish
