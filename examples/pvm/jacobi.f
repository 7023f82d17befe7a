! The Jacobi iteration of jacobi.c in Fortran: the same decomposition, the same
! messages but for the parameters, and the same output.
!
!	jacobi_fortran TASKS [-tu] [-n cells] [-i iterations]
!
! Programs that Fortran spawns have no arguments: the first task tells the
! others. In fixed form, for that is what fpvm3.h is written in.

      module plate
      implicit none
      include 'fpvm3.h'
      integer, parameter :: most = 128, tag_parameters = 1, tag_up = 2
      integer, parameter :: tag_down = 3, tag_change = 4, tag_all = 5
      integer, parameter :: tag_plate = 6
      double precision, parameter :: at_rest = 1d-9
!     n, iterations, number of tasks, 1 if unchecked
      integer :: p(4)
!     the group, this task's number in it, the tasks in that order
      character(len=32) :: team
      integer :: rank, tids(0:most - 1)
      contains

!     The first row of a task, from 0; that of the next ends its block.
      integer function first_row(r)
      integer, intent(in) :: r
      first_row = int(int(p(1), 8) * r / p(3))
      end function

!     The upper edge is held hot.
      subroutine open_block(a, b, first, rows)
      double precision, allocatable, intent(out) :: a(:, :), b(:, :)
      integer, intent(in) :: first, rows
      allocate(a(0:p(1) + 1, 0:rows + 1), b(0:p(1) + 1, 0:rows + 1))
      a = 0
      if (first == 0) a(:, 0) = 1
      b = a
      end subroutine

!     One step; the result is the largest change of a cell.
      double precision function relax(a, b, rows)
      integer, intent(in) :: rows
      double precision, intent(in) :: a(0:p(1) + 1, 0:rows + 1)
      double precision, intent(inout) :: b(0:p(1) + 1, 0:rows + 1)
      integer :: i, j
      relax = 0
      do i = 1, rows
        do j = 1, p(1)
          b(j, i) = (((a(j, i - 1) + a(j, i + 1)) + a(j - 1, i))        &
     &              + a(j + 1, i)) / 4
          relax = max(relax, abs(b(j, i) - a(j, i)))
        end do
      end do
      end function

!     One row to a neighbour, one from the other; 0 is none.
      subroutine shift(out, to, in, from, tag)
      double precision, intent(in) :: out(*)
      double precision, intent(inout) :: in(*)
      integer, intent(in) :: to, from, tag
      integer :: width, a, b, c, info
      width = p(1) + 2
      if (to /= 0) call pvmfpsend(to, tag, out, width, REAL8, info)
      if (from /= 0) call pvmfprecv(from, tag, in, width, REAL8, a, b,  &
     &                              c, info)
      end subroutine

!     The largest change of all tasks.
      subroutine reduce(change)
      double precision, intent(inout) :: change
      external pvmmax
      integer :: info
      call pvmfreduce(pvmmax, change, 1, REAL8, tag_change, team, 0,    &
     &                info)
      if (rank == 0) then
        call pvmfinitsend(PVMRAW, info)
        call pvmfpack(REAL8, change, 1, 1, info)
        call pvmfbcast(team, tag_all, info)
      else
        call pvmfrecv(tids(0), tag_all, info)
        call pvmfunpack(REAL8, change, 1, 1, info)
      end if
      end subroutine

!     Steps until the plate is at rest or all are done; alone, or with the
!     neighbours. The result is in a.
      integer function iterate(a, b, rows, alone)
      double precision, allocatable, intent(inout) :: a(:, :), b(:, :)
      integer, intent(in) :: rows
      logical, intent(in) :: alone
      double precision, allocatable :: t(:, :)
      double precision :: change
      integer :: up, down
      up = 0
      down = 0
      if (rank > 0) up = tids(rank - 1)
      if (rank < p(3) - 1) down = tids(rank + 1)
      change = 1
      iterate = 0
      do while (iterate < p(2) .and. change > at_rest)
        if (.not. alone) then
          call shift(a(:, 1), up, a(:, rows + 1), down, tag_up)
          call shift(a(:, rows), down, a(:, 0), up, tag_down)
        end if
        change = relax(a, b, rows)
        call move_alloc(a, t)
        call move_alloc(b, a)
        call move_alloc(t, b)
        if (.not. alone) call reduce(change)
        iterate = iterate + 1
      end do
      end function

