! Calls of every class through one of Fortran's interfaces, chosen by -DMPIFH,
! -DMODULE or -DF08, with the arguments that Fortran alone has: sentinels,
! LOGICAL, CHARACTER, indices from 1, ierror left out (F08). Prints what it gets;
! fortran_twin.c makes the same calls in C.
#ifdef F08
#define COMM type(MPI_Comm)
#define TYPE_ type(MPI_Datatype)
#define REQUEST type(MPI_Request)
#define GROUP type(MPI_Group)
#define INFO type(MPI_Info)
#define OP type(MPI_Op)
#define WIN type(MPI_Win)
#define FILE_ type(MPI_File)
#define MESSAGE type(MPI_Message)
#define ERRH type(MPI_Errhandler)
#define STATUS(s) type(MPI_Status) :: s
#define STATUSES(s, n) type(MPI_Status) :: s(n)
#define SOURCE(s) s%MPI_SOURCE
#define TAG(s) s%MPI_TAG
#define SOURCE_OF(s, i) s(i)%MPI_SOURCE
#define TAG_OF(s, i) s(i)%MPI_TAG
#define ERR_
#else
#define COMM integer
#define TYPE_ integer
#define REQUEST integer
#define GROUP integer
#define INFO integer
#define OP integer
#define WIN integer
#define FILE_ integer
#define MESSAGE integer
#define ERRH integer
#define STATUS(s) integer :: s(MPI_STATUS_SIZE)
#define STATUSES(s, n) integer :: s(MPI_STATUS_SIZE, n)
#define SOURCE(s) s(MPI_SOURCE)
#define TAG(s) s(MPI_TAG)
#define SOURCE_OF(s, i) s(MPI_SOURCE, i)
#define TAG_OF(s, i) s(MPI_TAG, i)
#define ERR_ , ierr
#endif

module common_part
#ifdef MODULE
   use mpi
#endif
#ifdef F08
   use mpi_f08
#endif
   implicit none
#ifdef MPIFH
   include 'mpif.h'
#endif
   integer, parameter :: many = 40
   integer :: me, other, ierr
   COMM :: w
contains

   subroutine point_to_point()
      use, intrinsic :: iso_c_binding
      integer :: a(100), b(100), n
      character, target :: room(10000)
#ifdef F08
      type(c_ptr) :: detached
#else
      character :: detached(10000)
