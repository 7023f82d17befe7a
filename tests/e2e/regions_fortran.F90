! Regions by a module (FREE), or without one, in fixed form: what is in the source
! of both forms stands between columns 7 and 72.
      program regions
#ifdef FREE
      use mpi
      use tape
      implicit none
#else
      implicit none
      include 'mpif.h'
#endif
      integer ierror, i
      character(len=20) padded
      character(len=50) long

      call tape_enter('before')
      call tape_leave()
      call MPI_Init(ierror)
      call tape_enter('all')
      do i = 1, 300
         write (padded, '(a,i3.3)') 'step ', i
         call tape_enter(padded)
         call tape_enter('inner')
         call MPI_Barrier(MPI_COMM_WORLD, ierror)
         call tape_leave()
         call tape_leave()
      end do
      long = 'a name of more than thirty-eight characters, x'
      do i = 1, 3
         call tape_enter(long)
         call tape_leave()
         long(46:46) = 'y'
      end do
      padded = 'solve'
      do i = 1, 2
         call tape_enter(padded(1:5))
         call tape_leave()
         call tape_enter(padded(1:3))
         call tape_leave()
      end do
      call tape_off()
      call tape_enter('unseen')
      call tape_leave()
      call tape_on()
      call tape_enter('')
      call tape_leave()
      call tape_leave()
      call tape_leave()
      call MPI_Finalize(ierror)
      end program regions
