! Arrival against truth, as arrival.c: of programs in Fortran, by mpif.h's
! interface (the module mpi) or, with -DF08, by mpi_f08.
!
!	arrival_fortran KIND BYTES COUNT LOG
program arrival
#ifdef F08
	use mpi_f08
#else
	use mpi
#endif
	use iso_fortran_env, only: int64
	use iso_c_binding, only: c_int, c_long
	implicit none
	! RUSAGE_THREAD of Linux; ru_nivcsw is the last of the 18 numbers
	integer(c_int), parameter :: this_thread = 1
	interface
		integer(c_int) function getrusage(who, usage) bind(c)
			import :: c_int, c_long
			integer(c_int), value :: who
			integer(c_long) :: usage(18)
		end function
	end interface
	integer :: rank, bytes, count, i, ierror
	character(len=1000) :: kind, word, log
	character, allocatable :: in(:), out(:)
	character :: back(1)
	integer(int64), allocatable :: begun(:), ended(:), preempted(:)
	integer(int64) :: at(1), rate
#ifdef F08
	type(MPI_Status) :: s
	type(MPI_Request) :: posted
#else
	integer :: s(MPI_STATUS_SIZE), posted
#endif

	call MPI_Init(ierror)
	call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
	call get_command_argument(1, kind)
	call get_command_argument(2, word)
	read (word, *) bytes
	call get_command_argument(3, word)
	read (word, *) count
	call get_command_argument(4, log)
	call system_clock(count_rate=rate)
	if (rate /= 1000000000_int64) call MPI_Abort(MPI_COMM_WORLD, 2, ierror)
	allocate (in(bytes), out(bytes), begun(0:count - 1), ended(0:count - 1))
	allocate (preempted(0:count - 1))
	preempted = 0
	out = 'x'
	back = 'y'
	do i = 0, count - 1
		at(1) = now() + 25000
		if (rank == 1) then
			if (kind == 'wait') call MPI_Irecv(in, bytes, &
				MPI_CHARACTER, 0, i, MPI_COMM_WORLD, posted, &
				ierror)
			call MPI_Send(at, 1, MPI_INTEGER8, 0, 2*count + i, &
				MPI_COMM_WORLD, ierror)
			call until(at(1))
			call receive_one()
		else
			call MPI_Recv(at, 1, MPI_INTEGER8, 1, 2*count + i, &
				MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
			call until(at(1) - (mod(i*8, 21)*1000 - 10000))
			begun(i) = now()
			call MPI_Send(out, bytes, MPI_CHARACTER, 1, i, &
				MPI_COMM_WORLD, ierror)
			ended(i) = now()
			if (kind == 'sendrecv') call MPI_Recv(back, 1, &
				MPI_CHARACTER, 1, count + i, MPI_COMM_WORLD, &
				MPI_STATUS_IGNORE, ierror)
		end if
	end do
	write (word, '(a,".",i0)') trim(log), rank
	open (10, file=word, action='write')
	do i = 0, count - 1
		write (10, '(i0,3(" ",i0))') i, begun(i), ended(i), preempted(i)
	end do
	close (10)
	call MPI_Finalize(ierror)
contains
	integer(int64) function now()
		call system_clock(now)
	end function

	integer(int64) function preemptions()
		integer(c_long) :: usage(18)

		if (getrusage(this_thread, usage) /= 0) usage(18) = 0
		preemptions = usage(18)
	end function

	subroutine until(when)
		integer(int64), intent(in) :: when

		do while (now() < when)
		end do
	end subroutine

	subroutine receive_one()
		preempted(i) = preemptions()
		begun(i) = now()
		select case (kind)
		case ('recv')
			call MPI_Recv(in, bytes, MPI_CHARACTER, 0, i, &
				MPI_COMM_WORLD, s, ierror)
		case ('sendrecv')
			call MPI_Sendrecv(back, 1, MPI_CHARACTER, 0, &
				count + i, in, bytes, MPI_CHARACTER, 0, i, &
				MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
		case ('wait')
			call MPI_Wait(posted, s, ierror)
		case ('probe')
			call MPI_Probe(0, i, MPI_COMM_WORLD, s, ierror)
			ended(i) = now()
			preempted(i) = preemptions() - preempted(i)
			call MPI_Recv(in, bytes, MPI_CHARACTER, 0, i, &
				MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
			return
		end select
		ended(i) = now()
		preempted(i) = preemptions() - preempted(i)
	end subroutine
end program
