! Tape in programs in Fortran: what tape.h is in C (tape(3)). tapefc finds this
! module; with another compiler it is compiled before the program.
!
!       call tape_enter('solve')
!       call solve
!       call tape_leave
!
! The interfaces are those of the subroutines without the module, too. Blanks at
! the end of a name do not count.
module tape
  implicit none

  interface
     ! Stops recording.
     subroutine tape_off()
     end subroutine tape_off

     ! Goes on recording.
     subroutine tape_on()
     end subroutine tape_on

     ! Enters a region.
     subroutine tape_enter(name)
       character(len=*), intent(in) :: name
     end subroutine tape_enter

     ! Leaves the region entered last.
     subroutine tape_leave()
     end subroutine tape_leave
  end interface
end module tape
