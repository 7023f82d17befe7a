#!/bin/bash
# The source door for Fortran: tapefc builds a program of each interface and of
# each form, without debug information; their output is that of mpifort's, their
# events are those of the preload door, and call sites name line and procedure.
# MPI=mpich: with that family.
# Truth: the program built by mpifort; lines of the source.
. "$(dirname "$0")/tap.bash"
fc=mpifort.$MPI
command -v $fc >/dev/null || fc=mpifort
need mpirun $fc gfortran jq
export MPIFORT=$fc
cp "$here"/fortran_ring.* .

# events TRACE: of each rank, without dates and places
events()
{
	tapedump -j "$1" 2>/dev/null | jq -c 'select(.call and .call != "processor") | [.rank, .call,
		.tag, .actual_tag, .peer, .actual_peer, .bytes, .comm]' |
		sort -s -t, -k1,1
}
# sites TRACE RANK: call, line, file and procedure
sites() { sed -n 's/^site [0-9]* //p' "$1/rank.$2" | sort; }

# doors NAME EVENTS SOURCE OPTION...: by preload, and compiled by tapefc
doors()
{
	local name=$1 n=$2

	shift 2
	ok "$name: compiles without Tape" $fc -w "$@" -o $name
	mkdir -p again
	tapefc -Wall -Werror -Wno-tabs -Wno-line-truncation -J again "$@" \
		-o $name.source 2>reports
	ok "$name: and with it, without a warning" equal \
		"$? $(grep -v 'not traced through' reports)" "0 "
	run plain.$name mpirun -np 2 ./$name
	run preload.$name mpirun -np 2 taperun -o $name ./$name
	run source.$name mpirun -np 2 ./$name.source
	# the ranks print in any order
	for i in plain preload source; do sort -o $i.$name.out{,}; done
	ok "$name: the program ends well" equal "$(cat plain.$name.rc)" 0
	ok "$name: the output is that without Tape" \
		alike plain.$name source.$name
	ok "$name: by preload, too" alike plain.$name preload.$name
	events $name.tape >preload.events
	events $name.source.tape >source.events
	ok "$name: as many events as calls" \
		equal "$(wc -l <source.events)" "$n"
	ok "$name: they are those of the preload door" \
		same preload.events source.events
	ok "$name: both ranks end in order" \
		equal "$(end_of $name.source.tape 0)$(end_of $name.source.tape 1)" \
		"finalize 0finalize 0"
}

new="101 64 fortran_ring.F90 ring
103 77 fortran_ring.F90 ring
140 32 fortran_ring.F90 step
144 29 fortran_ring.F90 step
172 33 fortran_ring.F90 step
200 48 fortran_ring.F90 within
212 85 fortran_ring.F90 twice
305 47 fortran_ring.F90 within
305 48 fortran_ring.F90 within
341 68 fortran_ring.F90 ring
342 70 fortran_ring.F90 ring"
for k in MPIFH MODULE F08; do
	want=$new n=58
	[ $k != MPIFH ] || want=${new/341 68/341 66}
	# there mpi_f08 calls PMPI_Wtime
	[ $MPI$k != mpichF08 ] || { want=$(grep -v ^305 <<<"$new"); n=46; }
	doors $k $n fortran_ring.F90 -D$k
	ok "$k: what is behind a label is reported" equal "$(cat reports)" \
		"fortran_ring.F90:40: mpi_barrier: called after a label, \
not traced through its call site"
	ok "$k: the sites of rank 0" equal "$(sites $k.source.tape 0)" \
		"$(sort <<<"$want
120 35 fortran_ring.F90 step")"
	ok "$k: the sites of rank 1" equal "$(sites $k.source.tape 1)" \
		"$(sort <<<"$want
124 38 fortran_ring.F90 step")"
	ok "$k: the other is known by its address" equal "$(sed -n \
		's/^address [0-9]* \([0-9]*\) .*/\1/p' $k.source.tape/rank.0)" 200
done
doors fixed 28 fortran_ring.f -std=legacy
ok "fixed: the sites" equal "$(cat <(sites fixed.source.tape 0) \
	<(sites fixed.source.tape 1) | sort -u)" "101 6 fortran_ring.f old
103 19 fortran_ring.f old
120 11 fortran_ring.f old
124 13 fortran_ring.f old
211 25 fortran_ring.f total
341 7 fortran_ring.f old
342 8 fortran_ring.f old"

# ---- what is announced and not made is of no other call ----

