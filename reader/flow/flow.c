/* Decodes one flow, record by record; chunk.c brings the bytes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "tape_codec.h"
#include "flow.h"

/* ---- records ---- */

/*
 * Is there another record? 1 with *code its first byte, 0 at the end. In a
 * sealed chunk a zero byte is damage, in an open one the end.
 */
static inline int peek_code(struct tape_flow *f, unsigned *code)
{
	int rc;

	for (;;) {
		if (f->p < f->near && *f->p && tape_flow_is_settled(f)) {
			*code = *f->p;
			return 1;
		}
		if (f->p >= f->near && f->near < f->end) {
			if ((rc = tape_flow_window(f)))
				return rc;
			continue;
		}
		if (f->p < f->end && !f->is_open)
			return tape_flow_fail(f, TAPE_EFORMAT,
					      "a record without a code");
		if (f->p && f->is_open) {
			if (f->t->follow && (rc = tape_follow_more(f))) {
				if (rc < 0)
					return rc;
				continue;
			}
			f->end = f->near = f->p;
		}
		if ((rc = tape_flow_load(f)) <= 0)
			return rc;
	}
}

static inline int get_varint(struct tape_flow *f, const unsigned char **q,
			     uint64_t *v)
{
	*q = tape_get_varint(*q, f->end, v);
	return *q ? 0 : -1;
}

/* Formats before 3 have no blocks, before 6 no processor, before 7 no steps. */
static inline int get_code(struct tape_flow *f, const unsigned char **q,
			   uint64_t *code)
{
	if (get_varint(f, q, code))
		return -1;
	*code += f->head.version < 3 && *code >= TAPE_CODE_BLOCK;
	*code += f->head.version < 6 && *code >= TAPE_CODE_PROCESSOR;
	*code += f->head.version < 7 && *code >= TAPE_CODE_PTHREAD;
	return 0;
}

/* A record that does not end within its chunk. */
__attribute__((cold)) static int fail_unended(struct tape_flow *f)
{
	/* a process that is killed while writing leaves nothing like this */
	int code = f->is_open && f->cut ? TAPE_ETRUNCATED : TAPE_EFORMAT;

	return tape_flow_fail(f, code, "an incomplete record");
}

static inline int64_t tick_to_ns(struct tape_flow *f, uint64_t tick)
{
	if (__builtin_expect(f->t->follow != NULL, 0))
		tape_follow_tick(f, tick);
	while (f->piece + 1 < f->n_pieces &&
	       f->pieces[f->piece + 1].tick0 <= tick)
		f->piece++;
	return tape_piece_timestamp(&f->pieces[f->piece], tick);
}

static void begin_event(struct tape_flow *f, uint64_t gap, uint64_t spent)
{
	struct tape_event *e = f->e;

	e->flow = f->index;
	e->rank = f->rank->info.rank;
	e->thread = (int32_t)f->thread;
	e->start_tick = f->last + gap;
	e->end_tick = e->start_tick + spent;
	f->last = e->end_tick;
	e->start_ns = tick_to_ns(f, e->start_tick);
	e->end_ns = spent ? tick_to_ns(f, e->end_tick) : e->start_ns;
	/* a hostile file may overflow the ticks; the order holds nevertheless
	 */
	if (e->start_ns < f->last_ns)
		e->start_ns = f->last_ns;
	if (e->end_ns < e->start_ns)
		e->end_ns = e->start_ns;
	f->end_ns_before = f->last_ns;
	f->last_ns = e->end_ns;
	e->sr_ns = e->start_ns;
	e->polls = 1;
	e->also_polls = 0;
	e->inside_ticks = spent;
	/* wraps only for the absurd times of a hostile file */
	e->inside_ns = (int64_t)((uint64_t)e->end_ns - (uint64_t)e->start_ns);
	e->extra_before_ticks = e->extra_after_ticks = 0;
	e->within_before_ns = e->within_after_ns = 0;
	e->request = 0;
	e->n_done = 0;
	e->done = NULL;
	e->region = 0;
	e->earlier_ns = f->earlier_ns;
	e->later_ns = f->later_ns;
	e->n_counts = f->rank->info.n_counters;
	for (uint32_t k = 0; k < e->n_counts; k++)
		e->counts[k] = (struct tape_count){ 0, 0 };
}

