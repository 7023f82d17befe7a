! What Fortran has by itself of MPI_COMM_WORLD: attributes, what is called back,
! names; through one of the interfaces, -DMODULE or -DF08.
#ifdef F08
#define COMM type(MPI_Comm)
#define ERRH type(MPI_Errhandler)
#define VALUE_(c) c%MPI_VAL
#else
#define COMM integer
#define ERRH integer
#define VALUE_(c) c
#endif
module called_back
#ifdef F08
   use mpi_f08
#else
   use mpi
#endif
   implicit none
   integer :: me = 0
contains
   function name_of(c)
      COMM, intent(in) :: c
      character(8) :: name_of
      name_of = 'another'
      if (VALUE_(c) == VALUE_(MPI_COMM_WORLD)) name_of = 'world'
      if (VALUE_(c) == VALUE_(MPI_COMM_SELF)) name_of = 'self'
   end function

   subroutine copy(old, key, extra, in, out, flag, ierr)
      COMM :: old
      integer :: key, ierr
      integer(MPI_ADDRESS_KIND) :: extra, in, out
      logical :: flag
      print '(i2,3a,2i4)', me, ' copy of ', name_of(old), ' ', extra, in
      out = in + 1
      flag = .true.
      ierr = MPI_SUCCESS
   end subroutine

   subroutine delete(old, key, in, extra, ierr)
      COMM :: old
      integer :: key, ierr
      integer(MPI_ADDRESS_KIND) :: extra, in
#ifdef mpich
      print '(i2,2a)', me, ' from ', name_of(old)
#endif
      print '(i2,a,2i4)', me, ' delete ', extra, in
      ierr = MPI_SUCCESS
   end subroutine

   subroutine handler(c, code)
      COMM :: c
      integer :: code, class, ierr
      call MPI_Error_class(code, class, ierr)
      print '(i2,3a,2i4)', me, ' handler ', name_of(c), ' ', class
   end subroutine
end module

program partitions_fortran
   use called_back
   implicit none
   COMM :: dup, group_comm
   ERRH :: h
   integer :: n, ierr, key, length, keys(7), i, x(1), class
   integer(MPI_ADDRESS_KIND) :: extra, value
   logical :: flag
   character(MPI_MAX_OBJECT_NAME) :: text
   call MPI_Init(ierr)
   call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
   call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
   print '(i2,a,i4)', me, ' of ', n
   call MPI_Comm_get_name(MPI_COMM_WORLD, text, length, ierr)
   print '(i2,2a)', me, ' ', trim(text)
   keys = [ MPI_TAG_UB, MPI_HOST, MPI_IO, MPI_WTIME_IS_GLOBAL, &
      MPI_UNIVERSE_SIZE, MPI_APPNUM, MPI_LASTUSEDCODE ]
   call MPI_Comm_dup(MPI_COMM_WORLD, dup, ierr)
   do i = 1, 7
      value = 0
      call MPI_Comm_get_attr(MPI_COMM_WORLD, keys(i), value, flag, ierr)
      if (.not. flag) value = 0
      print '(i2,a,i2,l2,i12)', me, ' attribute ', i, flag, value
      call MPI_Comm_get_attr(dup, keys(i), value, flag, ierr)
      ! Open MPI's is an address, of the value
      print '(i2,a,i2,l2)', me, ' its copy ', i, flag
   end do
   call MPI_Comm_free(dup, ierr)
   extra = 17
   call MPI_Comm_create_keyval(copy, delete, key, extra, ierr)
   value = 40
   call MPI_Comm_set_attr(MPI_COMM_WORLD, key, value, ierr)
   call MPI_Comm_dup(MPI_COMM_WORLD, dup, ierr)
   call MPI_Comm_get_attr(dup, key, value, flag, ierr)
   print '(i2,a,l2,i4)', me, ' of the duplicate ', flag, value
   call MPI_Comm_free(dup, ierr)
   call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, ierr)
   call MPI_Comm_free_keyval(key, ierr)
   call MPI_Comm_create_errhandler(handler, h, ierr)
   call MPI_Comm_set_errhandler(MPI_COMM_WORLD, h, ierr)
   x = me
   call MPI_Bcast(x, 1, MPI_INTEGER, n + 3, MPI_COMM_WORLD, ierr)
   call MPI_Error_class(ierr, class, i)
   print '(i2,a,i4)', me, ' wrong root ', class
   call MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_TAG, ierr)
   call MPI_Comm_split(MPI_COMM_WORLD, 0, -me, group_comm, ierr)
   call MPI_Comm_call_errhandler(group_comm, MPI_ERR_COUNT, ierr)
   call MPI_Comm_free(group_comm, ierr)
   call MPI_Errhandler_free(h, ierr)
   call MPI_Allreduce(MPI_IN_PLACE, x, 1, MPI_INTEGER, MPI_SUM, &
      MPI_COMM_WORLD, ierr)
   print '(i2,a,i4)', me, ' sum ', x(1)
   call MPI_Finalize(ierr)
end program
