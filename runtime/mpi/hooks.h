/*
 * What each class of calls records: for class X, before_X runs ahead of the
 * real call, after_X fills the record, and for classes that create a request
 * created_X runs once the record is stored, for those that are about requests
 * done_X. The generated wrappers pass the call's arguments by role
 * (kinds.tab). In calls that are frequent everything is inlined, so that
 * arguments that a class does not look at cost nothing; rare calls share what
 * their class does (TAPE_RARE).
 */
#ifndef TAPE_HOOKS_H
#define TAPE_HOOKS_H

#include <mpi.h>

#include "abi.h"
#include "arrival_probe.h"
#include "buffer.h"
#include "communicators.h"
#include "completion.h"
#include "call_entry.h"
#include "call_in_progress.h"
#include "around_call.h"
#include "flows.h"
#include "from_fortran.h"
#include "next.h"
#include "processor_marks.h"
#include "request.h"
#include "call_sites.h"

struct tape_mpi_args {
	unsigned traits, shape; /* bits of enum tape_trait; enum tape_shape */
	int rc;
	uint64_t start, end; /* ticks around the real call */
	const void *sbuf;
	void *rbuf;
	int peer, rpeer, has_peer, tag, rtag, root, n;
	MPI_Count count, rcount;
	MPI_Datatype type, rtype;
	const int *counts, *rcounts;
	const MPI_Count *large_counts, *large_rcounts; /* or these */
	const MPI_Datatype *types, *rtypes;
	MPI_Comm comm, *commp;
	uintptr_t object; /* a window or a file, which are communicators */
	uint32_t freeing; /* the number of the one that the call frees */
	MPI_Aint size;
	MPI_Offset offset;
	MPI_Group group;
	const char *name;
	MPI_Status *status, *statuses;
	MPI_Request *request, *requests, queried;
	int many; /* it is about n requests, or nparts parts */
	int parts, nparts, low, high;
	const char *stringtag;
	MPI_Message *message;
	int *flag, *index, *nout, *indices;
	enum tape_probe_method probe_method; /* blocking receive or probe */
	struct tape_probe_answer answer;
	struct tape_waited *waited; /* of classes marked "*" */
	/* significant at the root only; one count for each member */
	int send_at_root, recv_at_root, count_per_member, rcount_per_member;
};

/*
 * How the wrapper's body reaches the library, and where it is: fortran_wrap.c
 * says otherwise. A body names its own call in no other way.
 */
#ifndef TAPE_REAL
#define TAPE_FORTRAN 0
#ifndef TAPE_NO_LAYERS
#define TAPE_REAL(name) tape_next.to_##name
#else
#define TAPE_REAL(name) P##name
#endif
#define TAPE_WRAP_ENTRY(f) (TAPE_UNLIKELY((f)->extras) ? tape_tick() : 0)
#define TAPE_WRAP_START(f)                                                     \
	do {                                                                   \
		if (TAPE_UNLIKELY(entry_))                                     \
			tape_wrap_start(f);                                    \
		a.start = tape_tick();                                         \
	} while (0)
/* The beginning of a call that may block. */
#define TAPE_WRAP_STARTED(f)                                                   \
	do {                                                                   \
		a.start = tape_processor_due(f, a.start);                      \
		tape_call_started(f, a.start);                                 \
	} while (0)
#define TAPE_WRAP_STOP(f)                                                      \
	do {                                                                   \
		a.end = tape_tick();                                           \
		if (TAPE_UNLIKELY(entry_))                                     \
			tape_wrap_stop(f);                                     \
	} while (0)
#endif

/*
 * The frame of a wrapper. While the real call runs the thread records nothing:
 * what a call-back calls is part of the call.
 */
#define TAPE_WRAP_BEGIN(f)                                                     \
	uint64_t entry_ = TAPE_WRAP_ENTRY(f);                                  \
	(f)->frame = __builtin_frame_address(0);                               \
	tape_current = NULL
#define TAPE_WRAP_PUT(name, f, site, r)                                        \
	do {                                                                   \
		if (TAPE_UNLIKELY(entry_))                                     \
			tape_wrap_extras(f, a.start, entry_);                  \
		put_##name(f, site, a.start, a.end, r);                        \
	} while (0)
/* The end of a call that may block. */
#define TAPE_WRAP_ENDED(f)                                                     \
	do {                                                                   \
		if (TAPE_UNLIKELY(a.end >= (f)->mark_due))                     \
			tape_processor_end(f, a.start, a.end);                 \
	} while (0)
