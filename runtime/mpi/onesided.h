/*
 * What the classes of windows and files record; see hooks.h. Each stands for
 * the communicator of those who opened it (communicators.h).
 */
#ifndef TAPE_ONESIDED_H
#define TAPE_ONESIDED_H

#include "hooks_all.h"
#include "neighbours.h"

/* ---- made ---- */

static inline uint32_t object_made(const struct tape_mpi_args *a,
				   const char *what)
{
	uint32_t index = 0;

	if (a->rc == MPI_SUCCESS &&
	    (index = tape_comm_reserve(a->comm, what, a->name)))
		tape_comm_bind(index, a->object);
	return index;
}

#define HOOKS_MADE(class_, what)                                               \
	TAPE_PUT(class_)                                                       \
	static inline void before_##class_(struct tape_flow *f,                \
					   struct tape_##class_ *r,            \
					   struct tape_mpi_args *a)            \
	{                                                                      \
		(void)f, (void)r, (void)a;                                     \
	}                                                                      \
	static inline void outside_before_##class_(struct tape_mpi_args *a)    \
	{                                                                      \
		(void)a;                                                       \
	}                                                                      \
	static inline void outside_after_##class_(struct tape_mpi_args *a)     \
	{                                                                      \
		object_made(a, what);                                          \
	}                                                                      \
	static inline void made_##class_(struct tape_flow *f,                  \
					 struct tape_##class_ *r,              \
					 struct tape_mpi_args *a)              \
	{                                                                      \
		uint64_t t0 = tape_tick();                                     \
                                                                               \
		r->newcomm = object_made(a, what);                             \
		f->extra_after += tape_tick() - t0;                            \
		r->comm = index_comm(f, a);                                    \
	}

#define BEGIN_OBJECT(class_, index)                                            \
	static inline TAPE_ALWAYS void begin_##class_(                         \
	    struct tape_flow *f, uint32_t site, const struct tape_##class_ *r, \
	    const struct tape_mpi_args *a)                                     \
	{                                                                      \
		uint32_t comm = index;                                         \
		unsigned char *call = tape_call_place(f);                      \
                                                                               \
		(void)r;                                                       \
		tape_call_partner(call, a->has_peer ? tape_peer(a->peer) : -1, \
				  -1, comm, 0);                                \
		tape_call_begin(f, call, site);                                \
	}
#define OF_OBJECT index_object(f, a, &f->extra_before)

BEGIN_OBJECT(win_new, index_comm_ahead(f, a))
BEGIN_OBJECT(file_new, index_comm_ahead(f, a))
BEGIN_OBJECT(rma, OF_OBJECT)
BEGIN_OBJECT(epoch, OF_OBJECT)
BEGIN_OBJECT(pscw, OF_OBJECT)
BEGIN_OBJECT(io, OF_OBJECT)
BEGIN_OBJECT(io_at, OF_OBJECT)

HOOKS_MADE(win_new, "window")
HOOKS_MADE(file_new, "file")
#define put_win_new tape_put_win_new
#define put_file_new tape_put_file_new

static inline void after_win_new(struct tape_flow *f, struct tape_win_new *r,
				 struct tape_mpi_args *a)
{
	r->bytes = a->size > 0 ? (uint64_t)a->size : 0;
	made_win_new(f, r, a);
}

static inline void after_file_new(struct tape_flow *f, struct tape_file_new *r,
				  struct tape_mpi_args *a)
{
	made_file_new(f, r, a);
}

/* ---- one-sided communication ---- */

#define HOOKS_RMA(class_)                                                      \
	TAPE_PUT(class_)                                                       \
	static inline TAPE_ALWAYS void before_##class_(                        \
	    struct tape_flow *f, struct tape_##class_ *r,                      \
	    struct tape_mpi_args *a)                                           \
	{                                                                      \
		(void)f, (void)r, (void)a;                                     \
	}                                                                      \
	static inline TAPE_ALWAYS void after_##class_(struct tape_flow *f,     \
						      struct tape_##class_ *r, \
						      struct tape_mpi_args *a) \
	{                                                                      \
		r->peer = tape_peer(a->peer);                                  \
		r->comm = index_object(f, a, &f->extra_after);                 \
		r->bytes = r->rbytes = 0;                                      \
		if (a->rc != MPI_SUCCESS)                                      \
			return;                                                \
		if (a->traits & TAPE_TRAIT_ONE_ELEMENT) {                      \
			r->bytes = r->rbytes = tape_bytes(1, a->type);         \
			return;                                                \
		}                                                              \
		r->bytes = tape_bytes(a->count, a->type);                      \
		r->rbytes = tape_bytes(a->rcount, a->rtype);                   \
	}

