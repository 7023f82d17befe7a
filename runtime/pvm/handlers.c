/* Messages handed to functions of the program; see handlers.h. */
#include <errno.h>

#include "buffer.h"
#include "call_sites.h"
#include "contexts.h"
#include "around_call.h"
#include "handlers.h"
#include "order_match.h"
#include "pvm_args.h"

struct tape_pvm_inside tape_pvm_inside;

/*
 * The library tells a handler its message and nothing else: each of the
 * program's has a function of ours. One beyond them is called by the library,
 * and its messages are not recorded.
 */
enum { HANDLERS = 32 };
static struct {
	int (*func)(int);
	int id; /* the library's; -1: not known yet */
} handlers[HANDLERS];

TAPE_PUT(recv)
TAPE_PUT(send)
TAPE_PUT(mcast)
TAPE_PUT(coll)
TAPE_PUT(spawn)

static void put_send(struct tape_flow *f, uint64_t now)
{
	struct tape_send *s = tape_pvm_inside.send;
	int bytes = 0, buffer = TAPE_REAL(pvm_getsbuf)();

	/* without an active buffer pvm_getsbuf returns 0 */
	if (buffer > 0 &&
	    TAPE_REAL(pvm_bufinfo)(buffer, &bytes, NULL, NULL) < 0)
		bytes = 0;
	s->bytes = bytes > 0 ? (uint64_t)bytes : 0;
	tape_put_send(f, tape_pvm_inside.site, tape_pvm_inside.start, now, s);
}

/*
 * The same to several tasks. Returns 0 where the members of the group are not
 * known yet: then nothing has gone.
 */
static int put_mcast(struct tape_flow *f, uint64_t now)
{
	const struct tape_pvm_inside *i = &tape_pvm_inside;

	i->mcast->group = i->tids ? tape_pvm_task_list(i->tids, i->n)
				  : tape_pvm_bcast_group();
	if (!i->mcast->group)
		return 0;
	tape_put_mcast(f, i->site, i->start, now, i->mcast);
	return 1;
}

/*
 * What is being sent has gone before something came: its event lasts from the
 * beginning of the call to now. Returns 0 where nothing is being sent.
 */
static int put_sent(struct tape_flow *f, uint64_t now)
{
	struct tape_pvm_inside *i = &tape_pvm_inside;

	if (!i->site || !(i->send || (i->mcast && put_mcast(f, now))))
		return 0;
	if (i->send)
		put_send(f, now);
	i->send = NULL;
	i->mcast = NULL;
	i->sent = 1;
	return 1;
}

int tape_pvm_identify_collective(const struct tape_pvm_args *a,
				 struct tape_coll *r)
{
	if (a->shape == TAPE_SHAPE_ALL) {
		r->comm = tape_pvm_barrier_of(a->name, a->count);
		return 1;
	}
	if (tape_pvm_within.root <= 0)
		return 0;
	r->root = tape_pvm_within.root;
	r->comm = tape_pvm_group(a->call, a->name, r->root);
	return 1;
}

/*
 * Records the beginning of the call in progress, from its start to now. Returns
 * 0 if nothing was recorded: the call is never two events, its beginning is
 * recorded already, or its root is not known yet.
 */
static int put_beginning(struct tape_flow *f, uint64_t now)
{
	struct tape_pvm_inside *i = &tape_pvm_inside;
	struct tape_coll r = { .root = -1, .part = TAPE_PART_BEGINNING };

	if (!i->site || !i->two_parts || i->begun)
		return 0;
	if (i->two_parts->call == TAPE_CALL_pvm_spawn)
		tape_put_spawn(f, i->site, i->start, now, &(struct tape_spawn){
			.part = TAPE_PART_BEGINNING });
	else if (tape_pvm_identify_collective(i->two_parts, &r))
		tape_put_coll(f, i->site, i->start, now, &r);
	else
		return 0;
	i->comm = r.comm;
	i->begun = 1;
	return 1;
}

/* The message that came, as an event; 0: it is not recorded. */
static int put_handled(struct tape_flow *f, uint32_t site, int mid)
{
	struct tape_recv r = { .arrived = 2 };
	uint64_t start = tape_pvm_inside.start, now = tape_tick();
	struct pvmminfo m;
	int bytes = 0;

	if (TAPE_REAL(pvm_getminfo)(mid, &m) < 0 ||
	    TAPE_REAL(pvm_bufinfo)(mid, &bytes, NULL, NULL) < 0)
		return 0;
	r.peer = r.actual_peer = m.src;
	r.tag = r.actual_tag = m.tag;
	r.bytes = bytes > 0 ? (uint64_t)bytes : 0;
	r.comm = tape_pvm_context_find(m.ctx);
	if (f->extras)
		tape_wrap_stop(f);
	if (start == TAPE_PVM_PASSED || put_sent(f, now) ||
	    put_beginning(f, now))
		start = now;
	tape_put_recv(f, site, start, now, &r);
	if (f->extras & TAPE_EXTRA_COUNTERS)
		tape_buffer_counts(f);
	return 1;
}