#define TAPE_WRAP_END(f, name)                                                 \
	do {                                                                   \
		if (TAPE_UNLIKELY(entry_))                                     \
			tape_wrap_end(f, a.end, TAPE_CLASS_##name);            \
		tape_current = (f)->self;                                      \
	} while (0)

/*
 * The frame of a wrapper of a rare call, and what its class does after the
 * real one: functions that all of them share. created and done are those of
 * the class, or TAPE_NOTHING.
 */
#ifndef TAPE_RARE_START
#define TAPE_RARE_BEGIN(c) ((void)0)
#define TAPE_RARE_START(c) tape_rare_start(c)
#define TAPE_RARE_STOP(c) tape_rare_stop(c)
#endif
#define TAPE_RARE_END(c) tape_rare_end(c)
#define TAPE_NOTHING(f, r, a) ((void)0)
#define TAPE_RARE(name, created, done)                                         \
	static TAPE_APART __attribute__((unused)) void rare_##name(            \
		const struct tape_rare *c, struct tape_##name *r,              \
		struct tape_mpi_args *a)                                       \
	{                                                                      \
		struct tape_flow *f = c->flow;                                 \
                                                                               \
		a->start = c->start;                                           \
		a->end = c->end;                                               \
		after_##name(f, r, a);                                         \
		if (TAPE_UNLIKELY(c->entry))                                   \
			tape_wrap_extras(f, c->start, c->entry);               \
		put_##name(f, c->site, c->start, c->end, r);                   \
		created(f, r, a);                                              \
		done(f, r, a);                                                 \
		TAPE_RARE_END(c);                                              \
	}
/* The same for calls at whose arguments nobody looks. */
#define TAPE_RARE_LOCAL                                                        \
	static TAPE_APART __attribute__((unused)) void rare_local(             \
		const struct tape_rare *c)                                     \
	{                                                                      \
		struct tape_local r = { 0 };                                   \
                                                                               \
		if (TAPE_UNLIKELY(c->entry))                                   \
			tape_wrap_extras(c->flow, c->start, c->entry);         \
		put_local(c->flow, c->site, c->start, c->end, &r);             \
		TAPE_RARE_END(c);                                              \
	}

/* Of a rare call that is done in call_entry.c. */
#define tape_rare_site(call, address) (address)

static inline uint64_t tape_bytes(MPI_Count count, MPI_Datatype type)
{
	MPI_Count large;
	int size;

	/* without elements the type need not be one */
	if (count <= 0 || type == MPI_DATATYPE_NULL)
		return 0;
	size = tape_type_size(type);
	if (TAPE_UNLIKELY(size == MPI_UNDEFINED)) {
		PMPI_Type_size_x(type, &large);
		return large > 0 ? (uint64_t)count * (uint64_t)large : 0;
	}
	return size > 0 ? (uint64_t)count * (uint64_t)size : 0;
}

/* What asking took; a part of alpha that has a field of its own. */
static inline uint64_t probe_ticks(struct tape_flow *f, uint64_t probe,
				   uint64_t start)
{
	return f->asked = probe ? start - probe - f->reading : 0;
}

/*
 * A call that failed did nothing with messages, and its handle may be none at
 * all: communicator 0. Only a receive that was cut short took its message.
 */
static __attribute__((noinline)) uint32_t
index_failed_comm(struct tape_flow *f, int rc, MPI_Comm comm,
		  const MPI_Status *status)
{
	const struct tape_comm_cache *c;
	int class_ = MPI_SUCCESS;

	PMPI_Error_class(rc, &class_);
	if (class_ != MPI_ERR_TRUNCATE || !status)
		return 0;
	c = tape_comm_known(f, (uintptr_t)comm, &f->extra_after);
	return c ? c->index : 0;
}

static inline uint32_t index_comm(struct tape_flow *f,
				  const struct tape_mpi_args *a)
{
	if (TAPE_UNLIKELY(a->rc != MPI_SUCCESS))
		return index_failed_comm(f, a->rc, a->comm, a->status);
	return tape_comm(f, a->comm, &f->extra_after)->index;
}

/* The communicator that a window or a file is; 0 if it is not known. */
static inline TAPE_ALWAYS uint32_t index_object(struct tape_flow *f,
						const struct tape_mpi_args *a,
						uint64_t *extra)
{
	const struct tape_comm_cache *c = tape_comm_known(f, a->object, extra);

	return c ? c->index : 0;
}

/* ---- local ---- */

TAPE_PUT(local)
#define put_local tape_put_local

static inline void before_local(struct tape_flow *f, struct tape_local *r,
				struct tape_mpi_args *a)
{
	(void)f, (void)r, (void)a;
}

static inline void after_local(struct tape_flow *f, struct tape_local *r,
			       struct tape_mpi_args *a)
{
	(void)f, (void)a;
	r->none_ = 0;
}

/* ---- send, isend, irecv: the same fields ---- */

