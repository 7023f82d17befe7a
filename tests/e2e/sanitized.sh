#!/bin/bash
# Programs built with gcc's and clang's sanitizers start and are traced, with
# taperun behind mpirun and before it, and without Tape they do the same.
# Truth: the program without Tape.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
# the MPI libraries lose memory of their own
export ASAN_OPTIONS=detect_leaks=0 LSAN_OPTIONS=detect_leaks=0
unset OMPI_CC MPICH_CC

cat >child.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	int me, x = 0, *heap = malloc(sizeof *heap);

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	*heap = me;
	for (int i = 0; i < 5; i++)
		MPI_Allreduce(heap, &x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (argc > 1)
		x = heap[atoi(argv[1])];
	printf("%d\n", x);
	fflush(stdout);
	if (!me)
		system("echo child");
	MPI_Finalize();
	free(heap);
	return 0;
}
END

# like_plain NAME: the run NAME is as the run plain, and what it made is whole
like_plain()
{
	equal "$(cat "$1.rc") $(sort "$1.out" | paste -sd,)" \
		"$(cat plain.rc) $(sort plain.out | paste -sd,)" &&
		same <(sed -E "$neutral" plain.err) \
			<(sed -E "$neutral" "$1.err") &&
		equal "$(events "$1.tape" 0 MPI_Allreduce) $(
			events "$1.tape" 1 MPI_Allreduce)" "5 5"
}

# sanitized NAME FLAG...: with the compiler in $OMPI_CC, $MPICH_CC
sanitized()
{
	local name=$1

	shift
	if ! mpicc -g -w "$@" -o san child.c 2>san.log; then
		skip "$name" "$name is not installed"
		return
	fi
	run plain timeout 60 mpirun -np 2 ./san
	if [ "$(cat plain.rc)" -ne 0 ]; then
		skip "$name" "$name: such programs fail without Tape, too"
		return
	fi
	rm -rf b.tape a.tape
	run b timeout 60 mpirun -np 2 taperun -o b ./san
	ok "$name, mpirun taperun" like_plain b
	run a timeout 60 taperun -o a mpirun -np 2 ./san
	ok "$name, taperun mpirun" like_plain a
}
sanitized "gcc's address sanitizer" -fsanitize=address
ok "what the user asked of it stays" holds 'detect_leaks=0' \
	<(taperun -o env sh -c 'echo $ASAN_OPTIONS')
caught() # NAME: the read beyond the end is found
{
	holds 'heap-buffer-overflow' "$1.err"
}
run over timeout 60 mpirun -np 1 taperun -o over ./san 1
ok "it still finds what it is for" caught over
run leaks env ASAN_OPTIONS=detect_leaks=1 LSAN_OPTIONS=detect_leaks=1 \
	timeout 60 mpirun -np 1 taperun -o leaks ./san
ok "no memory that Tape lost" lacks 'libtape|tape_' leaks.err
sanitized "gcc's address sanitizer, static" -fsanitize=address -static-libasan
sanitized "gcc's undefined behaviour sanitizer" -fsanitize=undefined
sanitized "gcc's address and undefined" -fsanitize=address,undefined
sanitized "gcc's thread sanitizer" -fsanitize=thread
sanitized "gcc's leak sanitizer" -fsanitize=leak
if command -v clang >/dev/null; then
	export OMPI_CC=clang MPICH_CC=clang
	sanitized "clang's address sanitizer" -fsanitize=address
	sanitized "clang's address sanitizer, shared" \
		-fsanitize=address -shared-libasan \
		"-Wl,-rpath,$(dirname "$(clang -print-file-name=libclang_rt.asan-x86_64.so)")"
	sanitized "clang's thread sanitizer" -fsanitize=thread
fi
finish
