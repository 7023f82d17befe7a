/*
 * What the wrappers for Fortran are made of. The program's arguments, all of
 * them addresses, are kept in a struct that begins with struct fortran_call;
 * the wrapper's body is that of C and gets what its hooks look at as C
 * values; where it makes the real call, real_NAME calls the library's function
 * of the program's own interface with the program's own arguments, takes the
 * times, and turns what came back into C values. So the library sees what it
 * would see without Tape, sentinels and hidden lengths included. Only statuses
 * that the program ignores are asked for.
 */
#ifndef TAPE_FORTRAN_H
#define TAPE_FORTRAN_H

#include <mpi.h>
#include <stdlib.h>

#include "core.h"
#include "around_call.h"
#include "call_entry.h"
#include "call_in_progress.h"
#include "processor_marks.h"

_Static_assert(sizeof(MPI_Fint) == sizeof(int),
	       "arrays of Fortran integers are read as arrays of int");

/* A status in Fortran is an array of so many integers. */
#define FORTRAN_STATUS (sizeof(MPI_Status) / sizeof(MPI_Fint))

/*
 * Up to so many requests of a call are translated on the stack; the time that
 * more of them take is noted.
 */
#define FORTRAN_FEW 16

/* The arrays of a call that takes n requests, in C's types. */
struct fortran_arrays {
	MPI_Request *requests;
	MPI_Status *statuses;
	MPI_Fint *own; /* Fortran's statuses, where the program wants none */
	int *indices;
	void *heap;    /* to be freed, or NULL */
	MPI_Request few_requests[FORTRAN_FEW];
	MPI_Status few_statuses[FORTRAN_FEW];
	MPI_Fint few_own[FORTRAN_FEW * FORTRAN_STATUS];
	int few_indices[FORTRAN_FEW];
};

struct fortran_call {
	void *real;          /* the library's function */
	struct tape_flow *flow; /* that records it; NULL: none does */
	int interface;       /* 0 mpif.h and use mpi, 1 use mpi_f08 */
	uint64_t entry, start, end;
	struct tape_flow *hidden; /* recording, but not this call */
	int outer;                /* tape_fortran_inside before */
	struct fortran_arrays *arrays;
};

/* The call in progress, for its real_NAME. */
extern __thread struct fortran_call *tape_fortran_now
	__attribute__((visibility("hidden"), tls_model("initial-exec")));

/* The library's functions by call and interface, as far as they were needed. */
extern void *tape_fortran_found[TAPE_CALL_COUNT][2]
	__attribute__((visibility("hidden")));

/*
 * Looks for the library's function; name is mpi_send, say. Nothing in this
 * library refers to one, so that programs in C need no Fortran library. NULL:
 * there is none. Its time counts as f's, if there is a flow.
 */
TAPE_COLD void *tape_fortran_find(struct tape_flow *f, struct fortran_call *h,
				  unsigned call, const char *name);

/* Says that a call was impossible, in ierror too. */
TAPE_COLD void tape_fortran_missing(void *ierror, const char *name);

static inline TAPE_ALWAYS void *fortran_find(struct tape_flow *f,
					     struct fortran_call *h,
					     unsigned call, const char *name)
{
	h->real = __atomic_load_n(&tape_fortran_found[call][h->interface],
				  __ATOMIC_RELAXED);
	return TAPE_LIKELY(h->real != NULL)
		   ? h->real
		   : tape_fortran_find(f, h, call, name);
}

static inline TAPE_ALWAYS void fortran_begin(struct tape_flow *f,
					     struct fortran_call *h)
{
	h->entry = TAPE_UNLIKELY(f->extras) ? tape_tick() : 0;
	h->flow = f;
	tape_fortran_now = h;
}

/*
 * All of that for a rare call, and its site by the return address; frame is the
 * wrapper's. 1: it is to be recorded, 0: it is not, negative: there is no such
 * function.
 */
int tape_fortran_enter(struct fortran_call *h, struct tape_rare *c,
		       unsigned call, const char *name, const void *address,
		       const void *frame);

/*
 * MPICH's functions for Fortran call those for C by their public names, which
 * are ours: what is inside of a call is recorded no more than elsewhere.
 */
#ifdef OPEN_MPI
static inline void fortran_enter(struct fortran_call *h)
{
	(void)h;
}