#define HOOKS_POST(name, with_padding)                                         \
	TAPE_PUT(name)                                                         \
	static inline TAPE_ALWAYS void before_##name(struct tape_flow *f,      \
						     struct tape_##name *r,    \
						     struct tape_mpi_args *a)  \
	{                                                                      \
		(void)f, (void)r, (void)a;                                     \
	}                                                                      \
	static inline TAPE_ALWAYS void after_##name(struct tape_flow *f,       \
						    struct tape_##name *r,     \
						    struct tape_mpi_args *a)   \
	{                                                                      \
		r->peer = tape_peer(a->peer);                                  \
		r->tag = tape_tag(a->tag);                                     \
		r->bytes = TAPE_LIKELY(a->rc == MPI_SUCCESS)                   \
			       ? tape_bytes(a->count, a->type)                 \
			       : 0;                                            \
		if (a->traits & TAPE_TRAIT_PARTITIONED)                        \
			r->bytes *= (uint64_t)a->parts;                        \
		r->comm = index_comm(f, a);                                    \
	}

/*
 * begin_X stores the operands of a call that may block, right before the real
 * call (call_in_progress.h).
 */
static inline TAPE_ALWAYS uint32_t
index_comm_ahead(struct tape_flow *f, const struct tape_mpi_args *a)
{
	const struct tape_comm_cache *c =
	    tape_comm_known(f, (uintptr_t)a->comm, &f->extra_before);

	return c ? c->index : 0;
}

/*
 * So many elements may be more than an eager message has. Of fewer the size is
 * not asked: that takes time, and the library has not seen the type yet.
 */
enum { MANY_ELEMENTS = 256 };

static inline TAPE_ALWAYS uint64_t sent_bytes(const struct tape_mpi_args *a)
{
	return TAPE_UNLIKELY(a->count >= MANY_ELEMENTS) && a->type
		   ? tape_bytes(a->count, a->type)
		   : 0;
}

static inline TAPE_ALWAYS void begin_send(struct tape_flow *f, uint32_t site,
					  const struct tape_send *r,
					  const struct tape_mpi_args *a)
{
	uint32_t comm = index_comm_ahead(f, a);
	unsigned char *call = tape_call_place(f);

	(void)r;
	tape_call_partner(call, tape_peer(a->peer), tape_tag(a->tag), comm, 0);
	tape_call_amount(call, sent_bytes(a));
	tape_call_begin(f, call, site);
}

HOOKS_POST(send, 1)
HOOKS_POST(isend, 1)
HOOKS_POST(irecv, 1)
#define put_send tape_put_send
#define put_isend tape_put_isend
#define put_irecv tape_put_irecv

static inline TAPE_ALWAYS void add_new_request(struct tape_flow *f,
					       const struct tape_mpi_args *a,
					       uint32_t kind)
{
	unsigned persistent = (a->traits & TAPE_TRAIT_PERSISTENT) != 0;
	struct tape_request q = { .number = TAPE_REQUEST(f->thread,
							 ++f->requests),
				  .kind = kind,
				  .persistent = persistent & 1,
				  .active = !persistent };

	if (TAPE_LIKELY(a->rc == MPI_SUCCESS))
		tape_request_add(tape_handle(*a->request), &q);
}

static inline TAPE_ALWAYS void created_isend(struct tape_flow *f,
					     const struct tape_isend *r,
					     const struct tape_mpi_args *a)
{
	(void)r;
	add_new_request(f, a, TAPE_REQUEST_SEND);
}

static inline TAPE_ALWAYS void created_irecv(struct tape_flow *f,
					     const struct tape_irecv *r,
					     const struct tape_mpi_args *a)
{
	(void)r;
	add_new_request(f, a, TAPE_REQUEST_RECV);
}

/* ---- messages in parts ---- */

TAPE_PUT(psend)
#define put_psend tape_put_psend

static inline void before_psend(struct tape_flow *f, struct tape_psend *r,
				struct tape_mpi_args *a)
{
	(void)f, (void)r, (void)a;
}

static inline void after_psend(struct tape_flow *f, struct tape_psend *r,
			       struct tape_mpi_args *a)
{
	r->peer = tape_peer(a->peer);
	r->tag = tape_tag(a->tag);
	r->parts = a->parts > 0 ? (uint32_t)a->parts : 0;
	r->bytes = a->rc == MPI_SUCCESS
			   ? r->parts * tape_bytes(a->count, a->type)
			   : 0;
	r->comm = index_comm(f, a);
}

static inline void created_psend(struct tape_flow *f,
				 const struct tape_psend *r,
				 const struct tape_mpi_args *a)
{
	(void)r;
	add_new_request(f, a, TAPE_REQUEST_SEND);
}

/* ---- isendrecv: one request for a message each way ---- */