#endif
      STATUS(st)

      a = me
      if (me == 0) then
         call MPI_Send(a, 10, MPI_INTEGER, 1, 1, w ERR_)
         call MPI_Buffer_attach(room, 10000 ERR_)
         call MPI_Bsend(a, 2, MPI_DOUBLE_PRECISION, 1, 2, w ERR_)
         call MPI_Buffer_detach(detached, n ERR_)
         call MPI_Ssend(a, 3, MPI_INTEGER, 1, 3, w ERR_)
         call MPI_Send(a, 4, MPI_INTEGER, 1, 4, w ERR_)
         call MPI_Barrier(w ERR_)
         call MPI_Rsend(a, 5, MPI_INTEGER, 1, 5, w ERR_)
         call MPI_Send(a, 1, MPI_INTEGER, MPI_PROC_NULL, 6, w ERR_)
      else
         call MPI_Recv(b, 100, MPI_INTEGER, 0, 1, w, st ERR_)
         call MPI_Get_count(st, MPI_INTEGER, n ERR_)
         print *, 'recv', SOURCE(st), TAG(st), n, b(10)
         call MPI_Recv(b, 2, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, &
                       MPI_ANY_TAG, w, st ERR_)
         print *, 'any', SOURCE(st), TAG(st)
         call MPI_Recv(b, 100, MPI_INTEGER, 0, 3, w, MPI_STATUS_IGNORE ERR_)
         call MPI_Recv(b, 100, MPI_INTEGER, 0, MPI_ANY_TAG, w, &
                       MPI_STATUS_IGNORE ERR_)
         call MPI_Barrier(w ERR_)
         call MPI_Recv(b, 100, MPI_INTEGER, 0, 5, w, st ERR_)
         call MPI_Recv(b, 1, MPI_INTEGER, MPI_PROC_NULL, 6, w, st ERR_)
         print *, 'null', SOURCE(st) == MPI_PROC_NULL
      end if
      call MPI_Sendrecv(a, 7, MPI_INTEGER, other, 7, b, 8, MPI_INTEGER, &
                        other, 7, w, st ERR_)
      print *, 'sendrecv', SOURCE(st), TAG(st), b(7)
      call MPI_Sendrecv_replace(a, 9, MPI_INTEGER, other, 8, other, 8, w, &
                                MPI_STATUS_IGNORE ERR_)
      print *, 'replace', a(1), a(9), a(10)
   end subroutine

   subroutine completion()
      REQUEST :: r(many), one
      STATUSES(ss, many)
      STATUS(st)
      integer :: a(many), b(many), i, n, where(many)
      logical :: flag

      a = [(i + 100 * me, i = 1, many)]
      call MPI_Irecv(b, 4, MPI_INTEGER, other, 10, w, r(1) ERR_)
      call MPI_Isend(a, 3, MPI_INTEGER, other, 10, w, r(2) ERR_)
      call MPI_Wait(r(1), st ERR_)
      call MPI_Wait(r(2), MPI_STATUS_IGNORE ERR_)
      print *, 'wait', SOURCE(st), TAG(st), b(3), r(1) == MPI_REQUEST_NULL
      call MPI_Wait(r(1), st ERR_)

      ! more requests than are translated on the stack
      do i = 1, many / 2
         call MPI_Irecv(b(i), 1, MPI_INTEGER, other, i, w, r(i) ERR_)
      end do
      do i = 1, many / 2
         call MPI_Issend(a(i), 1, MPI_INTEGER, other, i, w, &
                         r(many / 2 + i) ERR_)
      end do
      call MPI_Waitall(many, r, ss ERR_)
      print *, 'waitall', SOURCE_OF(ss, 1), TAG_OF(ss, 20), b(1:many / 2)
      call MPI_Irecv(b, 1, MPI_INTEGER, other, 11, w, r(1) ERR_)
      call MPI_Isend(a, 1, MPI_INTEGER, other, 11, w, r(2) ERR_)
      call MPI_Waitall(2, r, MPI_STATUSES_IGNORE ERR_)

      ! indices count from 1
      r(1:4) = MPI_REQUEST_NULL
      call MPI_Irecv(b, 1, MPI_INTEGER, other, 12, w, r(3) ERR_)
      call MPI_Send(a, 1, MPI_INTEGER, other, 12, w ERR_)
      call MPI_Waitany(4, r, i, st ERR_)
      print *, 'waitany', i, SOURCE(st), TAG(st)
      call MPI_Waitany(4, r, i, MPI_STATUS_IGNORE ERR_)
      print *, 'waitany', i == MPI_UNDEFINED
      do i = 2, 4
         call MPI_Irecv(b, 1, MPI_INTEGER, MPI_PROC_NULL, i, w, r(i) ERR_)
      end do
      call MPI_Waitsome(4, r, n, where, ss ERR_)
      print *, 'waitsome', n, where(1:n), SOURCE_OF(ss, 1) == MPI_PROC_NULL
      call MPI_Waitsome(4, r, n, where, MPI_STATUSES_IGNORE ERR_)
      print *, 'waitsome', n == MPI_UNDEFINED

      call MPI_Irecv(b, 1, MPI_INTEGER, other, 13, w, one ERR_)
      call MPI_Test(one, flag, st ERR_)
      print *, 'test', flag
      call MPI_Barrier(w ERR_)
      call MPI_Ssend(a, 1, MPI_INTEGER, MPI_PROC_NULL, 13, w ERR_)
      r(1) = one
      call MPI_Testany(1, r, i, flag, st ERR_)
      print *, 'testany', flag, i == MPI_UNDEFINED
      call MPI_Testall(1, r, flag, ss ERR_)
      print *, 'testall', flag
      call MPI_Testsome(1, r, n, where, ss ERR_)
      print *, 'testsome', n
      call MPI_Barrier(w ERR_)
      call MPI_Isend(a, 1, MPI_INTEGER, other, 13, w, r(2) ERR_)
      call MPI_Waitall(2, r, MPI_STATUSES_IGNORE ERR_)
      do i = 1, 3
         call MPI_Irecv(b, 1, MPI_INTEGER, MPI_PROC_NULL, i, w, r(i) ERR_)
      end do
      call MPI_Testany(3, r, i, flag, MPI_STATUS_IGNORE ERR_)
      print *, 'testany', flag, i
      call MPI_Testsome(3, r, n, where, ss ERR_)
      print *, 'testsome', n, where(1:n)
      call MPI_Testall(3, r, flag, MPI_STATUSES_IGNORE ERR_)
      print *, 'testall', flag

      call MPI_Irecv(b, 1, MPI_INTEGER, other, 14, w, one ERR_)
      call MPI_Cancel(one ERR_)
      call MPI_Wait(one, st ERR_)
      call MPI_Test_cancelled(st, flag ERR_)
      print *, 'cancelled', flag
      call MPI_Isend(a, 1, MPI_INTEGER, MPI_PROC_NULL, 14, w, one ERR_)
      call MPI_Request_free(one ERR_)
      call MPI_Request_get_status(one, flag, st ERR_)
      print *, 'status of none', flag
   end subroutine

   subroutine persistent()
      REQUEST :: r(2)
      STATUSES(ss, 2)
      integer :: a(5), b(5), i
      logical :: flag

      call MPI_Send_init(a, 5, MPI_INTEGER, other, 20, w, r(1) ERR_)
      call MPI_Recv_init(b, 5, MPI_INTEGER, other, 20, w, r(2) ERR_)
      do i = 1, 3
         a = i + 10 * me
         if (i == 2) then
            call MPI_Start(r(2) ERR_)
            call MPI_Start(r(1) ERR_)
         else
            call MPI_Startall(2, r ERR_)
         end if
         call MPI_Waitall(2, r, ss ERR_)
         print *, 'persistent', b(5), SOURCE_OF(ss, 2), TAG_OF(ss, 2)
      end do
      call MPI_Test(r(1), flag, MPI_STATUS_IGNORE ERR_)
      call MPI_Request_free(r(1) ERR_)
      call MPI_Request_free(r(2) ERR_)
      print *, 'freed', flag, r(1) == MPI_REQUEST_NULL
   end subroutine

   subroutine probes()
      integer :: a(6), n
      logical :: flag
      MESSAGE :: m
      REQUEST :: r
      STATUS(st)

      a = me
      call MPI_Iprobe(other, 30, w, flag, MPI_STATUS_IGNORE ERR_)
      print *, 'iprobe', flag
      call MPI_Barrier(w ERR_)
      if (me == 0) then
         call MPI_Send(a, 6, MPI_INTEGER, 1, 30, w ERR_)
         call MPI_Send(a, 5, MPI_INTEGER, 1, 31, w ERR_)
         call MPI_Send(a, 4, MPI_INTEGER, 1, 32, w ERR_)
      end if
      call MPI_Improbe(other, 33, w, flag, m, st ERR_)
      print *, 'improbe', flag
      call MPI_Barrier(w ERR_)
      if (me == 1) then
         call MPI_Probe(0, 30, w, st ERR_)
         call MPI_Get_count(st, MPI_INTEGER, n ERR_)
         print *, 'probe', n, TAG(st)
         call MPI_Recv(a, 6, MPI_INTEGER, 0, 30, w, MPI_STATUS_IGNORE ERR_)
         call MPI_Mprobe(0, MPI_ANY_TAG, w, m, st ERR_)
         call MPI_Mrecv(a, 6, MPI_INTEGER, m, MPI_STATUS_IGNORE ERR_)
         print *, 'mrecv', TAG(st), m == MPI_MESSAGE_NULL
         call MPI_Mprobe(0, 32, w, m, MPI_STATUS_IGNORE ERR_)
         call MPI_Imrecv(a, 6, MPI_INTEGER, m, r ERR_)
         call MPI_Wait(r, st ERR_)
         print *, 'imrecv', TAG(st), SOURCE(st)
      end if
   end subroutine

   subroutine larger(in, inout, n, type)
