#!/bin/bash
# The testers of the BLACS, in C and in Fortran: tens of millions of calls, and
# at the end MPI_Abort, which they test, too.
. "$(dirname "$0")/../e2e/programs.bash"
home=$(echo /usr/lib/*/scalapack/openmpi-tests/BLACS)
if [ ! -d "$home" ]; then
	skip "blacs" "mpi scalapack-mpi-test is not installed"
	finish
fi

# who is killed meanwhile has made one call that never ended
export ranks=4 status=255 end=any killed=yes long=yes
explained='^incomplete +4 +flows without MPI_Finalize|^unmatched'
warned='has no end record|ends in MPI_Abort'
neutral_blacs()
{
	case $1 in
	# what is said, not by whom and in which order
	run.err) grep -oE 'BLACS [A-Z]+ .*' | sort -u ;;
	*) sed -E '/[Tt]ime/d' ;;
	esac
}
for name in xCbtest xFbtest; do
	mkdir $name
	cp -L "$home"/$name "$home"/*.dat $name/
	eval "neutral_$name() { neutral_blacs \$1; }"
	lines=100 program $name ./$name 10000000 run.out --
done
finish