TAPE_PUT(isendrecv)
#define put_isendrecv tape_put_isendrecv

static inline void before_isendrecv(struct tape_flow *f,
				    struct tape_isendrecv *r,
				    struct tape_mpi_args *a)
{
	(void)f, (void)r, (void)a;
}

/* The data that are replaced are described once. */
static inline void after_isendrecv(struct tape_flow *f,
				   struct tape_isendrecv *r,
				   struct tape_mpi_args *a)
{
	r->peer = tape_peer(a->peer);
	r->tag = tape_tag(a->tag);
	r->rpeer = tape_peer(a->rpeer);
	r->rtag = tape_tag(a->rtag);
	r->comm = index_comm(f, a);
	r->bytes = r->rbytes = 0;
	if (a->rc != MPI_SUCCESS)
		return;
	r->bytes = tape_bytes(a->count, a->type);
	r->rbytes = a->traits & TAPE_TRAIT_ONE_BUFFER
			    ? r->bytes
			    : tape_bytes(a->rcount, a->rtype);
}

static inline void created_isendrecv(struct tape_flow *f,
				     const struct tape_isendrecv *r,
				     const struct tape_mpi_args *a)
{
	(void)r;
	add_new_request(f, a, TAPE_REQUEST_RECV);
}

/* ---- generalized requests ---- */

TAPE_PUT(grequest)
#define put_grequest tape_put_grequest

static inline void before_grequest(struct tape_flow *f, struct tape_grequest *r,
				   struct tape_mpi_args *a)
{
	(void)f, (void)r, (void)a;
}

static inline void after_grequest(struct tape_flow *f, struct tape_grequest *r,
				  struct tape_mpi_args *a)
{
	(void)f, (void)a;
	r->none_ = 0;
}

static inline void created_grequest(struct tape_flow *f,
				    const struct tape_grequest *r,
				    const struct tape_mpi_args *a)
{
	(void)r;
	add_new_request(f, a, TAPE_REQUEST_OTHER);
}

static inline void created_message(struct tape_flow *f,
				   const struct tape_mpi_args *a)
{
	struct tape_request q = { .number = TAPE_REQUEST(f->thread,
							 ++f->requests),
				  .kind = TAPE_REQUEST_MESSAGE };

	/* of those of MPI_PROC_NULL there may be many, of one handle */
	if (a->rc == MPI_SUCCESS && *a->message != MPI_MESSAGE_NO_PROC)
		tape_request_add(tape_message(*a->message), &q);
}

static inline void created_mprobe(struct tape_flow *f,
				  const struct tape_mprobe *r,
				  const struct tape_mpi_args *a)
{
	(void)r;
	created_message(f, a);
}

/* ---- iprobe, improbe: a run of failures is one record ---- */

#define HOOKS_ASK(name, NAME)                                                  \
	TAPE_PUT(name)                                                         \
	TAPE_POLL(name, NAME)                                                  \
	static inline void before_##name(struct tape_flow *f,                  \
					 struct tape_##name *r,                \
					 struct tape_mpi_args *a)              \
	{                                                                      \
		(void)f, (void)r, (void)a;                                     \
	}                                                                      \
	static inline TAPE_ALWAYS void after_##name(struct tape_flow *f,       \
						    struct tape_##name *r,     \
						    struct tape_mpi_args *a)   \
	{                                                                      \
		int found = TAPE_LIKELY(a->rc == MPI_SUCCESS) && *a->flag;     \
                                                                               \
		memset(r, 0, sizeof *r);                                       \
		r->peer = tape_peer(a->peer);                                  \
		r->tag = tape_tag(a->tag);                                     \
		r->comm = index_comm(f, a);                                    \
		if (!found)                                                    \
			return;                                                \
		r->flag = 1;                                                   \
		r->actual_peer = tape_peer(a->status->MPI_SOURCE);             \
		r->actual_tag = tape_tag(a->status->MPI_TAG);                  \
		r->bytes = tape_status_bytes(a->status);                       \
	}                                                                      \
	static inline TAPE_ALWAYS void put_##name(                             \
	    struct tape_flow *f, uint32_t site, uint64_t start, uint64_t end,  \
	    const struct tape_##name *r)                                       \
	{                                                                      \
		if (r->flag)                                                   \
			tape_put_##name(f, site, start, end, r);               \
		else                                                           \
			tape_poll_##name(f, site, start, end, r);              \
	}

HOOKS_ASK(iprobe, IPROBE)
HOOKS_ASK(improbe, IMPROBE)

static inline void created_improbe(struct tape_flow *f,
				   const struct tape_improbe *r,
				   const struct tape_mpi_args *a)
{
	if (r->flag)
		created_message(f, a);
}

#endif