cat >stale.f90 <<'END'
program stale
   use mpi
   implicit none
   integer :: ierr, x, n

   call mpi_init(ierr)
   call tape_mpi_at(200, 200, 1001, 'said', 4, 'here', 4)
   call mpi_barrier(MPI_COMM_SELF, ierr)
   ! not that call, nor any later one
   call tape_mpi_at(200, 200, 1002, 'said', 4, 'here', 4)
   call mpi_comm_size(MPI_COMM_SELF, n, ierr)
   call mpi_barrier(MPI_COMM_SELF, ierr)
   ! not recorded, but made
   call tape_mpi_at(212, 212, 1003, 'said', 4, 'here', 4)
   call mpi_pcontrol(0)
   call mpi_allreduce(MPI_IN_PLACE, x, 1, MPI_INTEGER, MPI_SUM, &
      MPI_COMM_SELF, ierr)
   call mpi_pcontrol(1)
   call mpi_allreduce(MPI_IN_PLACE, x, 1, MPI_INTEGER, MPI_SUM, &
      MPI_COMM_SELF, ierr)
   ! one of several
   call tape_mpi_at(340, 342, 1004, 'said', 4, 'here', 4)
   call mpi_comm_size(MPI_COMM_SELF, n, ierr)
   call tape_mpi_at(999, 999, 1005, '', 0, '', 0)
   call mpi_finalize(ierr)
end program
END
$fc -w -o stale stale.f90 -L"$TAPE_BUILD/lib" -Wl,-rpath,"$TAPE_BUILD/lib" \
	-l$tracer
run stale mpirun -np 1 ./stale
ok "announced by hand: the program runs" equal "$(cat stale.rc stale.err)" 0
ok "only calls that were announced have such sites" equal \
	"$(sites stale.tape 0)" "200 1001 said here
342 1004 said here"
ok "the others are known by their addresses" equal "$(sed -n \
	's/^address [0-9]* \([0-9]*\) .*/\1/p' stale.tape/rank.0 |
	paste -sd' ')" "101 342 200 212 103"

# ---- tapefc in the compiler's place ----

mkdir -p one two build
cat >one/plain.f90 <<'END'
module plain
   integer :: tag = 3
end module
END
cat >one/first.F <<'END'
      module first
      use plain
#include "size.h"
      contains
      subroutine work
      include 'more.inc'
      integer ierr
      if (tag .eq. 3)             call mpi_barrier(mpi_comm_world,                ierr)
      print *, size_of_it, more
      end subroutine
      end module
END
echo "      integer, parameter :: size_of_it = 4" >one/size.h
echo "      include 'mpif.h'
      integer, parameter :: more = 5" >one/more.inc
cat >two/second.f90 <<'END'
program second
   use first
   implicit none
   include 'mpif.h'
   integer :: i
   call mpi_init(i)
   call work
   call mpi_finalize(i)
end program
END
wide=-ffixed-line-length-132
sources=(../one/plain.f90 ../one/first.F ../two/second.f90)
cd build || exit 1
$fc -w $wide -o ../folders "${sources[@]}"
rm -f *.mod
ok "sources of several folders, in the order of their modules" \
	tapefc -w $wide -o ../folders.source "${sources[@]}"
rm -f *.mod
for f in "${sources[@]}"; do tapefc -w $wide -c $f 2>../folders.err; done
ok "one by one" tapefc -o ../apart.source plain.o first.o second.o
cd ..
run folders mpirun -np 2 ./folders
for name in folders apart; do
	run $name.source mpirun -np 2 ./$name.source
	ok "$name: the output is that without Tape" alike folders $name.source
	ok "$name: the sites" equal "$(sites $name.source.tape 1)" \
		"101 6 ../two/second.f90 second
103 8 ../two/second.f90 second
200 8 ../one/first.F work"
done
ok "standard input" eval "tapefc -w -x f77 -c - -o in.o <fortran_ring.f &&
	nm in.o | grep -q ' U tape_mpi_at_'" 2>reports
cat >wrong.f90 <<'END'
program wrong
   use mpi
   implicit none
   integer :: i
   if (i == 0) call mpi_init(i)
   call mpi_barrier(MPI_COMM_WORLD, nothing)
   i = nowhere
end program
END
$fc -c wrong.f90 2>wrong.plain
tapefc -c wrong.f90 2>wrong.source
ok "the compiler's complaints are the same" \
	eval 'holds nothing wrong.plain && same wrong.plain wrong.source'
tapefc -cpp -E fortran_ring.F90 -DF08 2>reports >preprocessed
ok "-E names the user's file" eval \
	'holds "^# [0-9]+ .fortran_ring.F90." preprocessed && lacks /tapefc. preprocessed'
finish