static int decode_marker(struct tape_flow *f, uint64_t code,
			 const unsigned char *q)
{
	struct tape_event *e = f->e;
	uint64_t gap, what = 0;
	unsigned c = code == TAPE_CODE_ENTER   ? TAPE_CLASS_ENTER
		     : code == TAPE_CODE_LEAVE ? TAPE_CLASS_LEAVE
		     : code == TAPE_CODE_OFF   ? TAPE_CLASS_OFF
		     : code == TAPE_CODE_ON    ? TAPE_CLASS_ON
					       : TAPE_CLASS_THREAD;

	if (get_varint(f, &q, &gap))
		return fail_unended(f);
	if (c != TAPE_CLASS_OFF && c != TAPE_CLASS_ON &&
	    get_varint(f, &q, &what))
		return fail_unended(f);
	if ((c == TAPE_CLASS_ENTER || c == TAPE_CLASS_LEAVE) &&
	    !tape_flow_region(f, what))
		return tape_flow_fail(f, TAPE_EFORMAT, "undefined region %llu",
			    (unsigned long long)what);
	if (what > UINT32_MAX)
		return tape_flow_fail(f, TAPE_EFORMAT, "a value out of range");
	f->p = q;
	f->records++;
	begin_event(f, gap, 0);
	e->call = 0;
	e->class_ = (uint16_t)c;
	e->site = 0;
	e->alpha_before_ns = tape_flow_before(f, c);
	e->alpha_after_ns = tape_flow_after(f, c);
	if (c != TAPE_CLASS_THREAD && f->rank->region_costs &&
	    f->rank->region_costs[what].known)
		tape_flow_set_place_cost(f, &f->rank->region_costs[what]);
	memset(&e->u, 0, sizeof e->u);
	if (c == TAPE_CLASS_THREAD)
		e->u.thread.tid = (uint32_t)what;
	else
		e->region = (uint32_t)what;
	return 1;
}

static int decode_counted(struct tape_flow *f, const unsigned char *q)
{
	uint64_t gap, what, rate, calls, ticks = 0;

	if (get_varint(f, &q, &gap) || get_varint(f, &q, &what) ||
	    get_varint(f, &q, &rate) || get_varint(f, &q, &calls) ||
	    (f->head.version > 3 && get_varint(f, &q, &ticks)))
		return fail_unended(f);
	f->p = q;
	f->records++;
	begin_event(f, gap, 0);
	f->tally_ended = rate ? 0 : what;
	return tape_flow_counted(f, what, rate, calls, ticks);
}

static int decode_block(struct tape_flow *f, const unsigned char *q)
{
	uint64_t gap, group, ticks, events, what, calls;

	if (get_varint(f, &q, &gap) || get_varint(f, &q, &group) ||
	    get_varint(f, &q, &ticks) || get_varint(f, &q, &events) ||
	    get_varint(f, &q, &what) || get_varint(f, &q, &calls))
		return fail_unended(f);
	f->p = q;
	f->records++;
	begin_event(f, gap, 0);
	return tape_flow_block(f, group, ticks, events, what, calls);
}

/* The fields of an event, as the trace has them. */
static inline const unsigned char *decode_fields(const struct tape_flow *f,
						 unsigned class_,
						 const unsigned char *q,
						 union tape_fields *u, int same)
{
	const struct tape_layout *l = f->layout;

	if (__builtin_expect(l != NULL, 0) && l->of[class_].other)
		return tape_layout_decode(&l->of[class_], q, f->end, u, same);
	return tape_decode_fields(class_, q, f->end, u, same);
}

/* A mark whose record has the fields of its class. */
static int decode_mark(struct tape_flow *f, unsigned c, const unsigned char *q)
{
	struct tape_event *e = f->e;
	uint64_t gap;

	memset(&e->u, 0, sizeof e->u);
	if (get_varint(f, &q, &gap) ||
	    !(q = decode_fields(f, c, q, &e->u, 0)))
		return fail_unended(f);
	f->p = q;
	f->records++;
	begin_event(f, gap, 0);
	e->call = 0;
	e->class_ = (uint16_t)c;
	e->site = 0;
	e->alpha_before_ns = e->alpha_after_ns = 0;
	return 1;
}

