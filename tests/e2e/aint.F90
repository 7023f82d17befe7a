! Sums and differences of addresses: 4 and 2 calls in each process.
program aint
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
  integer(kind=MPI_ADDRESS_KIND) :: a, b, c
  integer :: i, ierr
  integer, target :: x

  call MPI_Init(ierr)
  a = 1000
  do i = 1, 3
    a = MPI_Aint_add(a, int(i - 8, MPI_ADDRESS_KIND))
  end do
  call MPI_Get_address(x, b, ierr)
  c = MPI_Aint_add(b, 5_MPI_ADDRESS_KIND)
  c = MPI_Aint_diff(c, b)
  b = MPI_Aint_diff(0_MPI_ADDRESS_KIND, 5_MPI_ADDRESS_KIND)
  print '(3i6)', a, c, b
  call MPI_Finalize(ierr)
end program
