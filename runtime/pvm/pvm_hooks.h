/*
 * What each class of PVM's calls records: for class X, before_X runs ahead of
 * the real call and after_X fills the record. The generated wrappers pass
 * the call's arguments by role (kinds.tab).
 */
#ifndef TAPE_PVM_HOOKS_H
#define TAPE_PVM_HOOKS_H

#include <errno.h>
#include <string.h>

#include "pvm_arrival_probe.h"
#include "buffer.h"
#include "contexts.h"
#include "around_call.h"
#include "call_in_progress.h"
#include "flows.h"
#include "handlers.h"
#include "processor_marks.h"
#include "pvm_args.h"
#include "pvm_lifetime.h"
#include "call_sites.h"
#include "stubs.h"

/*
 * The frame of a wrapper. While the real call runs the thread records nothing:
 * the library calls itself by the names that are wrapped. What is asked around
 * errno is as before the call, and as after it. entry_ begins where
 * the call site was looked up, if that took long. What tape_pvm_inside points
 * to is of this frame: nothing of a call that a handler left by longjmp may
 * stay.
 */
#define TAPE_PVM_BEGIN(f)                                                      \
	uint64_t entry_ =                                                      \
	    TAPE_UNLIKELY((f)->extras) ? tape_tick() - (f)->extra_before : 0;  \
	int errno_ = errno;                                                    \
	const void *frame_ = __builtin_frame_address(0);                       \
	(f)->frame = frame_;                                                   \
	tape_pvm_inside.send = NULL;                                           \
	tape_pvm_inside.mcast = NULL;                                          \
	tape_pvm_inside.two_parts = NULL;                                      \
	tape_current = NULL
#define TAPE_PVM_START(f)                                                      \
	do {                                                                   \
		if (TAPE_UNLIKELY(entry_))                                     \
			tape_wrap_start(f);                                    \
		errno = errno_;                                                \
		tape_pvm_inside.site = site;                                   \
		a.start = tape_processor_due(f, tape_tick());                  \
		tape_pvm_inside.start = a.start;                               \
	} while (0)
#define TAPE_PVM_STOP(f, site, value)                                          \
	do {                                                                   \
		a.end = tape_tick();                                           \
		errno_ = errno;                                                \
		tape_pvm_inside.start = 0;                                     \
		if (TAPE_UNLIKELY(tape_pvm_inside.resumed))                    \
			tape_pvm_resume(&a.start, &entry_);                    \
		if (TAPE_UNLIKELY(entry_))                                     \
			tape_wrap_stop(f);                                     \
		if (TAPE_UNLIKELY(!(site))) {                                  \
			f = tape_pvm_first(&a.start, &a.end, a.call, &(site)); \
			errno = errno_;                                        \
			if (!f)                                                \
				return value;                                  \
			(f)->frame = frame_;                                   \
		}                                                              \
	} while (0)
#define TAPE_PVM_PUT(name, f, site, r)                                         \
	do {                                                                   \
		if (TAPE_UNLIKELY(entry_))                                     \
			tape_wrap_extras(f, a.start, entry_);                  \
		put_##name(f, site, a.start, a.end, r);                        \
	} while (0)
#define TAPE_PVM_END(f)                                                        \
	do {                                                                   \
		if (TAPE_UNLIKELY(a.end >= (f)->mark_due))                     \
			tape_processor_end(f, a.start, a.end);                 \
		if (TAPE_UNLIKELY(entry_))                                     \
			tape_wrap_end(f, a.end, tape_filter_class(a.call));    \
		errno = errno_;                                                \
		tape_current = (f)->self;                                      \
	} while (0)

/*
 * The call is not recorded, nor what it calls; see the generated wrappers. What
 * was packed before it is no longer summed.
 */
#define TAPE_PVM_PASS(f, at)                                                   \
	do {                                                                   \
		if (TAPE_UNLIKELY((f)->poll_count && (f)->poll_way))           \
			tape_buffer_end_run(f);                                \
		(f)->frame = (at);                                             \
		tape_current = NULL;                                           \
		tape_pvm_inside.start = TAPE_PVM_PASSED;                       \
		tape_counted_begin(f);                                         \
	} while (0)
#define TAPE_PVM_PASS_END(f)                                                   \
	do {                                                                   \
		tape_counted_end(f);                                           \
		tape_current = (f)->self;                                      \
	} while (0)