/* The tallies of a flow that was not ended in order, one after the other. */
static int next_tally_event(struct tape_flow *f)
{
	const unsigned char *p;

	do {
		if (f->why != TAPE_END_NONE || f->next_tail >= f->n_tail)
			return 0;
		p = f->tail + TAIL_BYTES - TAPE_TALLY_BYTES * ++f->next_tail;
	} while (tape_flow_has_no_tally(f, tape_get64(p)));
	begin_event(f, 0, 0);
	return tape_flow_tally(f, p);
}

static int is_known_comm(struct tape_flow *f, uint32_t index)
{
	tape_follow_comm(f, index);
	return !index || (index < f->rank->info.n_comms &&
			  f->rank->comms[index].index);
}

static inline int is_failed_test(const struct tape_event *e)
{
	return tape_event_failed(e->class_, &e->u);
}

/* Makes the event a run of calls. */
static int set_run(struct tape_flow *f, uint64_t polls, uint64_t inside)
{
	struct tape_event *e = f->e;

	if (!is_failed_test(e) && e->class_ != TAPE_CLASS_PACK)
		return tape_flow_fail(f, TAPE_EFORMAT,
				      "merged calls of a call that is neither "
				      "a failed test nor a packing call");
	e->polls = polls;
	e->inside_ticks = inside;
	e->inside_ns = (int64_t)fmin((double)inside * f->tick_ns, TAPE_NS_MAX);
	return 0;
}

/* The constants of the event's class; extras and completions come later. */
static inline void set_alpha(struct tape_flow *f)
{
	struct tape_event *e = f->e;
	double n = (double)e->polls;
	uint64_t probe = 0;

	e->alpha_before_ns = tape_flow_before(f, e->class_);
	e->alpha_after_ns = tape_flow_after(f, e->class_);
	if (is_failed_test(e)) {
		e->alpha_before_ns = f->rank->poll_before * f->tick_ns;
		e->alpha_after_ns = f->rank->poll_after * f->tick_ns;
	}
	if (e->polls != 1) {
		e->alpha_before_ns = fmin(e->alpha_before_ns * n, TAPE_NS_MAX);
		e->alpha_after_ns = fmin(e->alpha_after_ns * n, TAPE_NS_MAX);
	}
	if (f->t->at[e->class_].probe >= 0) {
		memcpy(&probe, (const char *)&e->u + f->t->at[e->class_].probe,
		       sizeof probe);
		probe = tape_flow_probe_ticks(f, probe);
		e->alpha_before_ns +=
		    fmin((double)probe * f->tick_ns, TAPE_NS_MAX);
	}
	if (tape_event_saw_message(e))
		e->alpha_after_ns +=
		    f->rank->there[tape_arrival_index(e->class_)].usual *
		    f->tick_ns;
}

/* Where the receive of the event began. */
static inline void set_receive(struct tape_flow *f)
{
	struct tape_event *e = f->e;
	double ns;

	e->sr_ns = e->start_ns;
	if (e->class_ != TAPE_CLASS_SENDRECV)
		return;
	ns = (double)e->u.sendrecv.sr * f->tick_ns;
	e->sr_ns = ns < (double)e->inside_ns ? e->start_ns + (int64_t)ns
					     : e->end_ns;
}

/* The site of an event, defined and, with same, seen before; NULL: failed. */
static inline struct tape_site_state *find_site_state(struct tape_flow *f,
						      uint64_t site, int same)
{
	if ((site >= f->n_sites || !f->sites[site].call) &&
	    !tape_follow_site(f, site)) {
		tape_flow_fail(f, TAPE_EFORMAT, "undefined call site %llu",
			       (unsigned long long)site);
		return NULL;
	}
	if (same && !f->sites[site].seen) {
		tape_flow_fail(f, TAPE_EFORMAT,
			       "the first event of call site %llu refers to "
			       "one before it", (unsigned long long)site);
		return NULL;
	}
	return &f->sites[site];
}

/* Is the communicator among the fields a defined one? */
static inline int check_comm(struct tape_flow *f, unsigned class_,
			     const union tape_fields *u)
{
	uint32_t comm;

	if (f->t->at[class_].comm < 0)
		return 0;
	memcpy(&comm, (const char *)u + f->t->at[class_].comm, sizeof comm);
	if (is_known_comm(f, comm))
		return 0;
	return tape_flow_fail(f, TAPE_EFORMAT, "undefined communicator %u",
			      comm);
}