static inline void fortran_leave(struct fortran_call *h)
{
	(void)h;
}
#else
extern __thread int tape_fortran_inside
	__attribute__((visibility("hidden"), tls_model("initial-exec")));

static inline TAPE_ALWAYS void fortran_enter(struct fortran_call *h)
{
	h->outer = tape_fortran_inside;
	tape_fortran_inside = 1;
	h->hidden = tape_current;
	if (TAPE_UNLIKELY(h->hidden != NULL)) /* what is inside is told by it */
		h->hidden->frame = __builtin_frame_address(0);
	tape_current = NULL;
}

static inline TAPE_ALWAYS void fortran_leave(struct fortran_call *h)
{
	tape_fortran_inside = h->outer;
	if (TAPE_UNLIKELY(h->hidden != NULL))
		tape_current = h->hidden->self;
}
#endif

/* Around the library's function; of a call that no flow records as well. */
static inline TAPE_ALWAYS void fortran_start(struct fortran_call *h)
{
	if (TAPE_UNLIKELY(h->flow && h->flow->extras))
		tape_wrap_start(h->flow);
	fortran_enter(h);
	h->start = tape_tick();
	/* MPI_Abort has closed the flow */
	if (TAPE_LIKELY(h->flow && h->flow->window)) {
		h->start = tape_processor_due(h->flow, h->start);
		tape_call_started(h->flow, h->start);
	}
}

static inline TAPE_ALWAYS void fortran_stop(struct fortran_call *h)
{
	h->end = tape_tick();
	fortran_leave(h);
	if (TAPE_UNLIKELY(h->flow && h->flow->extras))
		tape_wrap_stop(h->flow);
}

/* The same, and what the call returned. */
static inline TAPE_ALWAYS void fortran_stopped(struct fortran_call *h,
					       void *ierror, MPI_Fint rc)
{
	fortran_stop(h);
	tape_fortran_now = h;
	if (ierror)
		*(MPI_Fint *)ierror = rc;
}

/* Both for rare calls. */
void tape_fortran_start(struct fortran_call *h);
void tape_fortran_stopped(struct fortran_call *h, void *ierror, MPI_Fint rc);

/* ---- single arguments ---- */

static inline TAPE_ALWAYS int fortran_int(const void *p)
{
	return *(const MPI_Fint *)p;
}

/* Addresses that stand for something, if the library has them. */
#ifdef OPEN_MPI
extern MPI_Fint mpi_fortran_bottom_ __attribute__((weak));
extern MPI_Fint mpi_fortran_in_place_ __attribute__((weak));
#else
/* a common block, of mpif.h, and objects of mpi_f08 */
extern MPI_Fint mpipriv1_[] __attribute__((weak));
#define mpi_fortran_bottom_ mpipriv1_[0]
#define mpi_fortran_in_place_ mpipriv1_[1]
#pragma weak MPIR_F08_MPI_STATUS_IGNORE_OBJ
#pragma weak MPIR_F08_MPI_STATUSES_IGNORE_OBJ
#endif

static inline TAPE_ALWAYS void *fortran_buffer(void *p)
{
	if (TAPE_UNLIKELY(p == &mpi_fortran_in_place_))
		return MPI_IN_PLACE;
	if (TAPE_UNLIKELY(p == &mpi_fortran_bottom_))
		return MPI_BOTTOM;
	return p;
}

/* MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE? */
static inline TAPE_ALWAYS int fortran_ignored(const void *status)
{
#ifndef OPEN_MPI
	if (status && (status == &MPIR_F08_MPI_STATUS_IGNORE_OBJ ||
		       status == MPIR_F08_MPI_STATUSES_IGNORE_OBJ))
		return 1;
#endif
	return status == MPI_F_STATUS_IGNORE || status == MPI_F_STATUSES_IGNORE;
}

/* Indices count from 1 in Fortran. */
static inline int fortran_index(int rc, const void *index)
{
	int i = fortran_int(index);

	return rc != MPI_SUCCESS || i == MPI_UNDEFINED ? MPI_UNDEFINED : i - 1;
}

/* ---- arrays of requests ---- */

/*
 * How many requests a call has completed; none if it failed: what the library
 * then leaves in Fortran's arrays is not what happened.
 */
