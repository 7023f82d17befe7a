/* What differs between MPI libraries: where a status keeps what we need. */
#ifndef TAPE_ABI_H
#define TAPE_ABI_H

#include <mpi.h>
#include <stdint.h>

/* The libraries of the Fortran interfaces, mpif.h and mpi_f08. */
#ifdef OPEN_MPI
#define TAPE_FORTRAN_PART "libmpi_mpifh"
#define TAPE_FORTRAN_PART_F08 "libmpi_usempif08"
#else
#define TAPE_FORTRAN_PART "libmpichfort"
#define TAPE_FORTRAN_PART_F08 "libmpichfort"
#endif

/* Bytes received, as the status says. */
static inline uint64_t tape_status_bytes(const MPI_Status *s)
{
#ifdef OPEN_MPI
	return (uint64_t)s->_ucount;
#else
	MPI_Count n = 0;

	PMPI_Get_elements_x(s, MPI_BYTE, &n);
	return n > 0 ? (uint64_t)n : 0;
#endif
}

static inline int tape_status_cancelled(const MPI_Status *s)
{
	int flag = 0;

	PMPI_Test_cancelled(s, &flag);
	return flag;
}

/* Special ranks as the trace writes them (tape_reader.h). */
static inline int32_t tape_peer(int rank)
{
	if (rank == MPI_ANY_SOURCE)
		return -1;
	if (rank == MPI_PROC_NULL)
		return -2;
	if (rank == MPI_ROOT)
		return -4;
	return rank;
}

static inline int32_t tape_tag(int tag)
{
	return tag == MPI_ANY_TAG ? -1 : tag;
}

#endif