!     Rank 0 gathers the plate and compares; the others send their part.
      logical function right(a, rows, done)
      integer, intent(in) :: rows, done
      double precision, intent(in) :: a(0:p(1) + 1, 0:rows + 1)
      double precision, allocatable :: all(:, :), x(:, :), y(:, :)
      integer :: r, first, cells, info
      right = .true.
      cells = p(1) + 2
      if (rank > 0) then
        call pvmfinitsend(PVMRAW, info)
        call pvmfpack(REAL8, a(0, 1), rows * cells, 1, info)
        call pvmfsend(tids(0), tag_plate, info)
        return
      end if
      allocate(all(0:p(1) + 1, p(1)))
      all(:, 1:rows) = a(:, 1:rows)
      do r = 1, p(3) - 1
        first = first_row(r)
        call pvmfrecv(tids(r), tag_plate, info)
        call pvmfunpack(REAL8, all(0, first + 1),                       &
     &                  (first_row(r + 1) - first) * cells, 1, info)
      end do
      call open_block(x, y, 0, p(1))
      right = iterate(x, y, p(1), .true.) == done
      if (right) right = .not. any(x(:, 1:p(1)) /= all)
      if (.not. right) write(0, '(a)')                                  &
     &  'jacobi: the plate differs from the one computed alone'
      end function

!     Number of tasks, and the options; p(1) is 0 if they make no sense.
      subroutine arguments(time)
      logical, intent(out) :: time
      character(len=32) :: word
      integer :: i, k, error
      time = .false.
      p = (/ 256, 500, 0, 0 /)
      error = 0
      i = 0
      do while (i < command_argument_count() .and. error == 0)
        i = i + 1
        call get_command_argument(i, word)
        if (i == 1) then
          read(word, *, iostat = error) p(3)
        else if (word == '-u') then
          p(4) = 1
        else if (word == '-t') then
          time = .true.
        else if (word == '-n' .or. word == '-i') then
          i = i + 1
          k = index('ni', word(2:2))
          call get_command_argument(i, word)
          read(word, *, iostat = error) p(k)
        else
          error = 1
        end if
      end do
      if (error /= 0 .or. p(3) < 1 .or. p(3) > most .or. p(1) < p(3)    &
     &    .or. p(1) > 20000 .or. p(2) < 1) p(1) = 0
      end subroutine

!     As in team.h: the first task spawns the others, all join the group.
      subroutine open_team(parent)
      integer, intent(in) :: parent
      character(len=1024) :: program
      integer :: me, spawned, r, info
      call pvmfmytid(me)
      write(team, '(a, z8.8)') 'jacobi-', merge(parent, me, parent > 0)
      call pvmfjoingroup(team, rank)
      if (parent > 0) then
        call pvmfrecv(parent, tag_parameters, info)
        call pvmfunpack(INTEGER4, p, 4, 1, info)
      else if (p(3) > 1) then
        call get_command_argument(0, program)
        call pvmfspawn(trim(program), PVMDEFAULT, '*', p(3) - 1,        &
     &                 tids, spawned)
        if (spawned < p(3) - 1) then
          write(0, '(a)') 'jacobi: not all tasks could be spawned'
          do r = 0, spawned - 1
            call pvmfkill(tids(r), info)
          end do
          call pvmfexit(info)
          stop 1
        end if
        call pvmfinitsend(PVMDEFAULT, info)
        call pvmfpack(INTEGER4, p, 4, 1, info)
        call pvmfmcast(p(3) - 1, tids, tag_parameters, info)
      end if
      call pvmffreezegroup(team, p(3), info)
      do r = 0, p(3) - 1
        call pvmfgettid(team, r, tids(r))
      end do
      end subroutine
      end module

      program jacobi
      use plate
      implicit none
      double precision, allocatable :: a(:, :), b(:, :)
      integer :: parent, first, rows, done, info
      integer(8) :: start, end, rate
      logical :: time, good
      character(len=20) :: line

      call pvmfparent(parent)
      time = .false.
      if (parent <= 0) call arguments(time)
      if (parent <= 0 .and. p(1) == 0) then
        write(0, '(a, i0, a)') 'usage: jacobi_fortran tasks [-tu] '//   &
     &    '[-n cells] [-i iterations], tasks <= ', most,                &
     &    ', tasks <= cells <= 20000'
        call pvmfexit(info)
        stop 2
      end if
      call open_team(parent)
      first = first_row(rank)
      rows = first_row(rank + 1) - first
      call open_block(a, b, first, rows)

      call pvmfbarrier(team, p(3), info)
      call system_clock(start, rate)
      done = iterate(a, b, rows, .false.)
      call system_clock(end)

      good = .true.
      if (p(4) == 0) good = right(a, rows, done)
      if (rank == 0 .and. good .and. time) then
        write(line, '(f20.9)') dble(end - start) / dble(rate)
        write(*, '(a)') trim(adjustl(line))
      else if (rank == 0 .and. good) then
        write(*, '(a, i0, a, i0, a, i0, a, i0, a)') 'jacobi: ', p(1),   &
     &    ' x ', p(1), ' cells, ', p(3), ' ranks, ', done,              &
     &    ' iterations: '//trim(merge('unchecked', 'checked  ',         &
     &                              p(4) == 1))
      end if
      call pvmfbarrier(team, p(3), info)
      call pvmflvgroup(team, info)
      call pvmfexit(info)
      if (.not. good) stop 1
      end program