/* Its calls are the program's: they are recorded. */
static int call_recorded(struct tape_flow *f, int (*func)(int), int mid)
{
	const void *frame = f->frame;
	struct tape_pvm_inside inside = tape_pvm_inside;
	struct tape_pvm_within within = tape_pvm_within;
	uint64_t start = inside.start;
	int rc;

	tape_current = f->self;
	tape_pvm_inside.sent = 0;
	/* the handler before this one returned then: that is no start of a call
	 * that this one makes */
	tape_pvm_inside.resumed = 0;
	tape_pvm_inside.two_parts = NULL;
	tape_pvm_inside.begun = 0;
	tape_pvm_within = (struct tape_pvm_within){ 0 };
	rc = func(mid);
	tape_pvm_within = within;
	tape_pvm_inside.two_parts = inside.two_parts;
	tape_pvm_inside.begun = inside.begun;
	tape_pvm_inside.comm = inside.comm;
	tape_pvm_inside.site = inside.site;
	tape_pvm_inside.sent = inside.sent;
	/* of a group: members that become known from here on */
	tape_pvm_inside.mcast = inside.mcast;
	tape_pvm_inside.tids = inside.tids;
	tape_pvm_inside.n = inside.n;
	tape_current = NULL;
	f->frame = frame;
	if (f->extras)
		tape_wrap_start(f);
	tape_pvm_inside.start = start;
	if (start != TAPE_PVM_PASSED)
		tape_pvm_inside.start = tape_pvm_inside.resumed = tape_tick();
	return rc;
}

/* The flow of the call in progress, if that is recorded; else NULL. */
static struct tape_flow *get_flow(void)
{
	struct tape_flow *f = tape_own;

	return tape_process.state == TAPE_RUNNING && f && f->self &&
			       !tape_current && tape_pvm_inside.start
		       ? f
		       : NULL;
}

static int handle_message(unsigned k, int mid)
{
	int (*func)(int) = handlers[k].func, *quiet = tape_pvm_inside.auto_err;
	struct tape_flow *f = get_flow();
	uint32_t site = 0;
	int rc, e = errno;

	/* the first byte of the function follows no call */
	if (f)
		site = tape_site_here(f, TAPE_CALL_pvm_recv,
				      (const char *)(uintptr_t)func + 1);
	if (f)
		f->timed = 0; /* what only counts it ends where it begins */
	if (quiet)
		pvmautoerr = *quiet;
	tape_pvm_inside.auto_err = NULL;
	tape_pvm_inside.handling = 1;
	if (tape_pvm_is_ordered)
		tape_pvm_pause_match(1);
	if (site && put_handled(f, site, mid)) {
		errno = e;
		rc = call_recorded(f, func, mid);
	} else {
		errno = e;
		rc = func(mid);
	}
	if (tape_pvm_is_ordered)
		tape_pvm_pause_match(0);
	tape_pvm_inside.handling = 0;
	tape_pvm_inside.auto_err = quiet;
	if (quiet) {
		*quiet = pvmautoerr;
		pvmautoerr = 0;
	}
	return rc;
}

#define ONE(k)                                                                 \
	static int handle_##k(int mid)                                         \
	{                                                                      \
		return handle_message(k, mid);                                 \
	}
#define EACH(X)                                                                \
	X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)                                \
	X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)                          \
	X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23)                        \
	X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)
#define NAME(k) handle_##k,

EACH(ONE)
static int (*const ours[HANDLERS])(int) = { EACH(NAME) };

/*
 * The library has contexts for its own messages, the first of them this one,
 * and handlers for these, which it adds by the same call.
 */
#define LIBRARYS 0x7fff0

int tape_pvm_add_handler(int src, int tag, int ctx, int (*func)(int))
{
	unsigned k = 0;
	int id;

	while (k < HANDLERS && handlers[k].func)
		k++;
	if (k == HANDLERS || !func || ctx >= LIBRARYS)
		return TAPE_REAL(pvm_addmhf)(src, tag, ctx, func);
	handlers[k].func = func;
	handlers[k].id = -1;
	id = TAPE_REAL(pvm_addmhf)(src, tag, ctx, ours[k]);
	handlers[k].id = id;
	if (id < 0)
		handlers[k].func = NULL;
	return id;
}

int tape_pvm_delete_handler(int id)
{
	int rc = TAPE_REAL(pvm_delmhf)(id);

	for (unsigned k = 0; rc >= 0 && k < HANDLERS; k++)
		if (handlers[k].func && handlers[k].id == id)
			handlers[k].func = NULL;
	return rc;
}
