! A ring of messages, with calls in every way that they can be written, through
! the interface that MPIFH, MODULE or F08 chooses. fortran_source.sh knows the
! lines of the calls.
#ifdef F08
#define LIBRARY use mpi_f08
#define REQUEST type(MPI_Request)
#define STATUS type(MPI_Status) :: st
#else
#define LIBRARY use mpi
#define REQUEST integer
#define STATUS integer :: st(MPI_STATUS_SIZE)
#endif
module steps
#ifdef MPIFH
   implicit none
   include 'mpif.h'
#else
   LIBRARY
   implicit none
#endif
contains
   subroutine step(me, n)
      integer, intent(in) :: me, n
      integer :: ierr, got, other, right, left
      REQUEST :: q(2)
      STATUS

      right = mod(me + 1, n); left = mod(me + n - 1, n)
      call MPI_Irecv(got, 1, MPI_INTEGER, left, &
         ! a comment with call mpi_send('
         1, MPI_COMM_WORLD, q(1), ierr)
      call mpi_isend(me, 1, MPI_INTEGER, right, 1, MPI_COMM_WORLD, &
         q(2), ierr); call mpi_waitall(2, q, &
         MPI_STATUSES_IGNORE, ierr)
      if (me == 0 .and. (n > 1)) call mpi_send(me, 1, MPI_INTEGER, 1, &
         2, MPI_COMM_WORLD, & ! )
         ierr)
      if (me == 1) CALL MPI_RECV(other, 1, MPI_INTEGER, 0, 2, MPI_COMM_WORLD, st, ierr)
      if (me < 0) goto 10
10    call mpi_barrier(MPI_COMM_WORLD, ierr)
      call within
      if (got /= left) print *, "wrong: call mpi_abort(MPI_COMM_WORLD)"
   contains
      subroutine within
         double precision :: t

         t = mpi_wtime()
         call mpi_barrier(MPI_COMM_WORLD, ierr) ; t = mpi_wtime() - t
         if (t < 0) print *, 'time runs back'
      end subroutine
   end subroutine step
end module

program ring
   use steps
   implicit none
   integer :: i, ierr, me, n
   interface
      subroutine twice(i)
         integer :: i
      end subroutine
   end interface

   call mpi_init(ierr)
#ifdef MPIFH
   call mpi_comm_rank(MPI_COMM_WORLD, me, ierr)
#else
   call mpi_comm_rank(comm=MPI_COMM_WORLD, rank=me, ierror=ierr)
#endif
   call mpi_comm_size(MPI_COMM_WORLD, n, ierr)
   do i = 1, 3; call step(me, n); end do
   call twice(i)
#if 0
   call mpi_abort(nonsense
#endif
   if (me == 0) print *, i, __LINE__, __FILE__
   call mpi_finalize(ierr)
end

subroutine twice(i)
   use steps, only: MPI_IN_PLACE, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD
   implicit none
   integer :: i, ierr

   call mpi_allreduce(MPI_IN_PLACE, i, 1, MPI_INTEGER, MPI_SUM, &
      MPI_COMM_WORLD, ierr)
end subroutine
