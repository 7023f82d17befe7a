! A program whose output depends on what MPI leaves to chance (order.sh), by
! mpif.h's interface or, with F08, by mpi_f08.
program order_fortran
#ifdef F08
	use mpi_f08
#else
	use mpi
#endif
	implicit none
	integer, parameter :: rounds = 8, most = 16
	integer :: rank, ranks, k, i, n, code, index, polls
	integer :: v(most), indices(most)
	real :: x
	logical :: flag
#ifdef F08
	type(MPI_Request) :: r(most)
	type(MPI_Status) :: s, all(most)
#else
	integer :: r(most), s(MPI_STATUS_SIZE), all(MPI_STATUS_SIZE, most)
#endif

	call MPI_Init(code)
	call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
	call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
	n = ranks - 1
	polls = 0
	call random_seed()
	do k = 1, 5 * rounds
		if (rank > 0) then
			call random_number(x)
			call busy(x)
			call MPI_Send(rank, 1, MPI_INTEGER, 0, k, &
				MPI_COMM_WORLD, code)
		else if (mod(k, 5) == 0) then
			do i = 1, n
				call MPI_Recv(v(i), 1, MPI_INTEGER, &
					MPI_ANY_SOURCE, k, MPI_COMM_WORLD, &
					s, code)
				print *, k, v(i)
			end do
		else if (mod(k, 5) == 1) then
			do i = 1, n
				flag = .false.
				do while (.not. flag)
					call MPI_Iprobe(MPI_ANY_SOURCE, k, &
						MPI_COMM_WORLD, flag, s, code)
					polls = polls + 1
				end do
#ifdef F08
				index = s%MPI_SOURCE
#else
				index = s(MPI_SOURCE)
#endif
				call MPI_Recv(v(i), 1, MPI_INTEGER, index, k, &
					MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
				print *, k, v(i), polls
			end do
		else
			do i = 1, n
				call MPI_Irecv(v(i), 1, MPI_INTEGER, &
					MPI_ANY_SOURCE, k, MPI_COMM_WORLD, &
					r(i), code)
			end do
			if (mod(k, 5) == 2) then
				do i = 1, n
					call MPI_Waitany(n, r, index, s, code)
					print *, k, index, v(index)
				end do
			else if (mod(k, 5) == 3) then
				i = 0
				do while (i < n)
					call MPI_Testsome(n, r, index, &
						indices, all, code)
					i = i + index
					polls = polls + 1
					print *, k, polls, v(indices(1:index))
				end do
			else
				call MPI_Waitall(n, r, MPI_STATUSES_IGNORE, &
					code)
				print *, k, v(1:n)
			end if
		end if
		call MPI_Barrier(MPI_COMM_WORLD, code)
	end do
	call MPI_Finalize(code)
contains
	subroutine busy(x)
		real, intent(in) :: x
		integer(8) :: start, now, rate

		call system_clock(start, rate)
		now = start
		do while (now - start < x * 0.0003 * real(rate))
			call system_clock(now)
		end do
	end subroutine
end program