static int decode_event(struct tape_flow *f, uint64_t code,
			const unsigned char *q, uint64_t polls, uint64_t inside)
{
	struct tape_event *e = f->e;
	uint64_t site = (code - TAPE_CODE_SITE) / 2, gap, spent;
	int same = (int)((code - TAPE_CODE_SITE) & 1);
	struct tape_site_state *s;

	s = find_site_state(f, site, same);
	if (!s)
		return f->error;
	if (get_varint(f, &q, &gap) || get_varint(f, &q, &spent))
		return fail_unended(f);
	q = decode_fields(f, s->class_, q, &s->last, same);
	if (!q)
		return fail_unended(f);
	s->seen = 1;
	f->p = q;
	f->records++;
	begin_event(f, gap, spent);
	e->call = s->call;
	e->class_ = s->class_;
	e->site = (uint32_t)site;
	e->u = s->last;
	if (check_comm(f, s->class_, &e->u))
		return f->error;
	tape_follow_ids(f, s->call, s->class_, &e->u);
	if (polls && set_run(f, polls, inside))
		return f->error;
	set_alpha(f);
	if (f->rank->site_costs && f->rank->site_costs[site].known)
		tape_flow_set_place_cost(f, &f->rank->site_costs[site]);
	set_receive(f);
	if (tape_event_creates(s->class_, &e->u))
		e->request = TAPE_REQUEST(f->thread, ++f->requests);
	return 1;
}

static int decode_request(struct tape_flow *f, const unsigned char **q,
			  uint64_t *request)
{
	uint64_t v, n;

	if (get_varint(f, q, &v))
		return fail_unended(f);
	*request = 0;
	if (!v)
		return 0;
	if (v & 1) {
		if (get_varint(f, q, &n))
			return fail_unended(f);
		if (v >> 1 > 1000000 || !n || n >> TAPE_REQUEST_SHIFT)
			return tape_flow_fail(f, TAPE_EFORMAT,
					      "an invalid request number");
		*request = TAPE_REQUEST(v >> 1, n);
		return 0;
	}
	if (v / 2 > f->requests)
		return tape_flow_fail(f, TAPE_EFORMAT,
			    "a request that was never created");
	*request = TAPE_REQUEST(f->thread, f->requests - v / 2 + 1);
	return 0;
}

static int add_done(struct tape_flow *f, uint64_t code, const unsigned char *q)
{
	struct tape_event *e = f->e;
	struct done_list *l = f->list;
	struct tape_done d = { 0 }, *grown;
	uint64_t peer, tag, bytes, arrived;

	if (decode_request(f, &q, &d.request))
		return f->error;
	d.kind = code == TAPE_CODE_DONE_RECV   ? TAPE_DONE_RECV
		 : code == TAPE_CODE_CANCELLED ? TAPE_DONE_CANCELLED
					       : TAPE_DONE_REQUEST;
	d.arrived = 2;
	if (code == TAPE_CODE_DONE_RECV) {
		if (get_varint(f, &q, &peer) || get_varint(f, &q, &tag) ||
		    get_varint(f, &q, &bytes) || get_varint(f, &q, &arrived))
			return fail_unended(f);
		if (peer > UINT32_MAX || tag > UINT32_MAX || arrived > 2)
			return tape_flow_fail(f, TAPE_EFORMAT,
					      "a value out of range");
		d.peer = tape_unzigzag(peer);
		d.tag = tape_unzigzag(tag);
		d.bytes = bytes;
		d.arrived = (uint32_t)arrived;
	}
	if (e->n_done == TAPE_DONE_MAX)
		return tape_flow_fail(f, TAPE_EFORMAT,
				      "too many requests done by one event");
	grown = tape_grow_array(l->done, &l->room, l->n + 1, sizeof *grown);
	if (!grown)
		return tape_flow_no_memory(f);
	l->done = grown;
	l->done[l->n++] = d;
	e->n_done++;
	f->p = q;
	f->records++;
	return 0;
}

/* Failed tests at a second call site belong to the run. */
static int set_second_site(struct tape_flow *f, uint64_t site, uint64_t count,
			   const union tape_fields *u)
{
	struct tape_event *e = f->e;
	const struct tape_site_state *s = &f->sites[site];
	double n = (double)count * f->tick_ns;

	if (e->also_polls || !count || !is_failed_test(e) ||
	    !tape_event_failed(s->class_, u))
		return tape_flow_fail(f, TAPE_EFORMAT,
				      "a second call site of an event that is "
				      "not merged failed tests");
	e->also_polls = count;
	e->also_site = (uint32_t)site;
	e->also_call = s->call;
	e->also_class = s->class_;
	e->also = *u;
	e->alpha_before_ns = fmin(e->alpha_before_ns +
				  f->rank->poll_before * n, TAPE_NS_MAX);
	e->alpha_after_ns = fmin(e->alpha_after_ns + f->rank->poll_after * n,
				 TAPE_NS_MAX);
	return 0;
}

