! Sends around, a reduction in two halves, requests, and what stands for
! something (MPI_IN_PLACE, MPI_STATUS_IGNORE): 16 calls of 100 integers and more.
program simulate
  use mpi
  implicit none
  integer :: rank, n, ierr, next, before, half, i
  integer :: a(100), b(100), st(MPI_STATUS_SIZE), req(2), sts(MPI_STATUS_SIZE, 2)
  double precision :: t

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
  next = mod(rank + 1, n)
  before = mod(rank + n - 1, n)
  a = rank
  do i = 1, 3
    call MPI_Sendrecv(a, 100, MPI_INTEGER, next, 1, b, 100, MPI_INTEGER, &
                      before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end do
  call MPI_Irecv(b, 100, MPI_INTEGER, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, req(1), ierr)
  call MPI_Isend(a, 100, MPI_INTEGER, next, 2, MPI_COMM_WORLD, req(2), ierr)
  call MPI_Waitall(2, req, sts, ierr)
  if (rank == 0) then
    call MPI_Send(a, 50, MPI_INTEGER, 1, 3, MPI_COMM_WORLD, ierr)
  else if (rank == 1) then
    call MPI_Recv(b, 100, MPI_INTEGER, 0, 3, MPI_COMM_WORLD, st, ierr)
    call MPI_Get_count(st, MPI_INTEGER, i, ierr)
    if (i /= 50) call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end if
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, ierr)
  call MPI_Allreduce(MPI_IN_PLACE, a, 100, MPI_INTEGER, MPI_SUM, half, ierr)
  call MPI_Comm_free(half, ierr)
  t = MPI_Wtime()
  print '(a, i0, f16.12)', 'end ', rank, t
  call MPI_Finalize(ierr)
end program simulate
