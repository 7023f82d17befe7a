#!/bin/bash
# Programs that CMake builds are traced, with tapecc as the compiler and with
# tapecc as what FindMPI asks for the flags of MPI; in C and in Fortran.
# Truth: the program without Tape.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc cmake
case $MPI in mpich) fc=mpifort.mpich ;; *) fc=mpifort.openmpi ;; esac
command -v $fc >/dev/null || fc=mpifort
export MPICC=$work/.mpi/mpicc MPIFORT=$fc

mkdir c f
cat >c/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(Ring C)
find_package(MPI REQUIRED COMPONENTS C)
add_executable(ring ring.c)
target_link_libraries(ring PRIVATE MPI::MPI_C)
END
cat >c/ring.c <<'END'
#include <mpi.h>
#ifdef WITH_TAPE
#include <tape.h>
#endif
int main(int argc, char **argv)
{
	int me, n, in;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
#ifdef WITH_TAPE
	tape_enter("ring");
#endif
	for (int i = 0; i < 7; i++)
		MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % n, 1, &in, 1, MPI_INT,
			     (me + n - 1) % n, 1, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
END
cat >f/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(Ring Fortran)
find_package(MPI REQUIRED COMPONENTS Fortran)
add_executable(ring ring.f90)
target_link_libraries(ring PRIVATE MPI::MPI_Fortran)
END
cat >f/ring.f90 <<'END'
program ring
  use mpi
  implicit none
  integer :: me, i, ierr
  call mpi_init(ierr)
  call mpi_comm_rank(MPI_COMM_WORLD, me, ierr)
  do i = 1, 7
    call mpi_barrier(MPI_COMM_WORLD, ierr)
  end do
  call mpi_finalize(ierr)
end program
END

# built NAME SOURCE CMAKE-ARGUMENT...: the program NAME/ring
built()
{
	local name=$1 from=$2

	shift 2
	cmake -S "$from" -B "$name" "$@" >"$name.log" 2>&1 &&
		cmake --build "$name" >>"$name.log" 2>&1 ||
		{ tail -n 40 "$name.log"; false; }
}

# traces NAME CALL: seven calls of each of two ranks, run without taperun
traces()
{
	run "$1" env TAPE_TRACE="$1" mpirun -np 2 "$1/ring"
	equal "$(cat "$1.rc" "$1.err") $(events "$1.tape" 0 "$2") $(
		events "$1.tape" 1 "$2")" "0 7 7"
}

# by_source NAME CALL: the call sites are lines of the source, or are not
by_source() { grep -q '^site .*ring\.' "$1.tape/rank.0"; }

ok "MPI_C_COMPILER=tapecc: builds" \
	built asked c -DMPI_C_COMPILER="$(command -v tapecc)"
ok "MPI_C_COMPILER=tapecc: traced by the library" traces asked MPI_Sendrecv
ok "MPI_C_COMPILER=tapecc: tape.h is found" \
	built header c -DMPI_C_COMPILER="$(command -v tapecc)" \
	-DCMAKE_C_FLAGS=-DWITH_TAPE
ok "MPI_C_COMPILER=tapecc: tape_enter is there" traces header MPI_Sendrecv
ok "CC=tapecc: builds" built cc c -DCMAKE_C_COMPILER="$(command -v tapecc)"
ok "CC=tapecc: traced" traces cc MPI_Sendrecv
ok "CC=tapecc: by its source" by_source cc
if command -v $fc >/dev/null && command -v gfortran >/dev/null; then
	ok "MPI_Fortran_COMPILER=tapefc: builds" \
		built fasked f -DMPI_Fortran_COMPILER="$(command -v tapefc)"
	ok "MPI_Fortran_COMPILER=tapefc: traced" traces fasked MPI_Barrier
	ok "FC=tapefc: builds" \
		built fc f -DCMAKE_Fortran_COMPILER="$(command -v tapefc)"
	ok "FC=tapefc: traced" traces fc MPI_Barrier
	ok "FC=tapefc: by its source" by_source fc
else
	skip "Fortran" "mpi $fc is not installed"
fi

# what is printed compiles and is traced, word by word
by_words()
{
	local flags

	flags=$(tapecc "$1") || return
	set -- "${@:2}"
	gcc -o words.bin c/ring.c $(sed 's/^[^-][^ ]* //' <<<"$flags") &&
		run words env TAPE_TRACE="words$tests" mpirun -np 2 ./words.bin &&
		equal "$(events "words$tests.tape" 1 MPI_Sendrecv)" 7
}
case $MPI in
mpich) asks="-show -link_info -compile-info" ;;
*) asks="-show -showme --showme" ;;
esac
for ask in $asks; do
	ok "the command that $ask prints" by_words "$ask"
done
if [ "$MPI" = openmpi ]; then
	ok "-showme:libs" holds '^tape-mpi mpi' <(tapecc -showme:libs)
	ok "-showme:libdirs" holds "^$TAPE_BUILD/lib /" \
		<(tapecc -showme:libdirs)
	ok "-showme:incdirs" holds " $TAPE_BUILD/include\$" \
		<(tapecc -showme:incdirs)
fi
ok "-show of a compilation has no library" \
	lacks ' -l' <(tapecc -show -c c/ring.c)
finish
