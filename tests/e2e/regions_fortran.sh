#!/bin/bash
# Regions of Fortran programs: use tape, and without the module in fixed form, by
# tapefc and by mpifort; where names are padded, in part of a variable, and change
# where they stand.
# Truth: the regions that the program names, in their order.
. "$(dirname "$0")/tap.bash"
need mpirun mpifort jq
{
	echo enter all
	for i in $(seq -f %03g 300); do
		printf '%s\n' "enter step $i" "enter inner" "leave inner" "leave step $i"
	done
	for x in x y y; do
		long="a name of more than thirty-eight characters, $x"
		printf '%s\n' "enter $long" "leave $long"
	done
	for part in solve sol solve sol; do
		printf '%s\n' "enter $part" "leave $part"
	done
	printf '%s\n' "enter " "leave " "leave all"
} >named
# the marks of a rank
marks()
{
	tapedump -j "$1" 2>/dev/null | jq -r 'select(.rank == '$2' and
		(.call == "enter" or .call == "leave")) | "\(.call) \(.region)"'
}
has_regions()
{
	marks $1.tape 0 >$1.0
	marks $1.tape 1 >$1.1
	same named $1.0 && same named $1.1
}
# traced NAME COMMAND...
traced()
{
	run $1 mpirun -np 2 "${@:2}"
	ok "$1: it runs" equal "$(cat $1.rc $1.err)" 0
	ok "$1: its regions" has_regions $1
}
source=$here/regions_fortran.F90
cp "$source" free.F90
cp "$source" fixed.F

ok "tapefc finds the module" tapefc -O1 -DFREE -o free free.F90
traced free taperun -o free ./free
ok "and leaves none behind" [ ! -e tape.mod ]
ok "an object by itself, then the program" eval \
	"tapefc -c -DFREE -o part.o free.F90 && tapefc -o parts part.o"
traced parts taperun -o parts ./parts
ok "without the module, in fixed form" tapefc -O1 -o fixed fixed.F
traced fixed taperun -o fixed ./fixed
ok "by mpifort, with the source of the module" mpifort -O1 -DFREE -o plain \
	"$TAPE_BUILD/include/tape.f90" free.F90 -L"$TAPE_BUILD/lib" -l$tracer \
	-Wl,-rpath,"$TAPE_BUILD/lib"
traced plain taperun -o plain ./plain
ok "other compilers' names" mpifort -O1 -fsecond-underscore -o second \
	fixed.F -L"$TAPE_BUILD/lib" -l$tracer -Wl,-rpath,"$TAPE_BUILD/lib"
traced second taperun -o second ./second
run without ./free
ok "without taperun nothing of it is said" equal "$(cat without.rc without.err)" 0
finish
