# Sourced by the tests of libtape-hsplit, after tap.bash: its programs, and the
# node of goglin-2018's figure 1.
hsplit=tape-hsplit$([ "$MPI" = mpich ] && echo -mpich)
[ -e "$TAPE_BUILD/lib/lib$hsplit.so" ] || {
	skip "$(basename "$0" .sh)" "mpi Tape was built without it"
	echo "1..$tests"
	exit 0
}

# hsplit_build NAME SOURCE [OPTION...]: a program that is linked with it
hsplit_build()
{
	local name=$1 source=$2 lib=$TAPE_BUILD/lib

	shift 2
	mpicc -O1 -g -Wall -Werror -I"$TAPE_TOP/hsplit" -o "$name" \
		"$here/$source" -L"$lib" -Wl,-rpath,"$lib" "-l$hsplit" "$@" &&
		return
	echo "Bail out! $source does not compile"
	exit 1
}

# hwloc_known: is the library with hwloc?
hwloc_known()
{
	ldd "$TAPE_BUILD/lib/lib$hsplit.so" | grep -q libhwloc
}

# Two NUMA nodes of one package each; a package has an L3, two L2, and each of
# these an L1 and two cores: eight cores.
figure1="pack:2 [numa] l3:1 l2:2 l1d:1 core:2 pu:1"

# bound LIST...: ./bound PROGRAM runs PROGRAM on that node, the local rank N
# bound to the list of processors in place N
bound()
{
	cat >bound <<-END
	#!/bin/bash
	list=($*)
	export HWLOC_SYNTHETIC="$figure1"
	export TAPE_BINDING=\${list[\${OMPI_COMM_WORLD_LOCAL_RANK:-\$PMI_RANK}]}
	exec "\$@"
	END
	chmod +x bound
}

# Ranks outnumber cores: they yield while they wait.
: "${OMPI_MCA_mpi_yield_when_idle:=1}"
export OMPI_MCA_mpi_yield_when_idle
