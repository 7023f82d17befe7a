! As handlers.c, by the module mpi or, with -DF08, by mpi_f08.
#ifdef F08
#define MODULE mpi_f08
#define COMM type(MPI_Comm)
#else
#define MODULE mpi
#define COMM integer
#endif
module counting
	use MODULE
	implicit none
	integer :: told = 0
contains
	subroutine handler(comm, code)
		COMM :: comm
		integer :: code, n, ierror

		told = told + 1
		call MPI_Type_size(MPI_INTEGER, n, ierror)
	end subroutine
end module

program handlers
	use counting
	implicit none
#ifdef F08
	type(MPI_Errhandler) :: e
	type(MPI_Request) :: request(1)
#else
	integer :: e, request(1)
#endif
	COMM :: made
	integer :: i, n, count, ierror
	logical :: flag
	character(len=100) :: name, word

	call get_command_argument(1, name)
	call get_command_argument(2, word)
	read (word, *) count
	call MPI_Init(ierror)
	call MPI_Comm_create_errhandler(handler, e, ierror)
	call MPI_Comm_set_errhandler(MPI_COMM_WORLD, e, ierror)
	request(1) = MPI_REQUEST_NULL
	do i = 1, count
		select case (name)
		case ('MPI_Add_error_string')
			call MPI_Add_error_string(-30, ' ', ierror)
		case ('MPI_Send')
			call MPI_Send(n, -1, MPI_INTEGER, 0, 0, &
				MPI_COMM_WORLD, ierror)
		case ('MPI_Ssend')
			call MPI_Ssend(n, -1, MPI_INTEGER, 0, 0, &
				MPI_COMM_WORLD, ierror)
		case ('MPI_Testall')
			call MPI_Testall(-1, request, flag, &
				MPI_STATUSES_IGNORE, ierror)
		case ('MPI_Comm_dup')
			call MPI_Comm_dup(MPI_COMM_NULL, made, ierror)
		case ('MPI_Comm_set_name')
			call MPI_Comm_set_name(MPI_COMM_NULL, ' ', ierror)
		end select
	end do
	call MPI_Finalize(ierror)
	if (told == 0 .or. told /= count) stop 1
end program