HOOKS_RMA(rma)
HOOKS_RMA(irma)
#define put_rma tape_put_rma
#define put_irma tape_put_irma

static inline void created_irma(struct tape_flow *f, const struct tape_irma *r,
				const struct tape_mpi_args *a)
{
	(void)r;
	add_new_request(f, a, TAPE_REQUEST_OTHER);
}

/* ---- synchronisation ---- */

TAPE_PUT(epoch)
TAPE_PUT(pscw)
TAPE_PUT(wintest)
TAPE_POLL(wintest, WINTEST)
#define put_epoch tape_put_epoch
#define put_pscw tape_put_pscw

static inline void before_epoch(struct tape_flow *f, struct tape_epoch *r,
				struct tape_mpi_args *a)
{
	(void)f, (void)r, (void)a;
}

static inline TAPE_ALWAYS void
after_epoch(struct tape_flow *f, struct tape_epoch *r, struct tape_mpi_args *a)
{
	r->peer = a->has_peer ? tape_peer(a->peer) : -1;
	r->comm = index_object(f, a, &f->extra_after);
}

static inline void before_pscw(struct tape_flow *f, struct tape_pscw *r,
			       struct tape_mpi_args *a)
{
	(void)f, (void)r, (void)a;
}

static inline void after_pscw(struct tape_flow *f, struct tape_pscw *r,
			      struct tape_mpi_args *a)
{
	int with_group =
	    (a->traits & (TAPE_TRAIT_POSTS | TAPE_TRAIT_STARTS)) != 0;
	uint64_t t0 = tape_tick();

	r->group = 0;
	if (with_group && a->rc == MPI_SUCCESS) {
		r->group = tape_comm_group(a->group);
		f->extra_after += tape_tick() - t0;
	}
	r->comm = index_object(f, a, &f->extra_after);
}

static inline void before_wintest(struct tape_flow *f, struct tape_wintest *r,
				  struct tape_mpi_args *a)
{
	(void)f, (void)r, (void)a;
}

static inline void after_wintest(struct tape_flow *f, struct tape_wintest *r,
				 struct tape_mpi_args *a)
{
	r->flag = a->rc != MPI_SUCCESS || *a->flag;
	r->comm = index_object(f, a, &f->extra_after);
}

static inline void put_wintest(struct tape_flow *f, uint32_t site,
			       uint64_t start, uint64_t end,
			       const struct tape_wintest *r)
{
	if (r->flag)
		tape_put_wintest(f, site, start, end, r);
	else
		tape_poll_wintest(f, site, start, end, r);
}

/* ---- reading and writing of files ---- */

/* What a blocking call moved, or what the others were asked to. */
static inline TAPE_ALWAYS uint64_t
count_moved_bytes(const struct tape_mpi_args *a)
{
	if (a->rc != MPI_SUCCESS)
		return 0;
	return a->status ? tape_status_bytes(a->status)
			 : tape_bytes(a->count, a->type);
}

#define HOOKS_IO(class_, with_offset)                                          \
	TAPE_PUT(class_)                                                       \
	static inline void before_##class_(struct tape_flow *f,                \
					   struct tape_##class_ *r,            \
					   struct tape_mpi_args *a)            \
	{                                                                      \
		(void)f, (void)r, (void)a;                                     \
	}                                                                      \
	static inline void after_##class_(struct tape_flow *f,                 \
					  struct tape_##class_ *r,             \
					  struct tape_mpi_args *a)             \
	{                                                                      \
		r->comm = index_object(f, a, &f->extra_after);                 \
		r->bytes = count_moved_bytes(a);                               \
		with_offset;                                                   \
	}

#define OFFSET r->offset = a->offset > 0 ? (uint64_t)a->offset : 0
HOOKS_IO(io, (void)0)
HOOKS_IO(iio, (void)0)
HOOKS_IO(io_at, OFFSET)
HOOKS_IO(iio_at, OFFSET)
#define put_io tape_put_io
#define put_iio tape_put_iio
#define put_io_at tape_put_io_at
#define put_iio_at tape_put_iio_at

static inline void created_iio(struct tape_flow *f, const struct tape_iio *r,
			       const struct tape_mpi_args *a)
{
	(void)r;
	add_new_request(f, a, TAPE_REQUEST_OTHER);
}

static inline void created_iio_at(struct tape_flow *f,
				  const struct tape_iio_at *r,
				  const struct tape_mpi_args *a)
{
	(void)r;
	add_new_request(f, a, TAPE_REQUEST_OTHER);
}

#endif