/* The call goes on where the last handler in it returned. */
static inline void tape_pvm_resume(uint64_t *start, uint64_t *entry)
{
	if (*entry)
		*entry += tape_pvm_inside.resumed - *start;
	*start = tape_pvm_inside.resumed;
	tape_pvm_inside.resumed = 0;
}

/* A call that may block begins. The first one of a task has no site yet. */
static inline void tape_pvm_call_begin(struct tape_flow *f, uint32_t site,
				       int peer, int tag)
{
	if (TAPE_UNLIKELY(!site))
		return;
	tape_call_partner(
	    tape_call_place(f), peer, tag,
	    tape_pvm_last.context == pvmmyctx ? tape_pvm_last.index : 0, 0);
	tape_call_started(f, tape_tick());
	tape_call_begin(f, tape_call_place(f), site);
}

/* In a wrapper: what stands for the site of the call. */
#define TAPE_C_SITE(call, address)                                             \
	tape_pvm_site(call, address, __builtin_frame_address(0))

/* ---- messages ---- */

/*
 * What was packed since a buffer was made: of data that are sent from where
 * they are (PvmDataInPlace) PVM says 0 bytes. Data packed into a buffer that
 * was sent already may belong to a new one, whose making was not recorded.
 */
struct tape_pvm_packed {
	uint64_t bytes;
	int made, sent;
};
extern struct tape_pvm_packed tape_pvm_packed
	__attribute__((visibility("hidden")));

/* Bytes of the message in the buffer to be sent. */
static inline uint64_t tape_pvm_sent_bytes(void)
{
	int bytes = 0, tag, tid, buffer = TAPE_REAL(pvm_getsbuf)();

	tape_pvm_packed.sent = 1;
	if (buffer > 0)
		TAPE_REAL(pvm_bufinfo)(buffer, &bytes, &tag, &tid);
	if (bytes > 0)
		return (uint64_t)bytes;
	return tape_pvm_packed.made ? tape_pvm_packed.bytes : 0;
}

static inline uint64_t tape_pvm_bytes(int count, int type)
{
	return count > 0 ? (uint64_t)count * tape_pvm_size(type) : 0;
}

/* A call that failed, or found nothing, did nothing with messages. */
static inline uint32_t get_context(const struct tape_pvm_args *a, int good)
{
	return TAPE_LIKELY(good) && a->rc >= 0 ? tape_pvm_context() : 0;
}

TAPE_PUT(send)

/* Unless a handler was called meanwhile. */
static inline TAPE_ALWAYS void put_send(struct tape_flow *f, uint32_t site,
					uint64_t start, uint64_t end,
					const struct tape_send *r)
{
	if (TAPE_UNLIKELY(tape_pvm_inside.sent))
		tape_pvm_inside.sent = 0;
	else
		tape_put_send(f, site, start, end, r);
}

static inline void before_send(struct tape_flow *f, struct tape_send *r,
			       struct tape_pvm_args *a)
{
	(void)f;
	r->peer = a->peer;
	r->tag = a->tag;
	r->comm = tape_pvm_last.context == pvmmyctx ? tape_pvm_last.index : 0;
	tape_pvm_inside.send = r->comm ? r : NULL;
}

static inline void after_send(struct tape_flow *f, struct tape_send *r,
			      struct tape_pvm_args *a)
{
	(void)f;
	r->peer = a->peer;
	r->tag = a->tag;
	r->bytes = a->rc < 0 ? 0
		   : a->traits & TAPE_TRAIT_TYPED
			   ? tape_pvm_bytes(a->count, a->type)
			   : tape_pvm_sent_bytes();
	r->comm = get_context(a, 1);
}

/* ---- to several: the list of tasks has a number ---- */

TAPE_PUT(mcast)

/* Unless a handler was called meanwhile. */
static inline TAPE_ALWAYS void put_mcast(struct tape_flow *f, uint32_t site,
					 uint64_t start, uint64_t end,
					 const struct tape_mcast *r)
{
	if (TAPE_UNLIKELY(tape_pvm_inside.sent))
		tape_pvm_inside.sent = 0;
	else
		tape_put_mcast(f, site, start, end, r);
}

