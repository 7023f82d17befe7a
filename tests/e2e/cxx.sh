#!/bin/bash
# C++: static objects that call MPI before main and after it (statics.cpp), and
# the C++ interface. Libraries that the loader starts before Tape's call MPI in
# their constructors, and those that it stops after Tape's in destructors.
# Truth: the program without Tape.
. "$(dirname "$0")/programs.bash"
need mpicxx
lines=1

# statics BEGIN END LEAST
statics()
{
	local name=statics_$1$2 flags="-g -w -fPIC -DOMPI_SKIP_MPICXX"

	mkdir "$name"
	flags+=" -DBEGIN=$1 -DEND=$2"
	mpicxx $flags -shared -o "$name/libpart.so" "$here/statics_library.cpp" &&
		mpicxx $flags -o "$name/$name" "$here/statics.cpp" \
			-L"$name" -Wl,-rpath,'$ORIGIN' -lpart || exit 1
	eval "neutral_$name() { neutral_statics; }"
	program "$name" "./$name" "$3" --
}
# who is first prints first, or is first said to have ended badly
neutral_statics()
{
	sed -E "$neutral; s/(mpirun has .* process rank) [0-9]+/\1/" | sort
}

statics 1 2 70
statics 1 3 80
statics 1 4 70
statics 2 2 80
statics 2 3 80
statics 3 1 70
statics 3 3 90
status=1 end="exit 0" explained='^incomplete +2 +flows without MPI_Finalize'
warned='ends before MPI_Finalize'
statics 1 5 80
statics 3 5 90
unset status end explained warned

if echo '#include <mpi.h>
	int main() { return MPI::Is_initialized(); }' >has.cpp &&
	mpicxx -w -o has has.cpp 2>/dev/null; then
	mkdir bindings
	mpicxx -g -w -o bindings/bindings "$here/bindings.cpp" || exit 1
	neutral_bindings() { sort; }
	program bindings ./bindings 20 --
fi
finish
