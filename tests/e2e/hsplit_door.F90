! hsplit_door.c in Fortran: the first two lines of it; F08: use mpi_f08.
program door
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
#ifdef F08
  type(MPI_Comm) :: new
#else
  integer :: new
#endif
  integer :: rank, n, e, i, ranks(8), first(8), k
  integer, parameter :: hardware = 31390

  call MPI_Init(e)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
  do k = 0, 1
     call MPI_Comm_split_type(MPI_COMM_WORLD, hardware, -k * rank, &
          MPI_INFO_NULL, new, e)
     call MPI_Comm_size(new, n, e)
     call MPI_Allgather(rank, 1, MPI_INTEGER, ranks, 1, MPI_INTEGER, new, e)
     call MPI_Comm_free(new, e)
     call MPI_Gather(ranks(1), 1, MPI_INTEGER, first, 1, MPI_INTEGER, 0, &
          MPI_COMM_WORLD, e)
     if (rank == 0) print '(9i2)', n, first
  end do
  call MPI_Finalize(e)
end program door
