#!/bin/bash
# The examples: right on every number of ranks, the same with and without Tape,
# their checks able to fail, and as many messages in the trace as were sent.
# Truth: the program without Tape; its own checks and count of messages.
set -u
B=$TAPE_BUILD
if ! command -v mpirun >/dev/null || [ ! -x "$B/examples/jacobi" ]; then
	echo "ok 1 - examples # SKIP mpi is not there"
	exit 0
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

n=0
ok() { # ok STATUS WHAT
	n=$((n + 1))
	[ "$1" -eq 0 ] || printf 'not '
	echo "ok $n - $2"
}

# run RANKS PROGRAM ARGUMENTS: prints what the program prints
run() { timeout 60 mpirun -np "$1" "${@:2}" 2>>stderr; }

# says_checked RANKS PROGRAM ARGUMENTS: it ends well, and was checked
says_checked() {
	local out
	out=$(run "$1" "$B/examples/$2" "${@:3}") && [[ $out == *': checked' ]]
}
for ranks in 1 2 3 4; do
	says_checked $ranks jacobi -n 61 -i 100
	ok $? "jacobi on $ranks ranks agrees with the one computed alone"
done
says_checked 3 jacobi -n 16 -i 100000
ok $? "jacobi stops when the plate is at rest"
for ranks in 1 2 4; do
	says_checked $ranks fft2d -n 64
	ok $? "fft2d on $ranks ranks agrees with the one computed alone"
	says_checked $ranks fft2d -m -n 64 -i 2
	ok $? "fft2d by messages on $ranks ranks, too"
done
for ranks in 2 3 5; do
	says_checked $ranks workers -n 40
	ok $? "workers on $ranks ranks agree with the one computed alone"
done
says_checked 4 workers -n 2
ok $? "workers without work end"

seconds=$(run 2 "$B/examples/jacobi" -t -n 32 -i 10)
[[ $seconds =~ ^[0-9]+\.[0-9]+$ ]]
ok $? "jacobi -t prints one number"
run 2 "$B/examples/fft2d" -n 48 >/dev/null; [ $? -eq 2 ]
ok $? "fft2d refuses a size that is no power of two"
run 1 "$B/examples/workers" >/dev/null; [ $? -eq 2 ]
ok $? "workers refuses to be without workers"

# ---- a network that garbles one message: the checks must notice ----

cat >garble.c <<'END'
#include <mpi.h>
static int calls;

/* the second word of one message, in the middle of the run */
static void garble(void *p, MPI_Datatype type)
{
	if (++calls != 4)
		return;
	if (type == MPI_DOUBLE)
		((double *)p)[1] += 0.5;
	else
		((int *)p)[1] += 1;
}

int MPI_Sendrecv(const void *a, int b, MPI_Datatype c, int d, int e, void *f,
		 int g, MPI_Datatype h, int i, int j, MPI_Comm k, MPI_Status *s)
{
	int rc = PMPI_Sendrecv(a, b, c, d, e, f, g, h, i, j, k, s);

	if (i != MPI_PROC_NULL)
		garble(f, h);
	return rc;
}

int MPI_Alltoall(const void *a, int b, MPI_Datatype c, void *d, int e,
		 MPI_Datatype f, MPI_Comm g)
{
	int rc = PMPI_Alltoall(a, b, c, d, e, f, g);

	calls = 3;
	garble(d, f);
	return rc;
}

int MPI_Recv(void *a, int b, MPI_Datatype c, int d, int e, MPI_Comm f,
	     MPI_Status *s)
{
	int rc = PMPI_Recv(a, b, c, d, e, f, s);

	if (b > 1)
		garble(a, c);
	return rc;
}
END
${MPICC:-mpicc} -O1 -fPIC -shared garble.c -o garble.so
ok $? "the garbling library compiles"
for example in 'jacobi -n 32 -i 50' 'fft2d -n 32' 'workers -n 20'; do
	set -- $example
	: >stderr
	run 2 -x LD_PRELOAD="$dir/garble.so" "$B/examples/$1" "${@:2}" >out
	[ $? -eq 1 ] && grep -q "$1: .*differs" stderr
	ok $? "$1 notices a garbled message"
done

# ---- under Tape ----

# messages TRACE NUMBER: sba matches exactly that many, and leaves none
messages() {
	local json
	json=$("$B/bin/sba" -j -o "$1.sba" "$1") || return 1
	echo "# $json"
	[[ $json == *"\"messages\":$2,"* ]] &&
		[[ $json == *'"unmatched_sends":0,"unmatched_receives":0,'* ]]
}
# traced NAME MESSAGES RANKS ARGUMENTS...
traced() {
	local plain out
	plain=$(run "$3" "$B/examples/$1" "${@:4}")
	out=$(run "$3" "$B/bin/taperun" -o "$dir/$1.tape" "$B/examples/$1" \
		"${@:4}")
	ok $? "$1 ends well under Tape"
	[ -n "$out" ] && [ "$out" = "$plain" ]
	ok $? "$1 says the same with and without Tape"
	messages "$1.tape" "$2"
	ok $? "$1: $2 messages in its trace, all matched"
}
# two messages a step and pair of neighbours
traced jacobi $((2 * 2 * 100)) 3 -n 61 -i 100
traced fft2d 0 4 -n 64
# each row there and back, and a word to each worker at the end
traced workers $((2 * 40 + 2)) 3 -n 40

# ---- the inner probe: marks with the library, none without ----

if [ -x "$B/bench/jacobi-16" ]; then
	plain=$(run 2 "$B/bench/jacobi-16" -n 64 -i 10)
	out=$(run 2 "$B/bin/taperun" -s alpha=calibrated -o "$dir/probe.tape" \
		"$B/bench/jacobi-16" -n 64 -i 10)
	[ -n "$out" ] && [ "$out" = "$plain" ]
	ok $? "the probed jacobi says the same with and without Tape"
	# 64 x 64 cells, 16 a probe of two marks, 10 steps; and once more all
	# of it, when rank 0 computes alone
	events=$("$B/bench/read" probe.tape | cut -d ' ' -f 1)
	marks=$((2 * (64 * 64 / 16) * 10 * 2))
	calls=$((events - marks))
	echo "# $events events, $marks marks"
	# besides the marks: 3 calls a step, some at the ends, on two ranks
	[ "$calls" -ge 60 ] && [ "$calls" -lt 100 ]
	ok $? "the probed jacobi leaves two marks for each 16 cells"
else
	n=$((n + 1))
	echo "ok $n - the probed jacobi # SKIP bench programs are not built"
fi

# ---- through the compiler driver ----

if [ -x "$B/examples/jacobi-tapecc" ]; then
	out=$(TAPE_TRACE=$dir/source.tape run 2 "$B/examples/jacobi-tapecc" \
		-n 61 -i 100)
	[[ $out == *': checked' ]]
	ok $? "jacobi compiled with tapecc is right"
	messages source.tape $((2 * 100))
	ok $? "jacobi compiled with tapecc: its messages are in the trace"
	grep -q '^site .*jacobi\.c' source.tape/rank.0
	ok $? "jacobi compiled with tapecc: call sites name the source file"
else
	n=$((n + 1))
	echo "ok $n - jacobi compiled with tapecc # SKIP tapecc is not built"
fi
echo "1..$n"
