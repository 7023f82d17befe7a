! Communicators along the hardware, for Fortran: libtape-hsplit (tape_hsplit(3)).
! To be compiled with the program, by the compiler wrapper of its MPI library:
!
!       mpifort -c tape_hsplit.f90
!       mpifort prog.f90 tape_hsplit.o -ltape-hsplit
!
! Handles are integers (use mpi, mpif.h) or those of mpi_f08, all of a call the
! same. Types of hardware are padded with blanks. ierror may be left out.
module tape_hsplit_mod
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_ptr, c_null_ptr
  use mpi_f08, only: MPI_Comm, MPI_Info, MPI_Datatype, MPI_Op
  implicit none
  private

  public :: tape_hsplit, tape_hsplit_with_roots, tape_hsplit_all
  public :: tape_get_hlevel_info, tape_get_min_hlevel
  public :: tape_hierarchy, tape_hierarchy_create, tape_hierarchy_free
  public :: tape_hbcast, tape_hreduce, tape_hallreduce, tape_hbarrier
  public :: TAPE_MAX_HLEVEL, TAPE_COMM_TYPE_HW

  integer, parameter :: TAPE_MAX_HLEVEL = 64
  integer, parameter :: TAPE_COMM_TYPE_HW = int(z'7a9e')

  type :: tape_hierarchy
     private
     type(c_ptr) :: handle = c_null_ptr
  end type tape_hierarchy

  ! (comm, info, h[, ierror])
  interface tape_hierarchy_create
     module procedure create_int, create_f08
  end interface

  ! (buffer, count, datatype, root, h[, ierror])
  interface tape_hbcast
     module procedure bcast_int, bcast_f08
  end interface

  ! (sendbuf, recvbuf, count, datatype, op, root, h[, ierror])
  interface tape_hreduce
     module procedure reduce_int, reduce_f08
  end interface

  ! (sendbuf, recvbuf, count, datatype, op, h[, ierror])
  interface tape_hallreduce
     module procedure allreduce_int, allreduce_f08
  end interface

  ! (oldcomm, info, newcomm[, ierror])
  interface tape_hsplit
     module procedure hsplit_int, hsplit_f08
  end interface

  ! (oldcomm, info, newcomm, rootscomm[, ierror])
  interface tape_hsplit_with_roots
     module procedure with_roots_int, with_roots_f08
  end interface

  ! (oldcomm, info, newcomms(:), rootscomms(:), levels[, ierror]): as many
  ! levels as the shorter array has room for
  interface tape_hsplit_all
     module procedure all_int, all_f08
  end interface

  ! (comm, num_comms, index, type[, ierror])
  interface tape_get_hlevel_info
     module procedure info_int, info_f08
  end interface

  ! (comm, nranks, ranks(nranks), type[, ierror])
  interface tape_get_min_hlevel
     module procedure min_int, min_f08
  end interface

  interface
     integer(c_int) function tape_hsplit_f(comm, info, newcomm) bind(c)
       import :: c_int
       integer(c_int), value :: comm, info
       integer(c_int), intent(out) :: newcomm
     end function tape_hsplit_f

     integer(c_int) function tape_hsplit_with_roots_f(comm, info, newcomm, &
          rootscomm) bind(c)
       import :: c_int
       integer(c_int), value :: comm, info
       integer(c_int), intent(out) :: newcomm, rootscomm
     end function tape_hsplit_with_roots_f

     integer(c_int) function tape_hsplit_all_f(comm, info, most, newcomms, &
          rootscomms, levels) bind(c)
       import :: c_int
       integer(c_int), value :: comm, info, most
       integer(c_int), intent(inout) :: newcomms(*), rootscomms(*)
       integer(c_int), intent(out) :: levels
     end function tape_hsplit_all_f

     integer(c_int) function tape_get_hlevel_info_f(comm, num_comms, index, &
          type, length) bind(c)
       import :: c_int, c_char
       integer(c_int), value :: comm, length
       integer(c_int), intent(out) :: num_comms, index
       character(kind=c_char), intent(inout) :: type(*)
     end function tape_get_hlevel_info_f

     integer(c_int) function tape_get_min_hlevel_f(comm, nranks, ranks, &
          type, length) bind(c)
       import :: c_int, c_char
       integer(c_int), value :: comm, nranks, length
       integer(c_int), intent(in) :: ranks(*)
       character(kind=c_char), intent(inout) :: type(*)
     end function tape_get_min_hlevel_f

     integer(c_int) function tape_hierarchy_create_f(comm, info, h) bind(c)
       import :: c_int, c_ptr
       integer(c_int), value :: comm, info
       type(c_ptr), intent(inout) :: h
     end function tape_hierarchy_create_f

     integer(c_int) function tape_hierarchy_free_f(h) bind(c)
       import :: c_int, c_ptr
       type(c_ptr), intent(inout) :: h
     end function tape_hierarchy_free_f

     integer(c_int) function tape_hbcast_f(buffer, count, type, root, h) &
          bind(c)
       import :: c_int, c_ptr
       !GCC$ attributes no_arg_check :: buffer
       !DIR$ ignore_tkr buffer
       type(*), dimension(*) :: buffer
       integer(c_int), value :: count, type, root
       type(c_ptr), value :: h
     end function tape_hbcast_f

     integer(c_int) function tape_hreduce_f(sendbuf, recvbuf, count, type, &
          op, root, h) bind(c)
       import :: c_int, c_ptr
       !GCC$ attributes no_arg_check :: sendbuf
       !DIR$ ignore_tkr sendbuf
       type(*), dimension(*) :: sendbuf
       !GCC$ attributes no_arg_check :: recvbuf
       !DIR$ ignore_tkr recvbuf
       type(*), dimension(*) :: recvbuf
       integer(c_int), value :: count, type, op, root
       type(c_ptr), value :: h
     end function tape_hreduce_f

     integer(c_int) function tape_hallreduce_f(sendbuf, recvbuf, count, &
          type, op, h) bind(c)
       import :: c_int, c_ptr
       !GCC$ attributes no_arg_check :: sendbuf
       !DIR$ ignore_tkr sendbuf
       type(*), dimension(*) :: sendbuf
       !GCC$ attributes no_arg_check :: recvbuf
       !DIR$ ignore_tkr recvbuf
       type(*), dimension(*) :: recvbuf
       integer(c_int), value :: count, type, op
       type(c_ptr), value :: h
     end function tape_hallreduce_f

     integer(c_int) function tape_hbarrier_f(h) bind(c)
       import :: c_int, c_ptr
       type(c_ptr), value :: h
     end function tape_hbarrier_f
  end interface