static inline void before_mcast(struct tape_flow *f, struct tape_mcast *r,
				struct tape_pvm_args *a)
{
	(void)f;
	if (a->name)
		tape_pvm_bcast_begin();
	r->tag = a->tag;
	/* inside of the call the buffer may be one of the library's */
	r->bytes = tape_pvm_sent_bytes();
	r->comm = tape_pvm_last.context == pvmmyctx ? tape_pvm_last.index : 0;
	tape_pvm_inside.mcast = r->comm ? r : NULL;
	tape_pvm_inside.tids = a->tids;
	tape_pvm_inside.n = a->n;
}

static inline void after_mcast(struct tape_flow *f, struct tape_mcast *r,
			       struct tape_pvm_args *a)
{
	uint32_t heard = a->name ? tape_pvm_bcast_group() : 0;

	(void)f;
	tape_pvm_bcast_end();
	r->tag = a->tag;
	r->comm = get_context(a, 1);
	if (!r->comm)
		r->bytes = 0;
	r->group = a->name ? heard
		   : r->comm ? tape_pvm_task_list(a->tids, a->n) : 0;
}

static inline void outside_mcast(const struct tape_pvm_args *a)
{
	if (a->tids)
		tape_pvm_bcast_list(a->tids, a->n);
}

/* ---- receives ---- */

/* What the buffer that a call returned says. */
#define TAPE_PVM_OF_BUFFER(r, a)                                               \
	do {                                                                   \
		int bytes_ = 0;                                                \
		(r)->actual_peer = (a)->peer;                                  \
		(r)->actual_tag = (a)->tag;                                    \
		if ((a)->rc > 0)                                               \
			TAPE_REAL(pvm_bufinfo)((a)->rc, &bytes_,               \
					       &(r)->actual_tag,               \
					       &(r)->actual_peer);             \
		(r)->bytes = bytes_ > 0 ? (uint64_t)bytes_ : 0;                \
	} while (0)

TAPE_PUT(recv)
#define put_recv tape_put_recv

static inline void before_recv(struct tape_flow *f, struct tape_recv *r,
			       struct tape_pvm_args *a)
{
	(void)f, (void)a;
	r->arrived = 2;
	r->probe = 0;
}

static inline void after_recv(struct tape_flow *f, struct tape_recv *r,
			      struct tape_pvm_args *a)
{
	(void)f;
	r->peer = a->peer;
	r->tag = a->tag;
	TAPE_PVM_OF_BUFFER(r, a);
	r->comm = get_context(a, a->rc > 0);
}

/* a->rc is the buffer of a message that was there; 0: it was not. */
static inline void try_recv(const struct tape_flow *f, const char *call,
			    struct tape_recv *r, struct tape_pvm_args *a)
{
	a->rc = 0;
	if (!tape_pvm_can_try(f, a->peer, a->tag))
		return;
	a->rc = tape_pvm_try(call, a->peer, a->tag);
	r->arrived = a->rc > 0;
}

/* ---- nrecv, probe: a run of failures is one record ---- */

#define HOOKS_ASK(name, NAME)                                                  \
	TAPE_PUT(name)                                                         \
	TAPE_POLL(name, NAME)                                                  \
	static inline void before_##name(struct tape_flow *f,                  \
					 struct tape_##name *r,                \
					 struct tape_pvm_args *a)              \
	{                                                                      \
		(void)f, (void)r, (void)a;                                     \
	}                                                                      \
	static inline void after_##name(struct tape_flow *f,                   \
					struct tape_##name *r,                 \
					struct tape_pvm_args *a)               \
	{                                                                      \
		(void)f;                                                       \
		memset(r, 0, sizeof *r);                                       \
		r->peer = a->peer;                                             \
		r->tag = a->tag;                                               \
		r->comm = get_context(a, 1);                                   \
		if (a->rc <= 0)                                                \
			return;                                                \
		r->flag = 1;                                                   \
		TAPE_PVM_OF_BUFFER(r, a);                                      \
	}                                                                      \
	static inline void put_##name(struct tape_flow *f, uint32_t site,      \
				      uint64_t start, uint64_t end,            \
				      const struct tape_##name *r)             \
	{                                                                      \
		if (r->flag)                                                   \
			tape_put_##name(f, site, start, end, r);               \
		else                                                           \
			tape_poll_##name(f, site, start, end, r);              \
	}

HOOKS_ASK(iprobe, IPROBE)
HOOKS_ASK(nrecv, NRECV)

/* ---- packing ---- */

TAPE_PUT(pack)
/* used where TAPE_PVM_PUT is: the call's arguments are there */
#define put_pack(f, site, start, end, r)                                       \
	put_packed(f, site, start, end, r, a.shape)

