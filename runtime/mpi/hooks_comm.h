/* What the classes that make and free communicators record; see hooks.h. */
#ifndef TAPE_HOOKS_COMM_H
#define TAPE_HOOKS_COMM_H

#include "hooks.h"

TAPE_PUT(comm_new)
TAPE_PUT(comm_inew)
TAPE_PUT(comm_free)
#define put_comm_new tape_put_comm_new
#define put_comm_inew tape_put_comm_inew
#define put_comm_free tape_put_comm_free

/* The tag that its members agreed on, which may be a text. */
static inline int tag_of(const struct tape_mpi_args *a)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	if (!a->stringtag)
		return a->tag;
	for (const char *p = a->stringtag; *p; p++)
		h = (h ^ (unsigned char)*p) * 16777619u;
	return (int)(h >> 1);
}

static inline void before_comm_new(struct tape_flow *f, struct tape_comm_new *r,
				   struct tape_mpi_args *a)
{
	(void)f, (void)r, (void)a;
}

static inline void begin_comm_new(struct tape_flow *f, uint32_t site,
				  const struct tape_comm_new *r,
				  const struct tape_mpi_args *a)
{
	uint32_t comm = index_comm_ahead(f, a);
	unsigned char *call = tape_call_place(f);

	(void)r;
	tape_call_partner(call, -1, a->tag, comm, 0);
	tape_call_begin(f, call, site);
}

static inline void after_comm_new(struct tape_flow *f, struct tape_comm_new *r,
				  struct tape_mpi_args *a)
{
	uint64_t t0 = tape_tick();

	r->newcomm = a->rc == MPI_SUCCESS
			     ? tape_comm_created(a->traits, a->comm,
						 tag_of(a), *a->commp)
			     : 0;
	f->extra_after += tape_tick() - t0;
	r->comm = index_comm(f, a);
}

static inline void outside_before_comm_new(struct tape_mpi_args *a)
{
	(void)a;
}

static inline void outside_after_comm_new(struct tape_mpi_args *a)
{
	if (a->rc == MPI_SUCCESS)
		tape_comm_created(a->traits, a->comm, tag_of(a), *a->commp);
}

static inline void before_comm_inew(struct tape_flow *f,
				    struct tape_comm_inew *r,
				    struct tape_mpi_args *a)
{
	(void)f, (void)r, (void)a;
}

static inline void after_comm_inew(struct tape_flow *f,
				   struct tape_comm_inew *r,
				   struct tape_mpi_args *a)
{
	uint64_t t0 = tape_tick();

	r->newcomm = a->rc == MPI_SUCCESS
			     ? tape_comm_reserve(a->comm, "", NULL)
			     : 0;
	f->extra_after += tape_tick() - t0;
	r->comm = index_comm(f, a);
}

static inline void remember_comm(const struct tape_mpi_args *a, uint64_t number,
				 uint32_t index)
{
	struct tape_request q = { .number = number,
				  .kind = TAPE_REQUEST_COMM,
				  .active = 1,
				  .comm = a->commp,
				  .fortran = TAPE_FORTRAN,
				  .comm_index = index };

	if (a->rc == MPI_SUCCESS)
		tape_request_add(tape_handle(*a->request), &q);
}

static inline void created_comm_inew(struct tape_flow *f,
				     const struct tape_comm_inew *r,
				     const struct tape_mpi_args *a)
{
	remember_comm(a, TAPE_REQUEST(f->thread, ++f->requests), r->newcomm);
}

static inline void outside_before_comm_inew(struct tape_mpi_args *a)
{
	(void)a;
}

static inline void outside_after_comm_inew(struct tape_mpi_args *a)
{
	if (a->rc == MPI_SUCCESS && tape_process.state == TAPE_RUNNING)
		remember_comm(a, 0, tape_comm_reserve(a->comm, "", NULL));
}

static inline void outside_before_comm_free(struct tape_mpi_args *a)
{
	/* gone afterwards */
	if (!a->object && a->commp)
		a->object = (uintptr_t)*a->commp;
	a->freeing = tape_comm_freeing(a->object);
}

static inline void outside_after_comm_free(struct tape_mpi_args *a)
{
	if (a->rc == MPI_SUCCESS)
		tape_comm_freed(a->freeing, a->object);
}

static inline void before_comm_free(struct tape_flow *f,
				    struct tape_comm_free *r,
				    struct tape_mpi_args *a)
{
	uint64_t t0 = tape_tick();

	/* it may be none: the library says so, once */
	outside_before_comm_free(a);
	r->comm = a->freeing;
	f->extra_before += tape_tick() - t0;
}

static inline void begin_comm_free(struct tape_flow *f, uint32_t site,
				   const struct tape_comm_free *r,
				   const struct tape_mpi_args *a)
{
	unsigned char *call = tape_call_place(f);

	(void)a;
	tape_call_partner(call, -1, -1, r->comm, 0);
	tape_call_begin(f, call, site);
}

static inline void after_comm_free(struct tape_flow *f,
				   struct tape_comm_free *r,
				   struct tape_mpi_args *a)
{
	(void)f, (void)r;
	outside_after_comm_free(a);
}

#endif