static inline int fortran_nout(int rc, const void *nout)
{
	return rc == MPI_SUCCESS ? fortran_int(nout) : 0;
}

static inline void fortran_indices(int n, const MPI_Fint *from, int *to)
{
	for (int i = 0; n != MPI_UNDEFINED && i < n; i++)
		to[i] = from[i] - 1;
}

/* Room of the flow, for one call; NULL: no memory. */
void *tape_fortran_room(struct tape_flow *f, uint64_t bytes);

static inline int fortran_big_arrays(struct tape_flow *f,
				     struct fortran_arrays *y, int n)
{
	size_t each = sizeof *y->requests + sizeof *y->statuses +
		      sizeof *y->own * FORTRAN_STATUS + sizeof *y->indices;
	char *p = f ? tape_fortran_room(f, (uint64_t)n * each)
		    : (y->heap = malloc((size_t)n * each));

	if (!p)
		return -1;
	y->requests = (void *)p;
	p += (size_t)n * sizeof *y->requests;
	y->statuses = (void *)p;
	p += (size_t)n * sizeof *y->statuses;
	y->own = (void *)p;
	p += (size_t)n * sizeof *y->own * FORTRAN_STATUS;
	y->indices = (void *)p;
	return 0;
}

/* Fills y for a call with those n requests. Non-zero: no memory. */
static inline int fortran_arrays(struct tape_flow *f, struct fortran_call *h,
				 struct fortran_arrays *y, int n,
				 const MPI_Fint *requests)
{
	uint64_t t0;

	h->arrays = y;
	y->heap = NULL;
	y->requests = y->few_requests;
	y->statuses = y->few_statuses;
	y->own = y->few_own;
	y->indices = y->few_indices;
	if (n > FORTRAN_FEW && fortran_big_arrays(f, y, n))
		return -1;
	t0 = n > FORTRAN_FEW ? tape_tick() : 0;
	for (int i = 0; i < n; i++)
		y->requests[i] = PMPI_Request_f2c(requests[i]);
	if (t0 && f)
		f->extra_before += tape_tick() - t0;
	return 0;
}

/* The states of the requests, for callers that need them: not after success. */
static inline void fortran_requests_after(const struct fortran_call *h, int rc,
					  int n, const MPI_Fint *from,
					  MPI_Request *to)
{
	for (int i = 0; (rc != MPI_SUCCESS || !h->flow) && i < n; i++)
		to[i] = PMPI_Request_f2c(from[i]);
}

/* A test that takes all or none: how many of n. */
static inline int fortran_all(int rc, const void *flag, int n)
{
	return rc == MPI_SUCCESS && !fortran_int(flag) ? 0 : n;
}

/*
 * The first n statuses. After an error in one of them a request that is still
 * there is taken as not completed.
 */
static inline void fortran_statuses_after(const struct fortran_call *h, int rc,
					  int n, const MPI_Request *requests,
					  const MPI_Fint *from, MPI_Status *to)
{
	uint64_t t0 = n > FORTRAN_FEW ? tape_tick() : 0;

	if (n == MPI_UNDEFINED ||
	    (rc != MPI_SUCCESS && rc != MPI_ERR_IN_STATUS))
		return;
	for (int i = 0; i < n; i++) {
		PMPI_Status_f2c(from + (size_t)i * FORTRAN_STATUS, &to[i]);
		if (rc != MPI_SUCCESS && requests[i] != MPI_REQUEST_NULL)
			to[i].MPI_ERROR = MPI_ERR_PENDING;
	}
	if (t0 && h->flow)
		h->flow->extra_after += tape_tick() - t0;
}

/* ---- arrays of types ---- */

/*
 * The types for all members of comm, or for its neighbours; those of the
 * sending and of the receiving side (second) have room side by side. Not
 * looked at, neither here nor by hooks, where the data are in place. NULL: no
 * memory.
 */
MPI_Datatype *tape_fortran_types(struct tape_flow *f, MPI_Fint comm,
				 unsigned shape, int second, void *buffer,
				 const MPI_Fint *types);

/* ---- texts ---- */

/* Longer ones are cut; the library gets them whole. */
#define FORTRAN_TEXT 1024

/* The text without trailing blanks, in to. */
const char *tape_fortran_text(const char *text, size_t length, char *to);

#endif
