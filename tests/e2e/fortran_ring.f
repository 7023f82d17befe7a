C     The same in fixed form, as it was written when there was no other;
C     fortran_source.sh knows the lines of the calls.
      PROGRAM OLD
      INCLUDE 'mpif.h'
      INTEGER IERR, ME, N, I, J, GOT, ST(MPI_STATUS_SIZE)
      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, ME, IERR)
      CALLMPI_COMM_SIZE(MPI_COMM_WORLD,N,IERR)
      DO 10 I = 1, 3
        IF (ME .EQ. 0)
     1    CALL MPI_SEND(I, 1, MPI_INTEGER, MOD(ME + 1, N), 7,           00000100
     2      MPI_COMM_WORLD, IERR)
	IF (ME .EQ. 1) CALL MPI_RECV(GOT, 1, MPI_INTEGER, 0, 7,
	1	MPI_COMM_WORLD, ST, IERR)
        DO 10 J = 1, 2
   10 CALL MPI_BARRIER(MPI_COMM_WORLD, IERR)
      IF (ME .EQ. 1) PRINT *, 'CALL MPI_SEND('' ', GOT
      CALL TOTAL(ME)
      CALL MPI_FINALIZE(IERR)
      END

      SUBROUTINE TOTAL(ME)
      INCLUDE 'mpif.h'
      INTEGER ME, ALL, IERR
      CALL MPI_REDUCE(ME, ALL, 1, MPI_INTEGER, MPI_SUM, 0,              00000200
     &MPI_COMM_WORLD, IERR)
      IF (ME .EQ. 0) PRINT *, ALL
      END