/* The sum is unknown if only the library knows the sizes. */
static inline TAPE_ALWAYS void put_packed(struct tape_flow *f, uint32_t site,
					  uint64_t start, uint64_t end,
					  const struct tape_pack *r,
					  unsigned way)
{
	if (TAPE_UNLIKELY(tape_process.config.packing_summed) && r->bytes)
		tape_sum_pack(f, site, start, end, r, way);
	else
		tape_put_pack(f, site, start, end, r);
}

static inline void before_pack(struct tape_flow *f, struct tape_pack *r,
			       struct tape_pvm_args *a)
{
	(void)f, (void)r, (void)a;
}

static inline void after_pack(struct tape_flow *f, struct tape_pack *r,
			      struct tape_pvm_args *a)
{
	(void)f;
	r->bytes = 0;
	if (a->rc < 0)
		return;
	if (a->text)
		r->bytes = strlen(a->text) + 1;
	else if (a->count > 0)
		r->bytes = (uint64_t)a->count * a->item;
	if (a->shape == TAPE_SHAPE_TO) {
		tape_pvm_packed.bytes += r->bytes;
		tape_pvm_packed.made &= !tape_pvm_packed.sent;
	}
}

/* ---- collectives of groups ---- */

TAPE_PUT(coll)
#define put_coll tape_put_coll

static inline void noticed_pvm_gettid(const struct tape_pvm_args *a)
{
	if (tape_pvm_within.collective && a->rc > 0)
		tape_pvm_within.root = a->rc;
}

static inline void noticed_pvm_send(const struct tape_pvm_args *a)
{
	if (tape_pvm_within.collective && a->tag == tape_pvm_within.tag &&
	    a->peer != gstid)
		tape_pvm_within.n++;
}

/* Has the call recorded as two events if a handler runs during it. */
static inline void tape_pvm_begin_parts(const struct tape_pvm_args *a)
{
	tape_pvm_inside.two_parts = a;
	tape_pvm_inside.begun = 0;
}

/* Returns which part of the call its last event is (enum tape_call_part). */
static inline uint32_t tape_pvm_last_part(void)
{
	return tape_pvm_inside.begun ? TAPE_PART_END : TAPE_PART_WHOLE;
}

static inline void before_coll(struct tape_flow *f, struct tape_coll *r,
			       struct tape_pvm_args *a)
{
	(void)f, (void)r;
	tape_pvm_begin_parts(a);
	if (a->shape != TAPE_SHAPE_ALL)
		tape_pvm_within = (struct tape_pvm_within){ .collective = 1,
							    .tag = a->tag };
}

/* root is a task, as peers are. */
static inline void after_coll(struct tape_flow *f, struct tape_coll *r,
			      struct tape_pvm_args *a)
{
	const struct tape_pvm_within *w = &tape_pvm_within;
	uint64_t bytes, all;

	(void)f;
	*r = (struct tape_coll){ .root = -1, .part = tape_pvm_last_part() };
	if (r->part == TAPE_PART_END)
		r->comm = tape_pvm_inside.comm;
	tape_pvm_within.collective = 0;
	if (a->rc < 0 || !tape_pvm_identify_collective(a, r) ||
	    a->shape == TAPE_SHAPE_ALL) /* then count is of tasks */
		return;
	bytes = all = tape_pvm_bytes(a->count, a->type);
	if (!(a->traits & TAPE_TRAIT_REDUCING))
		all *= (uint64_t)w->n + 1;
	if (a->shape == TAPE_SHAPE_TO) {
		r->bytes = bytes;
		r->rbytes = w->root == pvmmytid ? all : 0;
	} else {
		r->bytes = w->root == pvmmytid ? all : 0;
		r->rbytes = bytes;
	}
}

/* ---- local ---- */

TAPE_PUT(local)
#define put_local tape_put_local

static inline void before_local(struct tape_flow *f, struct tape_local *r,
				struct tape_pvm_args *a)
{
	(void)f, (void)r, (void)a;
}

static inline void after_local(struct tape_flow *f, struct tape_local *r,
			       struct tape_pvm_args *a)
{
	(void)f;
	r->none_ = 0;
	if (a->traits & TAPE_TRAIT_NEW_MESSAGE)
		tape_pvm_packed = (struct tape_pvm_packed){ .made = 1 };
}

#endif
