/*
 * What differs between MPI libraries: what a handle is, where a status keeps
 * what we need. Two families of libraries have one binary interface each:
 * Open MPI, and MPICH with those that promised to stay compatible with it
 * (MVAPICH, Intel MPI and others; https://www.mpich.org/abi). This folder is
 * compiled once against the headers of each.
 */
#ifndef TAPE_ABI_H
#define TAPE_ABI_H

#include <mpi.h>
#include <stdint.h>

#if !defined(OPEN_MPI) && !defined(MPICH_VERSION) && !defined(I_MPI_VERSION)
#error "neither Open MPI nor of MPICH's family"
#endif

/* The libraries of the Fortran interfaces, mpif.h and mpi_f08. */
#ifdef OPEN_MPI
#define TAPE_FORTRAN_PART "libmpi_mpifh"
#define TAPE_FORTRAN_PART_F08 "libmpi_usempif08"
#else
#define TAPE_FORTRAN_PART "libmpichfort"
#define TAPE_FORTRAN_PART_F08 "libmpichfort"
#endif

/* TAPE_HAS_MPI_NAME for each function that mpi.h declares. */
#ifdef OPEN_MPI
#include "tape_has_openmpi.h"
#else
#include "tape_has_mpich.h"
#endif

#ifdef OPEN_MPI

/* Handles are pointers. */
static inline uint32_t tape_handle_hash(uintptr_t handle)
{
	return (uint32_t)(handle >> 5 ^ handle >> 9);
}

/*
 * Requests that were complete at once share a handle: which of that many, or
 * -1. sample is that of a send to MPI_PROC_NULL. Here there is one, an address.
 */
enum { TAPE_SHARED_HANDLES = 1 };
static inline int tape_shared(uintptr_t handle, uintptr_t sample)
{
	return handle == sample ? 0 : -1;
}

/* Bytes received, as the status says. */
static inline uint64_t tape_status_bytes(const MPI_Status *s)
{
	return (uint64_t)s->_ucount;
}

/* MPI_Sendrecv sends by MPI_Send, whatever the size. */
static inline int tape_is_small(int count, MPI_Datatype type)
{
	(void)count;
	(void)type;
	return 1;
}

/* As PMPI_Type_size. */
static inline int tape_type_size(MPI_Datatype type)
{
	int size = 0;

	PMPI_Type_size(type, &size);
	return size;
}

#else

/*
 * Handles are numbers: two bits say how the object was made, four of which
 * kind it is, and the rest counts. MPI_COMM_WORLD is 0x44000000, the first
 * communicator of the program 0x84000002 or so.
 */
static inline uint32_t tape_handle_hash(uintptr_t handle)
{
	return (uint32_t)(handle ^ handle >> 30);
}

/* Was the object there before the program made any? */
static inline int tape_predefined(uint32_t handle)
{
	return handle >> 30 == 1;
}

/* One for each kind of request: 0x6c000001 for sends, ...0a for collectives. */
enum { TAPE_SHARED_HANDLES = 32 };
static inline int tape_shared(uintptr_t handle, uintptr_t sample)
{
	(void)sample;
	return tape_predefined((uint32_t)handle)
		       ? (int)(handle % TAPE_SHARED_HANDLES)
		       : -1;
}

/* 63 bits in two words; the lowest bit of the second says "cancelled". */
static inline uint64_t tape_status_bytes(const MPI_Status *s)
{
	return (uint64_t)(uint32_t)s->count_hi_and_cancelled >> 1 << 32 |
	       (uint32_t)s->count_lo;
}

/*
 * Of a predefined type, and so few that the library sends them at once: then
 * MPI_Send is MPI_Isend without a request.
 */
static inline int tape_is_small(int count, MPI_Datatype type)
{
	return (uint32_t)type >> 24 == 0x4c &&
	       (uint64_t)count * ((uint32_t)type >> 8 & 0xff) <= 1024;
}

/* The handle of a predefined type (0x4c..SS..) has its size in it. */
static inline int tape_type_size(MPI_Datatype type)
{
	int size = 0;

	if ((uint32_t)type >> 24 == 0x4c)
		return (int)((uint32_t)type >> 8 & 0xff);
	PMPI_Type_size(type, &size);
	return size;
}

#endif

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
