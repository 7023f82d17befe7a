! Calls within macros that spell their argument.
#define SHOW(x) print *, "x"
#define CHECK(x) x; if (ierr /= 0) print *, "x"
program stringified
  use mpi
  implicit none
  integer :: ierr
  call mpi_init(ierr)
  SHOW(call mpi_barrier(MPI_COMM_WORLD, ierr))
  CHECK(call mpi_barrier(MPI_COMM_WORLD, ierr))
  if (ierr == 0) call mpi_barrier(MPI_COMM_WORLD, ierr)
  SHOW(ierr)
  print *, __LINE__
  call mpi_finalize(ierr)
end program