#ifdef F08
      use, intrinsic :: iso_c_binding
      type(c_ptr), value :: in, inout
      integer, pointer :: a(:), b(:)
      integer :: n
      TYPE_ :: type

      call c_f_pointer(in, a, [n])
      call c_f_pointer(inout, b, [n])
      b = max(a, b)
#else
      integer :: n
      integer :: in(n), inout(n)
      TYPE_ :: type

      inout = max(in, inout)
#endif
   end subroutine

   subroutine collectives()
      integer :: a(4), b(8), c(2), d(2), z(2)
      TYPE_ :: t(2)
      OP :: o
      REQUEST :: r(3)
      logical :: flag

      a = [1, 2, 3, 4] + 10 * me
      b = 0
      c = 2
      d = [0, 2]
      z = [0, 8]
      t = MPI_INTEGER
      call MPI_Bcast(b, 3, MPI_INTEGER, 1, w ERR_)
      call MPI_Gather(a, 2, MPI_INTEGER, b, 2, MPI_INTEGER, 0, w ERR_)
      call MPI_Gatherv(a, 2, MPI_INTEGER, b, c, d, MPI_INTEGER, 1, w ERR_)
      call MPI_Scatter(b, 1, MPI_INTEGER, a, 1, MPI_INTEGER, 1, w ERR_)
      call MPI_Scatterv(b, c, d, MPI_INTEGER, a, 2, MPI_INTEGER, 0, w ERR_)
      b(1:4) = me + 1
      call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 2, &
                         MPI_INTEGER, w ERR_)
      print *, 'allgather', b(1:4)
      call MPI_Allgatherv(a, 2, MPI_INTEGER, b, c, d, MPI_INTEGER, w ERR_)
      call MPI_Alltoall(a, 1, MPI_INTEGER, b, 1, MPI_INTEGER, w ERR_)
      call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INTEGER, b, 1, MPI_INTEGER, w ERR_)
      call MPI_Alltoallv(a, c, d, MPI_INTEGER, b, c, d, MPI_INTEGER, w ERR_)
      call MPI_Alltoallw(a, c, z, t, b, c, z, t, w ERR_)
      call MPI_Alltoallw(MPI_IN_PLACE, c, z, t, b, c, z, t, w ERR_)
      print *, 'alltoallw', b(1:4)
      if (me == 0) then
         call MPI_Reduce(MPI_IN_PLACE, b, 4, MPI_INTEGER, MPI_SUM, 0, w ERR_)
      else
         call MPI_Reduce(b, a, 4, MPI_INTEGER, MPI_SUM, 0, w ERR_)
      end if
      call MPI_Allreduce(MPI_IN_PLACE, a, 4, MPI_INTEGER, MPI_MAX, w ERR_)
      print *, 'allreduce', a
      call MPI_Reduce_scatter(b, a, c, MPI_INTEGER, MPI_SUM, w ERR_)
      call MPI_Reduce_scatter_block(b, a, 2, MPI_INTEGER, MPI_SUM, w ERR_)
      call MPI_Scan(b, a, 2, MPI_INTEGER, MPI_SUM, w ERR_)
      call MPI_Exscan(b, a, 2, MPI_INTEGER, MPI_SUM, w ERR_)
      call MPI_Op_create(larger, .true., o ERR_)
      call MPI_Op_commutative(o, flag ERR_)
      b = [me, 2, 1 - me, 4, 5, 6, 7, 8]
      call MPI_Allreduce(b, a, 4, MPI_INTEGER, o, w ERR_)
      print *, 'own op', a, flag
      call MPI_Op_free(o ERR_)
      call MPI_Ibarrier(w, r(1) ERR_)
      call MPI_Ibcast(a, 4, MPI_INTEGER, 0, w, r(2) ERR_)
      call MPI_Iallreduce(MPI_IN_PLACE, b, 8, MPI_INTEGER, MPI_SUM, w, r(3) ERR_)
      call MPI_Waitall(3, r, MPI_STATUSES_IGNORE ERR_)
      print *, 'iallreduce', b
   end subroutine

   subroutine types()
      integer :: a(2)
      double precision :: x(3)
      integer(MPI_ADDRESS_KIND) :: at(2), lb, extent
      integer :: length(2), size, position
      TYPE_ :: t(2), both
      character :: packed(100)

      a = me
      x = 2.5d0 * me
      call MPI_Get_address(a, at(1) ERR_)
      call MPI_Get_address(x, at(2) ERR_)
      length = [2, 3]
      t(1) = MPI_INTEGER
      t(2) = MPI_DOUBLE_PRECISION
      call MPI_Type_create_struct(2, length, at, t, both ERR_)
      call MPI_Type_commit(both ERR_)
      call MPI_Type_size(both, size ERR_)
      call MPI_Bcast(MPI_BOTTOM, 1, both, 1, w ERR_)
      print *, 'bottom', a, x, size
      if (me == 0) then
         call MPI_Send(MPI_BOTTOM, 1, both, 1, 40, w ERR_)
      else
         call MPI_Recv(MPI_BOTTOM, 1, both, 0, 40, w, MPI_STATUS_IGNORE ERR_)
      end if
      call MPI_Type_free(both ERR_)
      call MPI_Type_vector(2, 1, 2, MPI_REAL, both ERR_)
      call MPI_Type_get_extent(both, lb, extent ERR_)
      call MPI_Type_free(both ERR_)
      print *, 'extent', lb, extent
      position = 0
      call MPI_Pack(a, 2, MPI_INTEGER, packed, 100, position, w ERR_)
      print *, 'packed', position
   end subroutine

   subroutine communicators()
      COMM :: c, d, g
      GROUP :: all, part
      REQUEST :: r
      integer :: n, rank, x(1), y(2), coords(2), from, to
      integer(MPI_ADDRESS_KIND) :: z(2)
      TYPE_ :: t(2)
      logical :: flag, periods(1)
      character(len=MPI_MAX_OBJECT_NAME) :: name

      call MPI_Comm_dup(w, c ERR_)
      call MPI_Comm_set_name(c, 'copy of all  ' ERR_)
      call MPI_Comm_get_name(c, name, n ERR_)
      print *, 'name "', name(1:n), '"', len_trim(name)
      call MPI_Comm_split(c, me, 0, d ERR_)
      call MPI_Comm_size(d, n ERR_)
      call MPI_Barrier(d ERR_)
      call MPI_Comm_free(d ERR_)
      print *, 'split', n, d == MPI_COMM_NULL
      call MPI_Comm_split(c, MPI_UNDEFINED, 0, d ERR_)
      print *, 'undefined', d == MPI_COMM_NULL
      call MPI_Comm_group(w, all ERR_)
      call MPI_Group_incl(all, 1, [0], part ERR_)
      call MPI_Comm_create(w, part, d ERR_)
      if (me == 0) call MPI_Comm_free(d ERR_)
      call MPI_Group_free(part ERR_)
      call MPI_Group_free(all ERR_)
      call MPI_Comm_idup(c, d, r ERR_)
      call MPI_Wait(r, MPI_STATUS_IGNORE ERR_)
      call MPI_Barrier(d ERR_)
      call MPI_Comm_compare(c, d, n ERR_)
      call MPI_Comm_test_inter(d, flag ERR_)
      print *, 'idup', n == MPI_CONGRUENT, flag
      call MPI_Comm_free(d ERR_)
      periods = .true.
      call MPI_Cart_create(c, 1, [2], periods, .false., g ERR_)
      periods = .false.
      call MPI_Cart_get(g, 1, coords, periods, coords(2:2) ERR_)
      call MPI_Cart_shift(g, 0, 1, from, to ERR_)
      print *, 'cart', coords, periods, from, to
      x = me
      y = -1
      t = MPI_INTEGER
      z = [0, 4]
      call MPI_Neighbor_allgather(x, 1, MPI_INTEGER, y, 1, MPI_INTEGER, g ERR_)
      print *, 'neighbours', y
      call MPI_Neighbor_alltoallw(y, [1, 1], z, t, coords, [1, 1], z, t, g ERR_)
      print *, 'neighbours', coords
      call MPI_Cart_sub(g, [.false.], d ERR_)
      call MPI_Comm_rank(d, rank ERR_)
      call MPI_Comm_free(d ERR_)
      call MPI_Comm_free(g ERR_)
      call MPI_Comm_free(c ERR_)
   end subroutine

   subroutine windows_and_files()
      integer(MPI_ADDRESS_KIND) :: bytes, at
      integer(MPI_OFFSET_KIND) :: offset
      integer :: a(4), b(4), n
      WIN :: v
      FILE_ :: f
      STATUS(st)

      a = me + 1
      b = 0
      bytes = 16
      call MPI_Win_create(a, bytes, 4, MPI_INFO_NULL, w, v ERR_)
      call MPI_Win_set_name(v, 'ours' ERR_)
      call MPI_Win_fence(0, v ERR_)
      at = 1
      call MPI_Get(b, 2, MPI_INTEGER, other, at, 2, MPI_INTEGER, v ERR_)
      call MPI_Win_fence(0, v ERR_)
      print *, 'got', b
      call MPI_Win_lock(MPI_LOCK_SHARED, other, 0, v ERR_)
      call MPI_Win_unlock(other, v ERR_)
      call MPI_Win_free(v ERR_)
      print *, 'window', v == MPI_WIN_NULL

      call MPI_File_open(w, 'numbers   ', MPI_MODE_CREATE + MPI_MODE_RDWR, &
                         MPI_INFO_NULL, f ERR_)
      offset = 16 * me
      call MPI_File_write_at(f, offset, a, 4, MPI_INTEGER, st ERR_)
      call MPI_Get_count(st, MPI_INTEGER, n ERR_)
      call MPI_File_read_at_all(f, offset, b, 3, MPI_INTEGER, &
                                MPI_STATUS_IGNORE ERR_)
      call MPI_File_close(f ERR_)
      print *, 'file', n, b
      call MPI_Barrier(w ERR_)
      if (me == 0) call MPI_File_delete('numbers', MPI_INFO_NULL ERR_)
   end subroutine

   subroutine texts()
      INFO :: i
      character(len=20) :: value
      character(len=MPI_MAX_ERROR_STRING) :: text
      character(len=MPI_MAX_PROCESSOR_NAME) :: host
      integer :: n
      logical :: flag

      call MPI_Info_create(i ERR_)
      call MPI_Info_set(i, 'key', 'a value' ERR_)
      call MPI_Info_get(i, ' key ', 20, value, flag ERR_)
      print *, 'info "', value, '"', flag
      call MPI_Info_get(i, 'none', 20, value, flag ERR_)
      print *, 'none', flag
      call MPI_Info_free(i ERR_)
      call MPI_Error_string(MPI_ERR_TAG, text, n ERR_)
      print *, 'error "', text(1:n), '"', len_trim(text)
      call MPI_Get_processor_name(host, n ERR_)
      print *, 'host', n == len_trim(host)
   end subroutine

   subroutine attributes()
      integer(MPI_ADDRESS_KIND) :: value, extra
      integer :: key
      logical :: flag

      extra = 0
      call MPI_Comm_get_attr(w, MPI_TAG_UB, value, flag ERR_)
      print *, 'tag_ub', flag, value > 32766
      call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &
                                  MPI_COMM_NULL_DELETE_FN, key, extra ERR_)
      value = 4711
      call MPI_Comm_set_attr(w, key, value ERR_)
      value = 0
      call MPI_Comm_get_attr(w, key, value, flag ERR_)
      print *, 'attribute', value, flag
      call MPI_Comm_delete_attr(w, key ERR_)
      call MPI_Comm_free_keyval(key ERR_)
   end subroutine

   subroutine errors()
      integer :: a(10), class, e
      REQUEST :: none(1)
      STATUS(st)

      a = 0
      call MPI_Comm_set_errhandler(w, MPI_ERRORS_RETURN ERR_)
      e = -1
      call MPI_Send(a, 1, MPI_INTEGER, 99, 50, w, e)
      call MPI_Error_class(e, class ERR_)
      print *, 'rank', class == MPI_ERR_RANK
      call MPI_Send(a, -1, MPI_INTEGER, other, 50, w, e)
      call MPI_Error_class(e, class ERR_)
      print *, 'count', class == MPI_ERR_COUNT
      call MPI_Barrier(w, e)
      print *, 'none', e
      if (me == 0) then
         call MPI_Send(a, 10, MPI_INTEGER, 1, 51, w, e)
      else
         call MPI_Recv(a, 4, MPI_INTEGER, 0, 51, w, st, e)
         call MPI_Error_class(e, class ERR_)
         print *, 'truncated', class == MPI_ERR_TRUNCATE
      end if
      none = MPI_REQUEST_NULL
      call MPI_Waitall(-1, none, MPI_STATUSES_IGNORE, e)
      call MPI_Error_class(e, class ERR_)
      print *, 'waitall', class
      call MPI_Comm_set_errhandler(w, MPI_ERRORS_ARE_FATAL ERR_)
   end subroutine
end module

program fortran
   use common_part
   implicit none
   logical :: flag
   double precision :: t

   ierr = 0
#ifdef F08
   call MPI_Init()
#else
   call MPI_Init(ierr)
#endif
   w = MPI_COMM_WORLD
   call MPI_Comm_rank(w, me ERR_)
   other = 1 - me
   t = MPI_Wtime() + MPI_Wtick()
   call point_to_point()
   call completion()
   call persistent()
   call probes()
   call collectives()
   call types()
   call communicators()
   call windows_and_files()
   call texts()
   call attributes()
   call errors()
   call MPI_Pcontrol(0)
   call MPI_Barrier(w ERR_)
   call MPI_Pcontrol(1)
   call MPI_Initialized(flag ERR_)
   print *, 'initialized', flag, t > 0, ierr
#ifdef F08
   call MPI_Finalize()
#else
   call MPI_Finalize(ierr)
#endif
   call MPI_Finalized(flag ERR_)
   print *, 'finalized', flag
end program