static int decode_also(struct tape_flow *f, const unsigned char *q)
{
	uint64_t which, site, count;
	struct tape_site_state *s;

	if (get_varint(f, &q, &which) || get_varint(f, &q, &count))
		return fail_unended(f);
	site = which / 2;
	s = find_site_state(f, site, (int)(which & 1));
	if (!s)
		return f->error;
	q = decode_fields(f, s->class_, q, &s->last, (int)(which & 1));
	if (!q)
		return fail_unended(f);
	s->seen = 1;
	f->p = q;
	f->records++;
	if (check_comm(f, s->class_, &s->last))
		return f->error;
	return set_second_site(f, site, count, &s->last);
}

/* What the counters counted; several records add up. */
static int decode_counts(struct tape_flow *f, const unsigned char *q)
{
	struct tape_count sum[TAPE_COUNTERS_MAX];
	struct tape_event *e = f->e;
	int unknown;

	memcpy(sum, e->counts, e->n_counts * sizeof *sum);
	q = tape_get_counts(q, f->end, sum, e->n_counts, &unknown);
	if (unknown)
		return tape_flow_fail(f, TAPE_EFORMAT, "an undefined counter");
	if (!q)
		return fail_unended(f);
	for (uint32_t k = 0; !e->call && k < e->n_counts; k++)
		if (sum[k].inside)
			return tape_flow_fail(
			    f, TAPE_EFORMAT,
			    "a marker event with counters inside");
	memcpy(e->counts, sum, e->n_counts * sizeof *sum);
	f->p = q;
	f->records++;
	return 0;
}

/* The records that belong to the event just read. */
static int decode_attached(struct tape_flow *f)
{
	struct tape_event *e = f->e;
	unsigned code = 0;
	uint64_t a, b;
	int rc;

	while ((rc = peek_code(f, &code)) == 1) {
		const unsigned char *q = f->p + 1;

		if (code == TAPE_CODE_DONE || code == TAPE_CODE_DONE_RECV ||
		    code == TAPE_CODE_CANCELLED) {
			if ((rc = add_done(f, code, q)))
				break;
			continue;
		}
		if (code == TAPE_CODE_ALSO) {
			if ((rc = decode_also(f, q)))
				break;
			continue;
		}
		if (code == TAPE_CODE_COUNTS) {
			if ((rc = decode_counts(f, q)))
				break;
			continue;
		}
		if (code != TAPE_CODE_ALPHA && code != TAPE_CODE_BOUNDS)
			return 0;
		if (get_varint(f, &q, &a) || get_varint(f, &q, &b)) {
			rc = fail_unended(f);
			break;
		}
		f->p = q;
		f->records++;
		if (code == TAPE_CODE_ALPHA) {
			tape_flow_add_alpha(f, a, b);
		} else {
			f->earlier_ns = (int64_t)(a & INT64_MAX);
			f->later_ns = (int64_t)(b & INT64_MAX);
			e->earlier_ns = f->earlier_ns;
			e->later_ns = f->later_ns;
		}
	}
	return rc;
}

static int decode_end(struct tape_flow *f, const unsigned char *q)
{
	uint64_t why, lost;

	if (get_varint(f, &q, &why) || get_varint(f, &q, &lost))
		return fail_unended(f);
	if (why < TAPE_END_FINALIZE || why > TAPE_END_ERROR)
		return tape_flow_fail(f, TAPE_EFORMAT, "an unknown end reason");
	f->p = q;
	f->records++;
	f->why = (enum tape_end)why;
	f->lost = lost;
	if ((f->p != f->end || f->near < f->end) && !f->is_open)
		return tape_flow_fail(f, TAPE_EFORMAT, "records after the end");
	if (tape_flow_end_chunk(f))
		return f->error;
	f->finished = 1;
	f->end = f->near = f->p;
	return 0;
}

