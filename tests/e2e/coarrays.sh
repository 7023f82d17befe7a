#!/bin/bash
# Coarray Fortran: the tests of OpenCoarrays as Debian builds them. Remote
# memory, locks, atomic operations, teams, derived datatypes.
# Truth: the program without Tape; calls counted by a library of its own.
# In make check-all only: a program of others.
. "$(dirname "$0")/programs.bash"
home=$(echo /usr/lib/*/open-coarrays/openmpi/bin/OpenCoarrays-*-tests)
if [ ! -d "$home" ]; then
	skip "coarrays" "mpi libcoarrays-openmpi-dev is not installed"
	finish
fi
export ranks=4
# each image tells each other one at the end that it stops; nobody listens
explained='^unmatched +12 +sends, 0 receives'

# images NAME LEAST: who prints first is open, and times are times
images()
{
	mkdir "$1"
	cp -L "$home/$1" "$1/"
	eval "neutral_$1() { sort | sed -E 's/(tran_time|time:).*/\1/'; }"
	lines=1 program "$1" "./$1" "$2" --
}
# coarrays.sh [all]
if [ "${1:-}" != all ]; then
	images coarray_distributed_transpose 1000
	images atomics 60
	images allocatable_p2p_event_post 60
	images asynchronous_hello_world 200
	images teams_subset 100
	images get_with_vector_index 150
	finish
fi

# Not those that differ from run to run, or that end badly, some on purpose:
# images that fail, one image more than there are.
export COUNTER_NESTED=yes
for program in "$home"/*; do
	name=$(basename "$program")
	case $name in
	coarray_burgers_pde | get_convert_char_array) continue ;;
	image_fail_* | sync_image_ring_* | *-coindex-slice) continue ;;
	esac
	mpirun -np 4 "$program" >try.out 2>&1 </dev/null || continue
	images "$name" 20
done
finish
