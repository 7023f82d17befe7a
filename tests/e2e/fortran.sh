#!/bin/bash
# Programs in Fortran: by each of the three interfaces (fortran.F90) the same
# results with and without Tape, behind each door, and the same records as a
# program in C that makes the same calls (fortran_twin.c); programs of both
# languages; the beginnings and ends that Fortran has.
# Truth: the program without Tape; the same program in C.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc mpifort
lib=$TAPE_BUILD/lib

# fortran NAME SOURCE OPTION...: NAME, NAME.linked and NAME.source
fortran()
{
	local name=$1 source=$2

	shift 2
	mkdir -p "mod.$name"
	mpifort -cpp -O1 -g -w -fallow-argument-mismatch -J "mod.$name" \
		-o "$name" "$here/$source" "$@" &&
		mpifort -cpp -O1 -g -w -fallow-argument-mismatch \
			-J "mod.$name" -o "$name.linked" "$here/$source" "$@" \
			-L"$lib" -Wl,-rpath,"$lib" -ltape-mpi &&
		tapefc -cpp -O1 -w -fallow-argument-mismatch \
			-J "mod.$name" -o "$name.source" "$here/$source" "$@" \
			2>"$name.reports" && return
	echo "Bail out! $source $* does not compile"
	exit 1
}

# Lines of the ranks come in any order.
sorted() { sort -o "$1.out" "$1.out"; }

# A trace's records without times and sites, and its communicators.
records()
{
	tapedump "$1" | sed -nE 's/ ;.*//
		s/ (alpha|probe|sr|arrived)=[^ ]*//g
		s/(polls=[0-9]+)[^ ]*/\1/; s/(also=[A-Za-z_]+)@[0-9]+:([0-9]+)[^ ]*/\1:\2/
		s/^\t[0-9]+ (\+[0-9]+ )?([A-Za-z_]+) ?(@[0-9]+)?/\2/
		/^(MPI_|on|off|flow|\tend|\tcomm )/p'
}

# whole TRACE: both ranks end in order, the tools have nothing to object to
whole()
{
	local name=${1%.tape}

	equal "$(end_of "$1" 0)$(end_of "$1" 1)" "finalize 0finalize 0" ||
		return
	run tools.sba sba -o "$name.sba.tape" "$1"
	run tools.tico tico -o "$name.tico.tape" "$name.sba.tape"
	equal "$(cat tools.{sba,tico}.{rc,err} | paste -sd' ')" "0 0" &&
		holds ' 0 violations before.* 0 after' tools.sba.out &&
		lacks 'unmatched|partner missing|unknown requests|incomplete' \
			tools.tico.out
}

# ---- three interfaces ----

build twin fortran_twin.c
run twin mpirun -np 2 taperun -s arrived=off -o twin ./twin
ok "the twin in C ends well" equal "$(cat twin.rc twin.err)" 0
records twin.tape >twin.records
ok "its trace is not empty" [ "$(grep -c ^MPI_ twin.records)" -gt 400 ]

for k in MPIFH MODULE F08; do
	fortran "$k" fortran.F90 "-D$k"
	run "plain.$k" mpirun -np 2 "./$k"
	sorted "plain.$k"
	ok "$k: runs" equal "$(cat "plain.$k.rc" "plain.$k.err")" 0
	run "preload.$k" mpirun -np 2 taperun -s arrived=off -o "preload.$k" \
		"./$k"
	TAPE_TRACE=link.$k TAPE_ARRIVED=off run "link.$k" \
		mpirun -np 2 "./$k.linked"
	TAPE_TRACE=source.$k TAPE_ARRIVED=off run "source.$k" \
		mpirun -np 2 "./$k.source"
	for door in preload link source; do
		sorted "$door.$k"
		ok "$k, $door: same results" alike "plain.$k" "$door.$k"
		ok "$k, $door: no word from Tape" \
			lacks '^tape: ' "$door.$k.err"
		records "$door.$k.tape" >"$door.$k.records"
		ok "$k, $door: the records of the twin" \
			same twin.records "$door.$k.records"
	done
	run "asked.$k" mpirun -np 2 taperun -s alpha=measured -o "asked.$k" \
		"./$k"
	sorted "asked.$k"
	ok "$k: same results, with arrived = on and alpha = measured" \
		alike "plain.$k" "asked.$k"
	ok "$k: the tools take it" whole "asked.$k.tape"
