! A program of two languages. As FIRST the main program is Fortran and its
! communication is partly in C; otherwise C's main calls part_in_fortran.
#ifdef FIRST
program mixed
   use mpi
   implicit none
   integer :: ierr, thread

   call MPI_Init_thread(MPI_THREAD_SINGLE, thread, ierr)
   call part_in_fortran(MPI_COMM_WORLD)
   call part_in_c(MPI_COMM_WORLD)
   call MPI_Finalize(ierr)
end program
#endif

subroutine part_in_fortran(comm)
   use mpi
   implicit none
   integer :: comm, copy, request, me, ierr, n(1), status(MPI_STATUS_SIZE)

   call MPI_Comm_rank(comm, me, ierr)
   call MPI_Comm_dup(comm, copy, ierr)
   n = me
   ! begun here, ended in C
   if (me == 0) then
      call MPI_Isend(n, 1, MPI_INTEGER, 1, 7, copy, request, ierr)
   else
      call MPI_Irecv(n, 1, MPI_INTEGER, 0, 7, copy, request, ierr)
   end if
   call wait_in_c(request)
   ! begun in C, ended here
   call begin_in_c(copy, request)
   call MPI_Wait(request, status, ierr)
   if (me == 1) print *, 'from C', status(MPI_SOURCE), status(MPI_TAG), n
   call MPI_Comm_free(copy, ierr)
end subroutine
