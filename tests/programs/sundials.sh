#!/bin/bash
# The parallel examples of SUNDIALS: C sources, compiled by tapecc. Their
# numbers are those of the program compiled by mpicc, and the calls of the
# sources have files and lines; those of the library come from the link door.
. "$(dirname "$0")/../e2e/programs.bash"
need tapecc mpicc
home=/usr/share/doc/libsundials-dev/examples
if [ ! -d "$home" ]; then
	skip "sundials" "mpi libsundials-dev is not installed"
	finish
fi

# example NAME SOURCE LEAST LIBRARY...
example()
{
	local name=$1 source=$2 least=$3 flags=() library

	shift 3
	for library in "$@" nvecserial nvecparallel; do
		flags+=("-lsundials_$library")
	done
	mkdir "$name"
	cp "$home/$source" "$name/$name.c"
	[ -f "$name/$name.c" ] || gunzip <"$home/$source.gz" >"$name/$name.c"
	mpicc -w -O1 -o "$name/$name.plain" "$name/$name.c" "${flags[@]}" -lm &&
		tapecc -w -O1 -o "$name/$name.tapecc" "$name/$name.c" \
			"${flags[@]}" -lm || {
		ok "$name: compiles" false
		return
	}
	run "$name.plain" mpirun -np ${ranks:-2} "$name/$name.plain"
	TAPE_TRACE=$name run "$name.traced" mpirun -np ${ranks:-2} "$name/$name.tapecc"
	ok "$name: same results" alike_but_times "$name"
	ok "$name: at least $least calls, each by one door" \
		doors "$name" "$least"
	ok "$name: sba, tico and tapedump take it" tools "$name"
}
alike_but_times()
{
	equal "$(cat "$1.plain.rc")" "$(cat "$1.traced.rc")" &&
		same <(grep -vi 'time =' "$1.plain.out") \
			<(grep -vi 'time =' "$1.traced.out") &&
		same "$1.plain.err" "$1.traced.err" &&
		[ "$(wc -l <"$1.traced.out")" -gt 10 ]
}
# calls of the source by file and line; as many as without it
doors()
{
	run count mpirun -np ${ranks:-2} taperun -o "$1.preload" "$1/$1.plain"
	tapedump -i "$1.tape" | awk '/^MPI_/ { print $1, $3 }' >source.calls
	tapedump -i "$1.preload.tape" | awk '/^MPI_/ { print $1, $3 }' |
		same - source.calls &&
		[ "$(awk '{ n += $2 } END { print n }' source.calls)" -ge "$2" ] &&
		tapedump "$1.tape" | grep -q "	[0-9]* +[0-9]* MPI_.*$1\.c:[0-9]"
}
example advdiff cvode/parallel/cvAdvDiff_non_p.c 1000 cvode
example advdiag cvode/parallel/cvAdvDiff_diag_p.c 1000 cvode
ranks=4 example diurnal cvode/parallel/cvDiurnal_kry_p.c 10000 cvode
example sensitivity cvodes/parallel/cvsAdvDiff_ASAp_non_p.c 1000 cvodes
finish
