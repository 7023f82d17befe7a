! libtape-hsplit from Fortran, for eight processes on goglin-2018's node; F08:
! use mpi_f08, else use mpi. Prints what is wrong, and "done".
program hsplit_fortran
#ifdef F08
  use mpi_f08
#define COMM type(MPI_Comm)
#define INFO type(MPI_Info)
#else
  use mpi
#define COMM integer
#define INFO integer
#endif
  use tape_hsplit_mod
  implicit none
  COMM :: new, roots, comms(8), firsts(8)
  INFO :: wanted
  integer :: rank, n, num, index, levels, e, i
  character(len=TAPE_MAX_HLEVEL) :: kind
  character(len=2) :: short

  call MPI_Init(e)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, e)

  call tape_hsplit(MPI_COMM_WORLD, MPI_INFO_NULL, new, e)
  call check(e == MPI_SUCCESS, 'split')
  call MPI_Comm_size(new, n, e)
  call check(n == 4, 'size')
  call tape_get_hlevel_info(new, num, index, kind, e)
  call check(e == MPI_SUCCESS .and. num == 2 .and. index == rank / 4, 'info')
  call check(kind == 'L3' .and. len_trim(kind) == 2, 'type')
  call MPI_Comm_free(new, e)

  call tape_hsplit_with_roots(MPI_COMM_WORLD, MPI_INFO_NULL, new, roots)
  call check((roots /= MPI_COMM_NULL) .eqv. (mod(rank, 4) == 0), 'roots')
  call MPI_Comm_free(new, e)
  if (roots /= MPI_COMM_NULL) call MPI_Comm_free(roots, e)

  call tape_hsplit_all(MPI_COMM_WORLD, MPI_INFO_NULL, comms, firsts, levels, e)
  call check(e == MPI_SUCCESS .and. levels == 3, 'all')
  call tape_get_hlevel_info(comms(2), num, index, short)
  call check(short == 'L1', 'a short text')
  call tape_get_hlevel_info(comms(3), num, index, kind)
  call check(kind == 'Core' .and. index == mod(rank, 2), 'the last')
  call tape_hsplit(comms(3), MPI_INFO_NULL, new)
  call check(new == MPI_COMM_NULL, 'none below')
  do i = 1, levels
     call MPI_Comm_free(comms(i), e)
     if (firsts(i) /= MPI_COMM_NULL) call MPI_Comm_free(firsts(i), e)
  end do

  call tape_get_min_hlevel(MPI_COMM_WORLD, 2, [2, 3], kind, e)
  if (rank == 2 .or. rank == 3) then
     call check(kind == 'L1d', 'lowest')
  else
     call check(kind == 'Unknown', 'unknown')
  end if

  call hierarchy()

  call MPI_Info_create(wanted, e)
  call MPI_Info_set(wanted, 'mpi_hw_resource_type', 'Package', e)
  call tape_hsplit(MPI_COMM_WORLD, wanted, new, e)
  call tape_get_hlevel_info(new, num, index, kind)
  call check(kind == 'Package' .and. num == 2, 'guided')
  call MPI_Comm_free(new, e)
  call MPI_Info_free(wanted, e)

  call tape_get_hlevel_info(MPI_COMM_WORLD, num, index, kind, e)
  call check(e == MPI_ERR_ARG, 'an error')
  call tape_hsplit(MPI_COMM_NULL, MPI_INFO_NULL, new, e)
  call check(e == MPI_ERR_COMM .and. new == MPI_COMM_NULL, 'no communicator')
  call check(TAPE_COMM_TYPE_HW == 31390, 'the door''s number')
  call MPI_Barrier(MPI_COMM_WORLD, e)
  if (rank == 0) print '(a)', 'done'
  call MPI_Finalize(e)

contains

  ! the sum of all ranks and more, by levels and by MPI
  subroutine hierarchy()
    type(tape_hierarchy) :: h
    double precision :: some(100), mine(100), all(100), want(100)
    integer :: one, top

    call tape_hierarchy_create(MPI_COMM_WORLD, MPI_INFO_NULL, h, e)
    call check(e == MPI_SUCCESS, 'hierarchy')
    some = 0
    if (rank == 5) some = [(i / 2d0, i = 1, 100)]
    call tape_hbcast(some, 100, MPI_DOUBLE_PRECISION, 5, h, e)
    call check(e == MPI_SUCCESS .and. all_of(some == [(i / 2d0, i = 1, 100)]), &
         'broadcast')
    mine = [(dble(i * (rank + 1)), i = 1, 100)]
    want = [(36d0 * i, i = 1, 100)]
    all = -1
    call tape_hreduce(mine, all, 100, MPI_DOUBLE_PRECISION, MPI_SUM, 3, h, e)
    call check(e == MPI_SUCCESS .and. all_of(all == merge(want, -1d0 + 0 * want, &
         rank == 3)), 'reduction')
    call tape_hallreduce(mine, all, 100, MPI_DOUBLE_PRECISION, MPI_SUM, h, e)
    call check(e == MPI_SUCCESS .and. all_of(all == want), 'sum')
    all = mine
    call tape_hallreduce(MPI_IN_PLACE, all, 100, MPI_DOUBLE_PRECISION, &
         MPI_SUM, h, e)
    call check(e == MPI_SUCCESS .and. all_of(all == want), 'sum in place')
    all = mine
    if (rank == 2) then
       call tape_hreduce(MPI_IN_PLACE, all, 100, MPI_DOUBLE_PRECISION, &
            MPI_SUM, 2, h)
       call check(all_of(all == want), 'reduction in place')
    else
       call tape_hreduce(mine, all, 100, MPI_DOUBLE_PRECISION, MPI_SUM, 2, h)
    end if
    ! a scalar
    one = rank
    call tape_hallreduce(one, top, 1, MPI_INTEGER, MPI_MAX, h)
    call check(top == 7, 'maximum')
    call tape_hbarrier(h, e)
    call check(e == MPI_SUCCESS, 'barrier')
    call tape_hierarchy_free(h, e)
    call check(e == MPI_SUCCESS, 'freed')
    call tape_hbarrier(h, e)
    call check(e == MPI_ERR_ARG, 'no hierarchy')
  end subroutine hierarchy

  logical function all_of(these)
    logical, intent(in) :: these(:)

    all_of = count(these) == size(these)
  end function all_of

  subroutine check(is, what)
    logical, intent(in) :: is
    character(len=*), intent(in) :: what

    if (.not. is) print '(a, i0, 2a)', 'rank ', rank, ': ', what
  end subroutine check
end program hsplit_fortran