/* The run that the process died in, once. */
static int finish_open_run(struct tape_flow *f)
{
	struct tape_chunk *c = &f->head;
	struct tape_event *e = f->e;
	uint64_t polls = c->poll_count;

	if (!f->is_open || !polls || c->poll_start < f->last ||
	    c->poll_end < c->poll_start || f->why != TAPE_END_NONE)
		return 0;
	c->poll_count = 0;
	tape_follow_site(f, c->poll_site);
	if (c->poll_site >= f->n_sites || !f->sites[c->poll_site].call)
		return tape_flow_fail(f, TAPE_EFORMAT,
				      "undefined call site %llu",
				      (unsigned long long)c->poll_site);
	begin_event(f, c->poll_start - f->last, c->poll_end - c->poll_start);
	e->call = f->sites[c->poll_site].call;
	e->class_ = f->sites[c->poll_site].class_;
	e->site = (uint32_t)c->poll_site;
	memset(&e->u, 0, sizeof e->u);
	if (set_run(f, polls, c->poll_inside))
		return f->error;
	set_alpha(f);
	set_receive(f);
	if (e->class_ == TAPE_CLASS_PACK) {
		e->u.pack.bytes = c->also_count;
	} else if (c->also_count) {
		tape_follow_site(f, c->also_site);
		if (c->also_site >= f->n_sites || !f->sites[c->also_site].call)
			return tape_flow_fail(f, TAPE_EFORMAT,
					      "undefined call site %u",
					      c->also_site);
		if (set_second_site(f, c->also_site, c->also_count, &e->u))
			return f->error;
	}
	tape_flow_set_alpha_within(f);
	return 1;
}

/* The next event to f->e: as tape_flow_next. */
int tape_flow_read(struct tape_flow *f)
{
	const unsigned char *q;
	uint64_t code = 0, polls = 0, inside = 0;
	unsigned first = 0;
	int rc;

	if (f->error)
		return f->error;
	if ((rc = peek_code(f, &first)) <= 0)
		return rc			   ? rc
		       : (rc = finish_open_run(f)) ? rc
						   : next_tally_event(f);
	q = f->p;
	if (get_code(f, &q, &code))
		return fail_unended(f);
	if (code == TAPE_CODE_POLL) {
		if (get_varint(f, &q, &polls) || get_varint(f, &q, &inside) ||
		    get_code(f, &q, &code))
			return fail_unended(f);
		if (code < TAPE_CODE_SITE || !polls)
			return tape_flow_fail(f, TAPE_EFORMAT,
					      "merged calls without the call");
	}
	if (code >= TAPE_CODE_SITE)
		rc = decode_event(f, code, q, polls, inside);
	else if ((code >= TAPE_CODE_ENTER && code <= TAPE_CODE_ON) ||
		 code == TAPE_CODE_THREAD)
		rc = decode_marker(f, code, q);
	else if (code == TAPE_CODE_COUNTED)
		rc = decode_counted(f, q);
	else if (code == TAPE_CODE_BLOCK)
		rc = decode_block(f, q);
	else if (code == TAPE_CODE_PROCESSOR)
		rc = decode_mark(f, TAPE_CLASS_PROCESSOR, q);
	else if (code == TAPE_CODE_PTHREAD)
		rc = decode_mark(f, TAPE_CLASS_PTHREAD, q);
	else if (code == TAPE_CODE_END)
		return decode_end(f, q);
	else
		return tape_flow_fail(
		    f, TAPE_EFORMAT,
		    "a record of code %llu is not allowed here",
		    (unsigned long long)code);
	if (rc < 0)
		return rc;
	/* the next call returns an error in what follows */
	decode_attached(f);
	if (f->e->polls + f->e->also_polls != 1)
		tape_flow_set_alpha_within(f);
	if (f->e->n_done > 1)
		f->e->alpha_after_ns += (double)(f->e->n_done - 1) *
					f->rank->done_after * f->tick_ns;
	return 1;
}

int tape_flow_next(struct tape_flow *f, const struct tape_event **out)
{
	int rc;

	/* the complete event, so that the caller may copy the structure */
	if (!f->own && !(f->own = calloc(1, sizeof *f->own)))
		return f->error = TAPE_ENOMEM;
	f->e = f->own;
	f->list = &f->own_done;
	f->list->n = 0;
	*out = f->e;
	rc = tape_flow_read(f);
	f->own->done = f->own_done.done;
	return rc;
}