done

# every call but those of the library's own has its line
ok "call sites are lines of the source" [ "$(tapedump asked.F08.sba.tape |
	grep -c 'MPI_.* (fortran.F90:[0-9]*)')" -gt 400 ]

# what each of the messages was at both ends: no interface asks less
ok "arrival is asked" equal "$(tapedump asked.F08.tape | sed 's/ ;.*//' |
	grep 'MPI_Recv ' | grep -c 'arrived=[01]')" 8

# ---- both languages ----

mpicc -O1 -g -c -DFIRST -o first.o "$here/fortran_mixed.c" &&
	mpicc -O1 -g -c -o second.o "$here/fortran_mixed.c" || exit 1
mpifort -g -cpp -w -DFIRST -o first "$here/fortran_mixed.F90" first.o &&
	mpifort -g -cpp -w -o second "$here/fortran_mixed.F90" second.o || exit 1
for name in first second; do
	run "plain.$name" mpirun -np 2 "./$name"
	sorted "plain.$name"
	run "mixed.$name" mpirun -np 2 taperun -o "$name" "./$name"
	sorted "mixed.$name"
	ok "mixed, $name: same results" alike "plain.$name" "mixed.$name"
	ok "mixed, $name: the tools take it" whole "$name.tape"
	records "$name.tape" | sed 's/ arrived=.//; s/:[012]$//' \
		>"$name.records"
done
calls()
{
	awk '/^flow/ { mine = $2 == 1 } mine && /^MPI_/ { print $1 }' "$1" |
		paste -sd' '
}
body="MPI_Comm_rank MPI_Comm_dup MPI_Irecv MPI_Wait MPI_Irecv MPI_Wait"
body+=" MPI_Comm_free"
ok "mixed, Fortran first: each call once" equal "$(calls first.records)" \
	"MPI_Init_thread $body MPI_Comm_f2c MPI_Allreduce MPI_Finalize"
ok "mixed, C first: each call once" equal "$(calls second.records)" \
	"MPI_Init $body MPI_Comm_f2c MPI_Allreduce MPI_Finalize"
ok "a request of Fortran's ends in C" \
	holds '^MPI_Wait n=1 received=1:0:7:4' first.records
ok "a request of C's ends in Fortran" \
	holds '^MPI_Wait n=1 received=2:0:8:4' first.records

# ---- ends ----

cat >stop.F90 <<'END'
program stop
   use mpi
   implicit none
   integer :: ierr, me
   character(8) :: how

   call get_command_argument(1, how)
   call MPI_Init(ierr)
   call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
   call MPI_Barrier(MPI_COMM_WORLD, ierr)
   if (how == 'abort' .and. me == 1) call MPI_Abort(MPI_COMM_WORLD, 3, ierr)
   if (how == 'fatal') &
      call MPI_Send(me, 1, MPI_INTEGER, 99, 0, MPI_COMM_WORLD, ierr)
   if (how == 'exit') call exit(4)
   call MPI_Barrier(MPI_COMM_WORLD, ierr)
   call MPI_Finalize(ierr)
end program
END
mpifort -w -o stop stop.F90 || exit 1
for how in abort fatal exit; do
	run "plain.$how" mpirun -np 2 ./stop $how
	run "$how" mpirun -np 2 taperun -o "$how" ./stop $how
	ok "$how: same status" equal "$(cat "$how.rc")" "$(cat "plain.$how.rc")"
	# of a fatal error one rank may end the other just before it has left
	# the barrier
	n=$(events "$how.tape" 1 MPI_Barrier)
	[ "$how" != fatal ] || n=$((n | $(events "$how.tape" 0 MPI_Barrier)))
	ok "$how: what was before is there" equal "$n" 1
done
ok "MPI_Abort is recorded" equal "$(end_of abort.tape 1)" "abort 0"

# ---- no Fortran library where none is needed ----

ok "the library needs no Fortran library" \
	lacks 'mpifh|usempi|gfortran' <(ldd "$lib/libtape-mpi.so")
finish
