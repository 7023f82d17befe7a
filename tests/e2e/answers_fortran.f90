! Programs with a known fault in Fortran; see answers.h.
module faults
  use mpi
  implicit none
  integer, parameter :: steps = 20
  integer :: me, n, ierr
contains
  ! One thing after another: so many ms.
  subroutine compute(ms)
    double precision, intent(in) :: ms
    external :: smpi_execute
    double precision :: seconds

    seconds = ms * 1d-3
    call smpi_execute(seconds)
  end subroutine compute

  subroutine compute_as(late, long, short)
    integer, intent(in) :: late
    double precision, intent(in) :: long, short

    call compute(merge(long, short, me == late))
  end subroutine compute_as

  subroutine print_truth(mark, rank, seconds)
    character(*), intent(in) :: mark
    integer, intent(in) :: rank
    double precision, intent(in) :: seconds

    if (me == 0) print '(3a, i0, f12.6)', 'truth ', mark, ' ', rank, seconds
  end subroutine print_truth

  subroutine slow_rank()
    integer :: i
    double precision :: one, total

    one = 1
    do i = 1, steps
      call compute_as(1, 14d0, 10d0)
      call MPI_Allreduce(one, total, 1, MPI_DOUBLE_PRECISION, & ! F_SUM
                         MPI_SUM, MPI_COMM_WORLD, ierr)
    end do
    call print_truth('F_SUM', 1, steps * 4d-3 * (n - 1))
  end subroutine slow_rank

  subroutine late_sender()
    integer :: i, a(10)

    a = me
    do i = 1, steps
      if (me == 0) call MPI_Recv(a, 10, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, &
                                 MPI_STATUS_IGNORE, ierr)
      if (me == 1) then
        call compute(10d0)
        call MPI_Send(a, 10, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, ierr) ! F_SEND
      end if
    end do
    call print_truth('F_SEND', 1, steps * 10d-3)
  end subroutine late_sender

  subroutine late_root()
    integer :: i, a(10)

    a = me
    do i = 1, steps
      call compute_as(2, 8d0, 4d0)
      call MPI_Bcast(a, 10, MPI_INTEGER, 2, MPI_COMM_WORLD, ierr) ! F_ROOT
    end do
    call print_truth('F_ROOT', 2, steps * 4d-3 * (n - 1))
  end subroutine late_root

  subroutine chain()
    integer :: i, a(10)

    a = me
    do i = 1, steps
      call compute_as(0, 10d0, 2d0)
      if (me > 0) call MPI_Recv(a, 10, MPI_INTEGER, me - 1, 1, &
                                MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      if (me + 1 < n) call MPI_Send(a, 10, MPI_INTEGER, me + 1, 1, &
                                    MPI_COMM_WORLD, ierr)
      call MPI_Barrier(MPI_COMM_WORLD, ierr) ! F_CHAIN
    end do
    call print_truth('F_CHAIN', 0, steps * 8d-3 * (n - 1))
  end subroutine chain

  subroutine hidden_in_waitall()
    integer :: i, a(100), b(100), req(2)

    a = me
    do i = 1, steps
      call compute_as(n - 1, 15d0, 10d0)
      call MPI_Irecv(b, 100, MPI_INTEGER, mod(me + 1, n), 1, MPI_COMM_WORLD, &
                     req(1), ierr)
      call MPI_Isend(a, 100, MPI_INTEGER, mod(me + n - 1, n), 1, &
                     MPI_COMM_WORLD, req(2), ierr)
      call MPI_Waitall(2, req, MPI_STATUSES_IGNORE, ierr)
      call MPI_Barrier(MPI_COMM_WORLD, ierr) ! F_HIDDEN
    end do
    call print_truth('F_HIDDEN', n - 1, steps * 5d-3 * (n - 1))
  end subroutine hidden_in_waitall

  subroutine balanced()
    integer :: i

    do i = 1, steps
      call compute(10d0)
      call MPI_Barrier(MPI_COMM_WORLD, ierr)
    end do
  end subroutine balanced
end module faults

program answers
  use faults
  implicit none
  character(40) :: what

  call get_command_argument(1, what)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
  select case (what)
  case ('slow_rank')
    call slow_rank()
  case ('late_sender')
    call late_sender()
  case ('late_root')
    call late_root()
  case ('chain')
    call chain()
  case ('hidden_in_waitall')
    call hidden_in_waitall()
  case default
    call balanced()
  end select
  call MPI_Finalize(ierr)
end program answers
