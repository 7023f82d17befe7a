#!/bin/bash
# The three Fortran interfaces of MPICH, whose functions for Fortran call those
# for C by their public names: each call is recorded once, with its own values.
# Truth: the program without Tape; the same program in C.
MPI=mpich
. "$(dirname "$0")/tap.bash"
need mpirun mpifort.mpich gfortran

# ring NAME HEAD REQUESTS STATUS: the same ring through one interface
ring()
{
	cat >"$1.f90" <<-F
	program ring
	$2
	integer :: i, ierr, me, n, right, left
	real(8) :: a(4), b(4)
	$3 :: q(2)
	$4
	call MPI_Init(ierr)
	call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
	call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
	right = mod(me + 1, n)
	left = mod(me + n - 1, n)
	a = me
	do i = 1, 10
	call MPI_Irecv(b, 4, MPI_DOUBLE_PRECISION, left, 1, &
		MPI_COMM_WORLD, q(1), ierr)
	call MPI_Isend(a, 4, MPI_DOUBLE_PRECISION, right, 1, &
		MPI_COMM_WORLD, q(2), ierr)
	call MPI_Waitall(2, q, MPI_STATUSES_IGNORE, ierr)
	call MPI_Sendrecv(a, 4, MPI_DOUBLE_PRECISION, right, 2, b, 4, &
		MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, st, ierr)
	call MPI_Allreduce(MPI_IN_PLACE, a, 4, MPI_DOUBLE_PRECISION, &
		MPI_SUM, MPI_COMM_WORLD, ierr)
	end do
	if (me == 0) print *, a(1)
	call MPI_Finalize(ierr)
	end
	F
	mpifort.mpich -g -w -fallow-argument-mismatch "$1.f90" -o "$1"
}
array="integer :: st(MPI_STATUS_SIZE)"
ok "programs compile" eval '
	ring mpifh $'"'implicit none\\ninclude \"mpif.h\"'"' integer "$array" &&
	ring mpi $'"'use mpi\\nimplicit none'"' integer "$array" &&
	ring f08 $'"'use mpi_f08\\nimplicit none'"' "type(MPI_Request)" "type(MPI_Status) :: st"'

once()
{
	local call

	for call in Init:1 Comm_rank:1 Irecv:10 Isend:10 Waitall:10 \
		Sendrecv:10 Allreduce:10 Finalize:1; do
		equal "$(events "$1.tape" 1 MPI_"${call%:*}")" "${call#*:}" ||
			{ echo "$call"; return 1; }
	done
	equal "$(end_of "$1.tape" 0)$(end_of "$1.tape" 1)" \
		"finalize 0finalize 0"
}
# what the program ignores (MPI_STATUSES_IGNORE) is in the trace
statuses()
{
	equal "$(tapedump "$1.tape" 2>/dev/null | awk '
		$1 == "flow" { me = $2 }
		$3 == "MPI_Waitall" && /received=[0-9]+:/ {
			split(substr($0, index($0, "received=") + 9), p, ":")
			if (p[2] == 1 - me && p[3] == 1 && p[4] == 32)
				n++
		}
		END { print n }')" 20
}
tools()
{
	run sba sba -o "$1.sba.tape" "$1.tape"
	run tico tico -o "$1.tico.tape" "$1.sba.tape"
	equal "$(cat sba.rc tico.rc | paste -sd' ')" "0 0" &&
		holds '^messages +40$' sba.out &&
		lacks 'unmatched|partner missing' tico.out
}
for i in mpifh mpi f08; do
	run "$i.plain" mpirun -np 2 "./$i"
	run "$i" mpirun -np 2 taperun -o "$i" "./$i"
	ok "$i: as without Tape" alike "$i.plain" "$i"
	ok "$i: each call once" once "$i"
	ok "$i: statuses that nobody wants" statuses "$i"
	ok "$i: sba and tico" tools "$i"
done
# ---- what came with MPI-4 ----

# later NAME HEAD REQUESTS SESSION LARGE: in a session; LARGE: more calls
later_calls()
{
	cat >"$1.new.f90" <<-F
	program later
	$2
	integer :: i, ierr, me, n, right, left
	real(8) :: a(4), b(4)
	$3 :: q
	$4 :: s
	call MPI_Init(ierr)
	call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, s, ierr)
	call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
	call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
	right = mod(me + 1, n)
	left = mod(me + n - 1, n)
	a = me + 1
	call MPI_Bcast_init(a, 4, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, &
		MPI_INFO_NULL, q, ierr)
	do i = 1, 3
	call MPI_Start(q, ierr)
	call MPI_Wait(q, MPI_STATUS_IGNORE, ierr)
	end do
	call MPI_Request_free(q, ierr)
	call MPI_Isendrecv(a, 4, MPI_DOUBLE_PRECISION, right, 1, b, 4, &
		MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, q, ierr)
	call MPI_Wait(q, MPI_STATUS_IGNORE, ierr)
	$5
	print *, b(1)
	call MPI_Session_finalize(s, ierr)
	call MPI_Finalize(ierr)
	end
	F
	mpifort.mpich -g -w -fallow-argument-mismatch "$1.new.f90" -o "$1.new"
}
counts()
{
	local call

	for call in Session_init:1 Bcast_init:1 Start:3 Wait:4 Isendrecv:1 \
		Session_finalize:1 Finalize:1 ${2-}; do
		equal "$(events "$1.tape" 1 MPI_"${call%:*}")" "${call#*:}" ||
			{ echo "$call"; return 1; }
	done
	equal "$(end_of "$1.tape" 0)$(end_of "$1.tape" 1)" \
		"finalize 0finalize 0"
}
if grep -qw TAPE_HAS_MPI_Session_init "$TAPE_BUILD/gen/tape_has_mpich.h"; then
	large="call MPI_Allreduce(a, b, 4_MPI_COUNT_KIND, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)"
	ok "programs of MPI-4 compile" eval '
		later_calls mpifh $'"'implicit none\\ninclude \"mpif.h\"'"' integer integer "" &&
		later_calls mpi $'"'use mpi\\nimplicit none'"' integer integer "" &&
		later_calls f08 $'"'use mpi_f08\\nimplicit none'"' "type(MPI_Request)" "type(MPI_Session)" "$large"'
	for i in mpifh mpi f08; do
		more=
		[ $i != f08 ] || more=Allreduce_c:1
		run "$i.new.plain" mpirun -np 2 "./$i.new"
		run "$i.new" mpirun -np 2 taperun -o "$i.new" "./$i.new"
		ok "$i, MPI-4: as without Tape" alike "$i.new.plain" "$i.new"
		ok "$i, MPI-4: each call once" counts "$i.new" $more
	done