contains

  subroutine hsplit_int(oldcomm, info, newcomm, ierror)
    integer, intent(in) :: oldcomm, info
    integer, intent(out) :: newcomm
    integer, optional, intent(out) :: ierror
    integer :: e

    e = tape_hsplit_f(oldcomm, info, newcomm)
    if (present(ierror)) ierror = e
  end subroutine hsplit_int

  subroutine hsplit_f08(oldcomm, info, newcomm, ierror)
    type(MPI_Comm), intent(in) :: oldcomm
    type(MPI_Info), intent(in) :: info
    type(MPI_Comm), intent(out) :: newcomm
    integer, optional, intent(out) :: ierror

    call hsplit_int(oldcomm%MPI_VAL, info%MPI_VAL, newcomm%MPI_VAL, ierror)
  end subroutine hsplit_f08

  subroutine with_roots_int(oldcomm, info, newcomm, rootscomm, ierror)
    integer, intent(in) :: oldcomm, info
    integer, intent(out) :: newcomm, rootscomm
    integer, optional, intent(out) :: ierror
    integer :: e

    e = tape_hsplit_with_roots_f(oldcomm, info, newcomm, rootscomm)
    if (present(ierror)) ierror = e
  end subroutine with_roots_int

  subroutine with_roots_f08(oldcomm, info, newcomm, rootscomm, ierror)
    type(MPI_Comm), intent(in) :: oldcomm
    type(MPI_Info), intent(in) :: info
    type(MPI_Comm), intent(out) :: newcomm, rootscomm
    integer, optional, intent(out) :: ierror

    call with_roots_int(oldcomm%MPI_VAL, info%MPI_VAL, newcomm%MPI_VAL, &
         rootscomm%MPI_VAL, ierror)
  end subroutine with_roots_f08

  subroutine all_int(oldcomm, info, newcomms, rootscomms, levels, ierror)
    integer, intent(in) :: oldcomm, info
    integer, intent(inout) :: newcomms(:), rootscomms(:)
    integer, intent(out) :: levels
    integer, optional, intent(out) :: ierror
    integer :: e

    e = tape_hsplit_all_f(oldcomm, info, &
         min(size(newcomms), size(rootscomms)), newcomms, rootscomms, levels)
    if (present(ierror)) ierror = e
  end subroutine all_int

  subroutine all_f08(oldcomm, info, newcomms, rootscomms, levels, ierror)
    type(MPI_Comm), intent(in) :: oldcomm
    type(MPI_Info), intent(in) :: info
    type(MPI_Comm), intent(inout) :: newcomms(:), rootscomms(:)
    integer, intent(out) :: levels
    integer, optional, intent(out) :: ierror
    integer :: new(size(newcomms)), roots(size(rootscomms))

    call all_int(oldcomm%MPI_VAL, info%MPI_VAL, new, roots, levels, ierror)
    newcomms(:levels)%MPI_VAL = new(:levels)
    rootscomms(:levels)%MPI_VAL = roots(:levels)
  end subroutine all_f08

  subroutine info_int(comm, num_comms, index, type, ierror)
    integer, intent(in) :: comm
    integer, intent(out) :: num_comms, index
    character(len=*), intent(inout) :: type
    integer, optional, intent(out) :: ierror
    integer :: e

    e = tape_get_hlevel_info_f(comm, num_comms, index, type, len(type))
    if (present(ierror)) ierror = e
  end subroutine info_int

  subroutine info_f08(comm, num_comms, index, type, ierror)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(out) :: num_comms, index
    character(len=*), intent(inout) :: type
    integer, optional, intent(out) :: ierror

    call info_int(comm%MPI_VAL, num_comms, index, type, ierror)
  end subroutine info_f08

  subroutine min_int(comm, nranks, ranks, type, ierror)
    integer, intent(in) :: comm, nranks
    integer, intent(in) :: ranks(*)
    character(len=*), intent(inout) :: type
    integer, optional, intent(out) :: ierror
    integer :: e

    e = tape_get_min_hlevel_f(comm, nranks, ranks, type, len(type))
    if (present(ierror)) ierror = e
  end subroutine min_int

  subroutine min_f08(comm, nranks, ranks, type, ierror)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: nranks
    integer, intent(in) :: ranks(*)
    character(len=*), intent(inout) :: type
    integer, optional, intent(out) :: ierror

    call min_int(comm%MPI_VAL, nranks, ranks, type, ierror)
  end subroutine min_f08

  subroutine create_int(comm, info, h, ierror)
    integer, intent(in) :: comm, info
    type(tape_hierarchy), intent(out) :: h
    integer, optional, intent(out) :: ierror
    integer :: e

    e = tape_hierarchy_create_f(comm, info, h%handle)
    if (present(ierror)) ierror = e
  end subroutine create_int

  subroutine create_f08(comm, info, h, ierror)
    type(MPI_Comm), intent(in) :: comm
    type(MPI_Info), intent(in) :: info
    type(tape_hierarchy), intent(out) :: h
    integer, optional, intent(out) :: ierror

    call create_int(comm%MPI_VAL, info%MPI_VAL, h, ierror)
  end subroutine create_f08

  subroutine tape_hierarchy_free(h, ierror)
    type(tape_hierarchy), intent(inout) :: h
    integer, optional, intent(out) :: ierror
    integer :: e

    e = tape_hierarchy_free_f(h%handle)
    if (present(ierror)) ierror = e
  end subroutine tape_hierarchy_free

  subroutine tape_hbarrier(h, ierror)
    type(tape_hierarchy), intent(in) :: h
    integer, optional, intent(out) :: ierror
    integer :: e

    e = tape_hbarrier_f(h%handle)
    if (present(ierror)) ierror = e
  end subroutine tape_hbarrier

  subroutine bcast_int(buffer, count, datatype, root, h, ierror)
    !GCC$ attributes no_arg_check :: buffer
    !DIR$ ignore_tkr buffer
    type(*), dimension(*) :: buffer
    integer, intent(in) :: count, datatype, root
    type(tape_hierarchy), intent(in) :: h
    integer, optional, intent(out) :: ierror
    integer :: e

    e = tape_hbcast_f(buffer, count, datatype, root, h%handle)
    if (present(ierror)) ierror = e
  end subroutine bcast_int

  subroutine bcast_f08(buffer, count, datatype, root, h, ierror)
    !GCC$ attributes no_arg_check :: buffer
    !DIR$ ignore_tkr buffer
    type(*), dimension(*) :: buffer
    integer, intent(in) :: count, root
    type(MPI_Datatype), intent(in) :: datatype
    type(tape_hierarchy), intent(in) :: h
    integer, optional, intent(out) :: ierror

    call bcast_int(buffer, count, datatype%MPI_VAL, root, h, ierror)
  end subroutine bcast_f08

  subroutine reduce_int(sendbuf, recvbuf, count, datatype, op, root, h, ierror)
    !GCC$ attributes no_arg_check :: sendbuf
    !DIR$ ignore_tkr sendbuf
    type(*), dimension(*) :: sendbuf
    !GCC$ attributes no_arg_check :: recvbuf
    !DIR$ ignore_tkr recvbuf
    type(*), dimension(*) :: recvbuf
    integer, intent(in) :: count, datatype, op, root
    type(tape_hierarchy), intent(in) :: h
    integer, optional, intent(out) :: ierror
    integer :: e

    e = tape_hreduce_f(sendbuf, recvbuf, count, datatype, op, root, h%handle)
    if (present(ierror)) ierror = e
  end subroutine reduce_int

  subroutine reduce_f08(sendbuf, recvbuf, count, datatype, op, root, h, ierror)
    !GCC$ attributes no_arg_check :: sendbuf
    !DIR$ ignore_tkr sendbuf
    type(*), dimension(*) :: sendbuf
    !GCC$ attributes no_arg_check :: recvbuf
    !DIR$ ignore_tkr recvbuf
    type(*), dimension(*) :: recvbuf
    integer, intent(in) :: count, root
    type(MPI_Datatype), intent(in) :: datatype
    type(MPI_Op), intent(in) :: op
    type(tape_hierarchy), intent(in) :: h
    integer, optional, intent(out) :: ierror

    call reduce_int(sendbuf, recvbuf, count, datatype%MPI_VAL, op%MPI_VAL, &
         root, h, ierror)
  end subroutine reduce_f08

  subroutine allreduce_int(sendbuf, recvbuf, count, datatype, op, h, ierror)
    !GCC$ attributes no_arg_check :: sendbuf
    !DIR$ ignore_tkr sendbuf
    type(*), dimension(*) :: sendbuf
    !GCC$ attributes no_arg_check :: recvbuf
    !DIR$ ignore_tkr recvbuf
    type(*), dimension(*) :: recvbuf
    integer, intent(in) :: count, datatype, op
    type(tape_hierarchy), intent(in) :: h
    integer, optional, intent(out) :: ierror
    integer :: e

    e = tape_hallreduce_f(sendbuf, recvbuf, count, datatype, op, h%handle)
    if (present(ierror)) ierror = e
  end subroutine allreduce_int

  subroutine allreduce_f08(sendbuf, recvbuf, count, datatype, op, h, ierror)
    !GCC$ attributes no_arg_check :: sendbuf
    !DIR$ ignore_tkr sendbuf
    type(*), dimension(*) :: sendbuf
    !GCC$ attributes no_arg_check :: recvbuf
    !DIR$ ignore_tkr recvbuf
    type(*), dimension(*) :: recvbuf
    integer, intent(in) :: count
    type(MPI_Datatype), intent(in) :: datatype
    type(MPI_Op), intent(in) :: op
    type(tape_hierarchy), intent(in) :: h
    integer, optional, intent(out) :: ierror

    call allreduce_int(sendbuf, recvbuf, count, datatype%MPI_VAL, &
         op%MPI_VAL, h, ierror)
  end subroutine allreduce_f08
end module tape_hsplit_mod
