! noise.c without a race
program noise
	use mpi
	implicit none
	integer :: ierror, rank, n, i, k, number, total

	call MPI_Init(ierror)
	call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
	call MPI_Comm_size(MPI_COMM_WORLD, n, ierror)
	total = 0
	do i = 1, 20
		call MPI_Barrier(MPI_COMM_WORLD, ierror)
		if (rank > 0) call MPI_Send(rank, 1, MPI_INTEGER, 0, i, MPI_COMM_WORLD, ierror)
		if (rank == 0) then
			do k = 1, n - 1
				call MPI_Recv(number, 1, MPI_INTEGER, k, i, MPI_COMM_WORLD, &
					MPI_STATUS_IGNORE, ierror)
				total = mod(total * 31 + number, 65536)
			end do
		end if
	end do
	if (rank == 0) print *, total
	call MPI_Finalize(ierror)
end program
