#!/bin/bash
# libtape-hsplit beyond the examples: errors, what is cached, types that are
# asked for, all levels at once, threads (hsplit_more.c); files that are none.
# Truth: rules of the hierarchy, worked out by hand.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
. "$here/hsplit.bash"
hsplit_build more hsplit_more.c -lpthread
hsplit_build hsplit hsplit.c
rounds=150
[ "$MPI" = openmpi ] || rounds=4 # its ranks do not yield

bound 0 1 2 3 4 5 6 7
if hwloc_known; then
	run more mpirun -np 8 ./bound ./more $rounds
	ok "errors, attributes, types, all levels, lowest levels, threads" \
		equal "$(cat more.rc more.out)" "0
many checks, 0 wrong"
	ok "a list of processors that is none is said by one process" \
		equal "$(grep -c 'tape: ' more.err) $(grep tape: more.err)" \
		"1 tape: TAPE_BINDING is not a list of processors: 1-x"
else
	skip "errors, attributes, types" "hwloc is not installed"
fi

# a NUMA node that is the machine's, with two packages in it, and a process that
# may run on both
if hwloc_known; then
	cat >numa.c <<-'C'
	#include <stdio.h>
	#include <tape_hsplit.h>
	int main(int argc, char **argv)
	{
		const char *type = "";
		MPI_Info info;
		MPI_Comm node;
		int n = 0;

		MPI_Init(&argc, &argv);
		MPI_Info_create(&info);
		MPI_Info_set(info, "mpi_hw_resource_type", argv[1]);
		tape_hsplit(MPI_COMM_WORLD, info, &node);
		if (node != MPI_COMM_NULL) {
			MPI_Comm_size(node, &n);
			tape_get_hlevel_info(node, NULL, NULL, &type);
		}
		printf("%d %s\n", n, type);
		MPI_Finalize();
		return 0;
	}
	C
	mpicc -Wall -Werror -I"$TAPE_TOP/hsplit" -o numa numa.c \
		-L"$TAPE_BUILD/lib" -Wl,-rpath,"$TAPE_BUILD/lib" "-l$hsplit" ||
		exit 1
	figure1="[numa] pack:2 core:2 pu:1" bound 0 2 0-3
	for type in NUMANode hwloc://NUMA; do
		run numa mpirun -np 3 ./bound ./numa $type
		ok "the machine's only NUMA node, as $type" equal \
			"$(cat numa.rc numa.out)" "0
3 NUMANode
3 NUMANode
3 NUMANode"
	done
	run numa mpirun -np 3 ./bound ./numa Package
	ok "and its packages" equal "$(sort numa.out)" "0 
1 Package
1 Package"
	bound 0 1 2 3 4 5 6 7
fi

# refused NAME FILE MESSAGE: all end with an error, and one says why
refused()
{
	[ "$(cat "$1.rc")" -ne 0 ] && equal "$(grep '^tape: ' "$1.err")" \
		"tape: $3" && equal "$(grep -c comm "$1.out")" 0
}
printf 'levels Switch1\nhost1 0 0\n' >coords
printf 'SwitchName=s0 Nodes=host1\nSwitchName=s0 Nodes=host2\n' >slurm
for f in coords slurm; do
	run $f env TAPE_NETWORK="$work/$f" mpirun -np 3 ./hsplit
	ok "$f: one line with file and number" \
		holds "^tape: $work/$f:2: .+" $f.err
	ok "$f: once, and nothing is split" refused $f $f \
		"$(sed -n 's/^tape: //p' $f.err | head -n 1)"
done
run none env TAPE_NETWORK="$work/none" mpirun -np 3 ./hsplit
ok "a file that is not there is named" refused none none \
	"cannot read $work/none: No such file or directory"

# without hwloc: no levels inside a host, and a line says so
mpicc -std=gnu11 -D_GNU_SOURCE -O1 -w -I"$TAPE_TOP/hsplit" \
	-I"$TAPE_TOP/levels" -I"$TAPE_TOP/catalogue" -I"$TAPE_BUILD/gen" \
	-o without "$here/hsplit.c" "$TAPE_TOP"/{hsplit,levels}/*.c \
	"$TAPE_TOP"/catalogue/{position,error}.c -ldl -lpthread || exit 1
bound 0 1 2
run without mpirun -np 3 ./bound ./without
ok "without hwloc there are no levels inside a host" equal \
	"$(cat without.rc without.out)" "0
1 none 0
1 none 1
1 none 2"
ok "which is said once" equal "$(grep -c . without.err) $(grep 'tape:' \
	without.err)" "1 tape: libtape-hsplit was built without hwloc: no levels inside a host"

[ "$MPI" = openmpi ] && hwloc_known || finish
if command -v valgrind >/dev/null; then
	run valgrind mpirun -np 2 ./bound valgrind -q --leak-check=full \
		--num-callers=30 ./hsplit
	# the MPI library's own are others
	ok "nothing of the library's is lost (valgrind)" \
		lacks '(tape_|libtape-hsplit)' valgrind.err
else
	skip "nothing of the library's is lost" "valgrind is not installed"
fi
finish
