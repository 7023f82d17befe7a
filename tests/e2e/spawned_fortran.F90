! Starts a copy of itself, sends its rank and gets twice that back: over mpif.h's
! interface, or that of mpi_f08 (-DF08).
program spawned_fortran
#ifdef F08
   use mpi_f08
#define COMM type(MPI_Comm)
#else
   use mpi
#define COMM integer
#endif
   implicit none
   COMM :: up, down
   character(200) :: self, commands(2), none(2, 1)
   integer :: ierr, rank, value
   integer :: codes(2)
#ifdef F08
   type(MPI_Info) :: infos(2)
#else
   integer :: infos(2)
#endif

   call MPI_Init(ierr)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
   call MPI_Comm_get_parent(up, ierr)
   call get_command_argument(0, self)
   if (up /= MPI_COMM_NULL) then
      call MPI_Recv(value, 1, MPI_INTEGER, rank, 1, up, MPI_STATUS_IGNORE, ierr)
      call MPI_Send(2 * value, 1, MPI_INTEGER, rank, 2, up, ierr)
      call MPI_Comm_disconnect(up, ierr)
   else
      call MPI_Comm_spawn(self, MPI_ARGV_NULL, 2, MPI_INFO_NULL, 1, &
         MPI_COMM_WORLD, down, codes, ierr)
      call talk(down)
      commands = self
      none = ' '
      infos = MPI_INFO_NULL
      call MPI_Comm_spawn_multiple(2, commands, none, [1, 1], infos, 0, &
         MPI_COMM_WORLD, down, codes, ierr)
      call talk(down)
   end if
   call MPI_Finalize(ierr)
contains
   subroutine talk(down)
      COMM, intent(inout) :: down

      call MPI_Send(rank + 20, 1, MPI_INTEGER, rank, 1, down, ierr)
      call MPI_Recv(value, 1, MPI_INTEGER, rank, 2, down, MPI_STATUS_IGNORE, &
         ierr)
      print '(a,i0,a,i0)', 'rank ', rank, ' got ', value
      call MPI_Comm_disconnect(down, ierr)
   end subroutine
end program
