#!/bin/bash
# The PVM examples: they print what the MPI versions print (and both compare
# with the same computation by one alone), on every number of tasks; traced they
# print the same, and an independent counter saw as many calls and bytes; and
# they notice it when a message is garbled.
# Truth: the program without Tape; calls counted by a library of its own.
. "$(dirname "$0")/pvm.bash"
examples=$TAPE_BUILD/examples
[ -x "$examples/pvm/jacobi" ] || {
	skip "pvm_examples" "pvm examples are not built: pvm3.h is missing"
	finish
}

# One machine for all runs: "NAME TASKS ARGUMENTS" a line, files NAME.TASKS
cat >runs <<'END'
jacobi 1 -n 61 -i 100
jacobi 2 -n 61 -i 100
jacobi 4 -n 61 -i 100
jacobi 3 -n 16 -i 100000
fft2d 1 -n 64
fft2d 2 -n 64
fft2d 4 -n 64
workers 2 -n 40
workers 3 -n 40
workers 5 -n 40
workers 4 -n 2
END
grep jacobi runs | sed 's/jacobi/jacobi_fortran/' >fortran
[ -x "$examples/pvm/jacobi_fortran" ] && cat fortran >>runs
cat >all <<'END'
while read -r name n arguments; do
	"$1/pvm/$name" $n $arguments </dev/null >$name.$n.out 2>$name.$n.err
	echo $? >>$name.$n.out
done <runs
END
pvm_machine sh all "$examples" 2>machine.err

# as_mpi NAME TASKS ARGUMENTS: as MPI's version, which was checked
as_mpi()
{
	run mpi mpirun -np "$2" "$examples/${1%_fortran}" "${@:3}"
	[ "$(cat mpi.rc)" -eq 0 ] && holds ': checked$' mpi.out &&
		same <(cat mpi.out mpi.rc) "$1.$2.out" &&
		lacks . "$1.$2.err"
}
if command -v mpirun >/dev/null && [ -x "$examples/jacobi" ]; then
	while read -r name n arguments; do
		ok "$name, $n tasks, $arguments: as the MPI version" \
			as_mpi "$name" "$n" $arguments </dev/null
	done <runs
else
	skip "as the MPI versions" "mpi is not there"
fi
[ -x "$examples/pvm/jacobi_fortran" ] ||
	skip "jacobi in Fortran" "fortran compiler is missing"

if [ -e "$TAPE_BUILD/lib/libtape-pvm.so" ]; then
	cat >again <<'END'
while read -r name n arguments; do
	of=$name.$n
	taperun --library pvm -o $of "$2/count" -p $of.counts "$1/pvm/$name" $n \
		$arguments </dev/null >$of.traced 2>>$of.err
	echo $? >>$of.traced
done <runs
END
	pvm_machine sh again "$examples" "$TAPE_BUILD/rig" 2>machine.err
	while read -r name n arguments; do
		ok "$name, $n tasks, $arguments: the same when traced" \
			same "$name.$n.out" "$name.$n.traced"
		ok "$name, $n tasks: every call is in the trace, and every byte" \
			"$TAPE_BUILD/rig/counted" -a "$name.$n.tape" \
			"$name.$n.counts"
	done <runs
else
	skip "traced" "pvm Tape was built without it"
fi

# refused PROGRAM ARGUMENTS: with a word on what it takes
refused()
{
	run refused pvm_machine "$examples/pvm/$@"
	equal "$(cat refused.rc) $(cat refused.out)" "2 " &&
		holds '^usage: ' refused.err
}
ok "jacobi refuses more tasks than rows" refused jacobi 4 -n 3
ok "fft2d refuses a size that is no power of two" refused fft2d 2 -n 48
ok "workers refuses to be without workers" refused workers 1
run time pvm_machine "$examples/pvm/jacobi" 2 -t -n 32 -i 10
ok "jacobi -t prints one number" holds '^[0-9]+\.[0-9]{9}$' time.out
alone()
{
	run alone env PVM_ALLOW_ROOT=1 PVM_TMP="$work" \
		"$examples/pvm/jacobi" 2
	[ "$(cat alone.rc)" -eq 1 ] && holds 'there is no PVM' alone.err
}
ok "without a PVM it says so" alone

# ---- a network that garbles one message: the checks must notice ----

# The second word of what the first task unpacks. PVM's own calls go there, too:
# single numbers, and few of several ints.
cat >garble.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>

int pvm_upkdouble(double *x, int n, int stride)
{
	int (*real)(double *, int, int) = dlsym(RTLD_NEXT, "pvm_upkdouble");
	int rc = real(x, n, stride);
	static int calls;

	if (n > 1 && ++calls == 1)
		x[1] += 0.5;
	return rc;
}

int pvm_upkint(int *x, int n, int stride)
{
	int (*real)(int *, int, int) = dlsym(RTLD_NEXT, "pvm_upkint");
	int rc = real(x, n, stride);
	static int calls;

	if (n > 1 && ++calls == 4)
		x[1]++;
	return rc;
}
END
gcc -O1 -fPIC -shared -o garble.so garble.c || exit 1
noticed()
{
	LD_PRELOAD=$work/garble.so "$examples/pvm/$@" >out 2>err
	equal "$? $(cat out)" "1 " && holds "^$1: .*differs" err
}
export -f noticed equal holds
export examples work
for example in 'jacobi 2 -n 32 -i 50' 'fft2d 2 -n 32' 'workers 2 -n 20'; do
	ok "${example%% *} notices a garbled message" \
		pvm_machine bash -c "noticed $example"
done
finish