fi
# ---- messages in parts ----

# parts NAME HEAD REQUESTS FLAG: two rounds of a ring; part 0 is waited for. In
# the module mpi of MPICH 4.0.2 the flag is an integer.
parts()
{
	cat >"$1.parts.f90" <<-F
	program parts
	$2
	integer :: i, ierr, me, n, right, left, list(1)
	$4
	real(8) :: a(8), b(8)
	$3 :: q(2)
	call MPI_Init(ierr)
	call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
	call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
	right = mod(me + 1, n)
	left = mod(me + n - 1, n)
	list = 3
	call MPI_Psend_init(a, 4, 2_MPI_COUNT_KIND, MPI_DOUBLE_PRECISION, &
		right, 7, MPI_COMM_WORLD, MPI_INFO_NULL, q(1), ierr)
	call MPI_Precv_init(b, 4, 2_MPI_COUNT_KIND, MPI_DOUBLE_PRECISION, &
		left, 7, MPI_COMM_WORLD, MPI_INFO_NULL, q(2), ierr)
	do i = 1, 2
	a = 10 * i + me
	call MPI_Startall(2, q, ierr)
	call MPI_Pready(0, q(1), ierr)
	call MPI_Pready_range(1, 2, q(1), ierr)
	call MPI_Pready_list(1, list, q(1), ierr)
	there = none
	do while (there $5 none)
	call MPI_Parrived(q(2), 0, there, ierr)
	end do
	call MPI_Waitall(2, q, MPI_STATUSES_IGNORE, ierr)
	if (me == 0) print *, b(1), b(8), ierr
	end do
	call MPI_Request_free(q(1), ierr)
	call MPI_Request_free(q(2), ierr)
	call MPI_Finalize(ierr)
	end
	F
	mpifort.mpich -g -w -fallow-argument-mismatch "$1.parts.f90" \
		-o "$1.parts"
}
parts_once()
{
	local call

	for call in Psend_init:1 Precv_init:1 Startall:2 Pready:2 \
		Pready_range:2 Pready_list:2 Waitall:2 Request_free:2; do
		equal "$(events "$1.tape" 1 MPI_"${call%:*}")" "${call#*:}" ||
			{ echo "$call"; return 1; }
	done
	tapedump "$1.tape" 2>/dev/null >parts.dump
	equal "$(grep -c 'MPI_Psend_init .* peer=[01] tag=7 bytes=64 comm=1 parts=4' parts.dump)" 2 &&
		equal "$(grep -c 'MPI_Precv_init .* peer=[01] tag=7 bytes=64 comm=1' parts.dump)" 2 &&
		equal "$(grep -c 'MPI_Pready .* n=1 .*done=1' parts.dump)" 4 &&
		equal "$(grep -c 'MPI_Pready_range .* n=2 .*done=1' parts.dump)" 4 &&
		equal "$(grep -c 'MPI_Pready_list .* n=1 .*done=1' parts.dump)" 4 &&
		equal "$(grep -c 'MPI_Parrived .* asked=2 flag=1' parts.dump)" 4
}
parts_matched()
{
	equal "$(tapedump --messages "$1.tape" 2>/dev/null |
		awk -F, '$1 == "matched" && $13 == 64 && $15 == 7' |
		wc -l)" 4
}
if grep -qw TAPE_HAS_MPI_Psend_init "$TAPE_BUILD/gen/tape_has_mpich.h"; then
	logical='logical :: there, none = .false.'
	integer='integer :: there, none = 0'
	ok "programs with messages in parts compile" eval '
		parts mpifh $'"'implicit none\\ninclude \"mpif.h\"'"' integer "$logical" .eqv. &&
		parts mpi $'"'use mpi\\nimplicit none'"' integer "$integer" .eq. &&
		parts f08 $'"'use mpi_f08\\nimplicit none'"' "type(MPI_Request)" "$logical" .eqv.'
	for i in mpifh mpi f08; do
		run "$i.parts.plain" mpirun -np 2 "./$i.parts"
		run "$i.parts" mpirun -np 2 taperun -o "$i.parts" "./$i.parts"
		ok "$i, in parts: as without Tape" alike "$i.parts.plain" "$i.parts"
		ok "$i, in parts: each call with its values" parts_once "$i.parts"
		ok "$i, in parts: both sides of the messages" parts_matched "$i.parts"
	done
fi
at() { tapedump "$1.tape" 2>/dev/null | grep -q "MPI_$2 .*$1.f90:$3"; }
ok "mpif.h, mpi: where each call stands" eval \
	'at mpifh Isend 1[78] && at mpi Sendrecv 2[01]'
finish
