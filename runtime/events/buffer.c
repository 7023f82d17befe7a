/* Records of a flow; see buffer.h. */
#include <string.h>

#include "back_pressure.h"
#include "blocks.h"
#include "buffer.h"
#include "counters.h"
#include "define.h"
#include "dropped_requests.h"
#include "dropped_events.h"
#include "own_stack.h"
#include "processor.h"
#include "rate_limit.h"
#include "sink.h"
#include "window.h"

struct change {
	struct tape_flow *f;
	int whole; /* an event follows, not more of one that has been put */
};

/* The next chunk, and whatever is to be done for it to be in the file. */
static void change_chunk(struct tape_flow *f, int whole)
{
	enum tape_end why;
	enum tape_back back;

	/* what belongs to an event is dropped with it */
	if (f->gap && !whole) {
		tape_gap_continue(f);
		return;
	}
	tape_counters_pause(f);
	back = tape_back_reserve(f, tape_output_needs(f));
	tape_counters_resume(f);
	if (back == TAPE_BACK_FULL && f->gap) {
		tape_gap_continue(f);
		return;
	}
	if (back == TAPE_BACK_FULL && !tape_gap_begin(f))
		return;
	if (f->gap)
		tape_gap_leave(f);
	else
		tape_rate_check(f);
	why = back == TAPE_BACK_STOP ? TAPE_END_ERROR : tape_output_chunk(f);
	if (f->gap && !why)
		tape_gap_put_marks(f);
	else if (f->gap)
		tape_gap_discard(f);
	if (why)
		tape_buffer_stop(f, why);
	else if (f == tape_own)
		tape_processor_chunk(f);
}

static void change_unclosed_chunk(void *change)
{
	struct change *c = change;

	/* nobody closes the flow meanwhile */
	__atomic_store_n(&c->f->moving, 1, __ATOMIC_SEQ_CST);
	change_chunk(c->f, c->whole);
	__atomic_store_n(&c->f->moving, 0, __ATOMIC_RELEASE);
}

static int next_chunk(struct tape_flow *f, int whole)
{
	struct change c = {f, whole};

	if (f->p < tape_chunk_limit(f))
		return 0;
	tape_run_on_own_stack(change_unclosed_chunk, &c);
	return f->end ? -1 : 0;
}

/* Were the last event's fields at the site these? Now they are. */
static int update_last_fields(struct tape_flow *f, uint32_t site,
			      uint32_t class_, const union tape_fields *fields)
{
	struct tape_site_state *s = &f->sites[site];
	int same = s->seen && tape_same_fields(class_, &s->last, fields);

	s->last = *fields;
	s->seen = 1;
	return same;
}

/* The second call site of the run whose record was just put. */
static void put_second_site(struct tape_flow *f)
{
	int same =
	    update_last_fields(f, f->also_site, f->also_class, &f->also_fields);
	unsigned char *q, first;

	q = tape_code_rest(f->p, TAPE_CODE_ALSO, &first);
	q = tape_put_varint(q, 2 * (uint64_t)f->also_site + (unsigned)same);
	q = tape_put_varint(q, f->also_count);
	q = tape_encode_fields(f->also_class, q, &f->also_fields, same);
	tape_publish(f, q, first);
	f->also_count = 0;
	tape_put64(f->chunk + TAPE_CHUNK_ALSO, 0);
}

/* Turns the pending run into a record of the chunk. */
static int end_run(struct tape_flow *f)
{
	int same =
	    update_last_fields(f, f->poll_site, f->poll_class, &f->poll_fields);
	uint64_t code = TAPE_CODE_SITE + 2 * (uint64_t)f->poll_site +
			(unsigned)same;
	uint64_t gap, spent;
	unsigned char *q, first;

	f->limit = tape_chunk_limit(f);
	if (next_chunk(f, 1))
		return -1;
	gap = tape_gap(f, f->poll_start);
	spent = f->poll_end - f->poll_start;
	q = f->p;
	if (f->poll_count > 1) {
		q = tape_code_rest(q, TAPE_CODE_POLL, &first);
		q = tape_put_varint(q, f->poll_count);
		q = tape_put_varint(q, f->poll_inside);
		q = tape_put_varint(q, code);
	} else {
		q = tape_code_rest(q, code, &first);
	}
	q = tape_put_varint(q, gap);
	q = tape_put_varint(q, spent);
	q = tape_encode_fields(f->poll_class, q, &f->poll_fields, same);
	tape_publish(f, q, first);
	f->last += gap + spent;
	f->events++;
	f->poll_count = 0;
	tape_put64(f->chunk + TAPE_CHUNK_POLL, 0);
	if (f->poll_way) /* its bytes were there */
		tape_put64(f->chunk + TAPE_CHUNK_ALSO, 0);
	if (f->also_count)
		put_second_site(f);
	if (f->poll_before | f->poll_after) {
		uint64_t before = f->extra_before, after = f->extra_after;
		uint64_t noted = f->noted_after;

		f->extra_before = f->poll_before;
		f->extra_after = f->poll_after;
		tape_buffer_alpha(f);
		f->extra_before = before;
		f->extra_after = after;
		/* of calls before this event */
		f->noted_after = noted;
	}
	if (f->counting.n)
		tape_counters_store(f, f->counting.run);
	return 0;
}

/* Something is only counted from here on; calls: how often it was so far. */
static void put_counted(struct tape_flow *f, uint64_t what, uint64_t rate,
			uint64_t calls, uint64_t ticks)
{
	unsigned char *q, first;

	q = tape_code_rest(f->p, TAPE_CODE_COUNTED, &first);
	/* dated with the event before it: one is in progress */
	q = tape_put_varint(q, 0);
	q = tape_put_varint(q, what);
	q = tape_put_varint(q, rate);
	q = tape_put_varint(q, calls);
	q = tape_put_varint(q, ticks);
	tape_publish(f, q, first);
	f->events++;
}

/* Where the next record has to look whether there is room. */
static unsigned char *limit_of(const struct tape_flow *f)
{
	unsigned char *limit = tape_chunk_limit(f);

	return tape_process.config.max_rate && !f->gap && !f->filed &&
			       f->rate_look < limit
		       ? f->rate_look
		       : limit;
}

/* whole: an event will follow, so that a record of its own may stand here. */
static int make_record_room(struct tape_flow *f, int whole)
{
	uint64_t t0 = tape_tick();
	int rc = 0;

	if (!f->self)
		return -1;
	if (f->broken) {
		tape_buffer_stop(f, TAPE_END_ERROR);
		return -1;
	}
	if (TAPE_UNLIKELY(f->skip_left != 0))
		tape_blocks_cut(f);
	if (f->poll_count)
		rc = end_run(f);
	if (!rc)
		rc = next_chunk(f, whole);
	if (!rc && tape_process.config.max_rate && f->p >= f->rate_look &&
	    !f->gap && !f->filed)
		tape_rate_check(f);
	if (!rc && f->due && whole && !f->gap &&
	    f->p <= tape_chunk_limit(f) - 2 * TAPE_TALLY_BYTES) {
		tape_rate_begin_counting(f);
		put_counted(f, f->due, f->due_rate, 0, 0);
		f->due = 0;
	}
	if (!rc)
		f->limit = f->due || f->broken ? NULL : limit_of(f);
	if (!rc && f->limit && tape_process.blocks && !f->gap)
		tape_blocks_turn(f, whole);
	if (!rc && TAPE_UNLIKELY(tape_process.sink != NULL))
		tape_sink_pace(f);
	f->extra_after += tape_tick() - t0;
	return rc;
}

int tape_buffer_room(struct tape_flow *f)
{
	return make_record_room(f, 1);
}

int tape_buffer_return(struct tape_flow *f, uint32_t k, uint64_t tick)
{
	uint64_t calls, what;

	if (f->gap || f->broken || f->end || !f->self ||
	    !tape_rate_may_return(f, k, tick))
		return 0;
	tape_buffer_end_run(f);
	if (f->gap || f->broken || f->end || !f->self)
		return 0;
	what = tape_tally(f, k, &calls);
	put_counted(f, what, 0, calls, tape_tally_ticks(f, k));
	tape_rate_end_counting(f, k);
	f->extra_before += tape_tick() - tick;
	return 1;
}

int tape_buffer_room_within(struct tape_flow *f)
{
	int rc = make_record_room(f, 0);

	if (rc)
		return rc;
	/* the event's own record of it has been put; all since came after */
	f->extra_after += f->extra_before;
	f->extra_before = 0;
	tape_buffer_alpha(f);
	return 0;
}

void tape_buffer_end_run(struct tape_flow *f)
{
	make_record_room(f, 0);
	f->extra_before += f->extra_after;
	f->extra_after = 0;
}

void tape_buffer_alpha(struct tape_flow *f)
{
	unsigned char *q, first;

	/* in the chunk of its event: the limit leaves room for it */
	q = tape_code_rest(f->p, TAPE_CODE_ALPHA, &first);
	q = tape_put_varint(q, f->extra_before);
	q = tape_put_varint(q, f->extra_after);
	tape_publish(f, q, first);
	f->noted_after += f->extra_after;
	f->extra_before = f->extra_after = 0;
}

/*
 * A loop over two call sites tests each in turn: the second joins a run that
 * is young, and stays in it while it does not come more often than the first.
 */
static int joins_pending_run(const struct tape_flow *f, uint32_t site,
			     uint32_t class_, const union tape_fields *fields)
{
	if (!f->poll_count || f->poll_way || site == f->poll_site)
		return 0;
	if (!f->also_count)
		return f->poll_count <= 2;
	return site == f->also_site && f->also_count <= f->poll_count &&
	       tape_same_fields(class_, &f->also_fields, fields);
}

/* A run begins at the call that starts then, ends the one before it. */
static int begin_run(struct tape_flow *f, uint32_t site, uint32_t class_,
		     uint32_t way, uint64_t start)
{
	unsigned char *h;

	if (f->p >= f->limit && tape_buffer_room(f))
		return -1;
	f->poll_site = site;
	f->poll_class = class_;
	f->poll_way = way;
	f->poll_start = start;
	f->poll_count = f->poll_inside = f->poll_before = f->poll_after = 0;
	f->limit = NULL; /* the next record ends the run first */
	h = f->chunk + TAPE_CHUNK_POLL;
	tape_put64(h + 8, site);
	tape_put64(h + 16, start);
	return 0;
}

int tape_buffer_sum(struct tape_flow *f, uint32_t site, uint32_t class_,
		    uint32_t way, uint64_t start)
{
	if (begin_run(f, site, class_, way, start))
		return -1;
	memset(&f->poll_fields, 0, sizeof f->poll_fields);
	return 0;
}

int tape_buffer_poll(struct tape_flow *f, uint32_t site, uint32_t class_,
		     uint64_t start, uint64_t end,
		     const union tape_fields *fields)
{
	if (joins_pending_run(f, site, class_, fields)) {
		if (!f->also_count) {
			f->also_site = site;
			f->also_class = class_;
			f->also_fields = *fields;
			tape_put32(f->chunk + TAPE_CHUNK_ALSO + 8, site);
		}
		tape_poll_more(f, start, end, &f->also_count, TAPE_CHUNK_ALSO);
		return 1;
	}
	if (begin_run(f, site, class_, 0, start))
		return -1;
	f->poll_fields = *fields;
	return 0;
}

/* A block may begin at it: which way it goes. */
static TAPE_COLD int room_for_mark(struct tape_flow *f, enum tape_code code)
{
	int rc;

	f->blocks.step = (code == TAPE_CODE_ENTER) - (code == TAPE_CODE_LEAVE);
	f->marking = 1;
	rc = tape_buffer_room(f);
	f->marking = 0;
	f->blocks.step = 0;
	return rc;
}

void tape_buffer_mark(struct tape_flow *f, enum tape_code code, uint32_t what)
{
	uint64_t now, gap;
	unsigned char *q, first;

	if (TAPE_UNLIKELY(f->counting.n != 0))
		tape_counters_enter(f);
	now = tape_tick();
	if (TAPE_UNLIKELY(f->p >= f->limit) && room_for_mark(f, code)) {
		f->lost++;
		return;
	}
	gap = tape_gap(f, now);
	q = tape_code_rest(f->p, code, &first);
	q = tape_put_varint(q, gap);
	if (code == TAPE_CODE_ENTER || code == TAPE_CODE_LEAVE ||
	    code == TAPE_CODE_THREAD)
		q = tape_put_varint(q, what);
	tape_publish(f, q, first);
	f->last += gap;
	f->events++;
	if (f->extra_before | f->extra_after)
		tape_buffer_alpha(f);
	if (TAPE_UNLIKELY(f->counting.n != 0))
		tape_buffer_counts(f);
}

void tape_buffer_processor(struct tape_flow *f, uint64_t tick,
			   const struct tape_processor *counts)
{
	unsigned char *q, first;
	uint64_t gap;

	/* what that takes is after tick: the caller has it already */
	if (tape_buffer_room(f))
		return;
	f->extra_after = 0;
	gap = tape_gap(f, tick);
	q = tape_code_rest(f->p, TAPE_CODE_PROCESSOR, &first);
	q = tape_put_varint(q, gap);
	q = tape_encode_processor(q, counts, 0);
	tape_publish(f, q, first);
	f->last += gap;
	f->events++;
	if (f->extra_before)
		tape_buffer_alpha(f);
}

void tape_buffer_pthread(struct tape_flow *f, enum tape_thread_step step,
			 uint64_t which)
{
	const struct tape_pthread fields = { .step = step, .which = which };
	unsigned char *q, first;
	uint64_t now, gap;

	if (!f->window || f->end || f->gap || f->filed || tape_buffer_room(f))
		return;
	now = tape_tick();
	gap = tape_gap(f, now);
	q = tape_code_rest(f->p, TAPE_CODE_PTHREAD, &first);
	q = tape_put_varint(q, gap);
	q = tape_encode_pthread(q, &fields, 0);
	tape_publish(f, q, first);
	f->last += gap;
	f->events++;
	f->extra_after += tape_tick() - now;
	tape_buffer_alpha(f);
}

void tape_buffer_end(struct tape_flow *f, enum tape_end reason)
{
	unsigned char *q, first;

	if (f->broken) { /* from there on nothing is in the file */
		f->p = f->broken;
		f->lost += f->events - f->broken_events;
		f->events = f->broken_events;
	}
	if (f->skip_left && !f->broken)
		tape_blocks_cut(f);
	/* the limit leaves room for a pending run and for this */
	if (f->poll_count && !f->broken && f->p < tape_chunk_limit(f))
		end_run(f);
	for (uint32_t k = 0; k < f->tallies && !f->broken; k++) {
		uint64_t calls, what = tape_tally(f, k, &calls);

		if (what)
			put_counted(f, what, 0, calls,
				    tape_tally_ticks(f, k));
	}
	q = tape_code_rest(f->p, TAPE_CODE_END, &first);
	q = tape_put_varint(q, reason);
	f->end_record = q;
	/* the count of lost events, ten bytes wide: it is set at the very end */
	for (int i = 0; i < 9; i++)
		*q++ = 0x80;
	*q++ = 0;
	tape_publish(f, q, first);
	f->end = reason;
}

/* The request as the record refers to it; see record.h. */
static unsigned char *put_reference(const struct tape_flow *f, unsigned char *q,
				    uint64_t request)
{
	uint64_t thread = request >> TAPE_REQUEST_SHIFT;
	uint64_t n = request & (((uint64_t)1 << TAPE_REQUEST_SHIFT) - 1);
	uint64_t known = f->requests;

	if (TAPE_UNLIKELY(tape_process.gapped)) {
		n = tape_request_known(f, thread, n);
		known = tape_requests_known(f);
	}
	if (!request || !n)
		return tape_put_varint(q, 0);
	if (thread == (uint64_t)f->thread)
		return tape_put_varint(q, 2 * (known - n + 1));
	q = tape_put_varint(q, 2 * thread + 1);
	return tape_put_varint(q, n);
}

void tape_buffer_done(struct tape_flow *f, enum tape_code code,
		      uint64_t request, int32_t peer, int32_t tag,
		      uint64_t bytes, uint32_t arrived)
{
	unsigned char *q, first;

	if (!f->self || (f->p >= f->limit && tape_buffer_room_within(f)))
		return;
	q = tape_code_rest(f->p, code, &first);
	q = put_reference(f, q, request);
	if (code == TAPE_CODE_DONE_RECV) {
		q = tape_put_varint(q, tape_zigzag(peer));
		q = tape_put_varint(q, tape_zigzag(tag));
		q = tape_put_varint(q, bytes);
		q = tape_put_varint(q, arrived);
	}
	tape_publish(f, q, first);
}

void tape_buffer_stop(struct tape_flow *f, enum tape_end reason)
{
	if (f->end)
		return;
	tape_buffer_end(f, reason);
	f->self = NULL;
	f->limit = NULL;
	if (reason == TAPE_END_FULL || reason == TAPE_END_LIMIT ||
	    reason == TAPE_END_ERROR)
		tape_define("note stopped-after-%llu-events\n",
			    (unsigned long long)f->events);
	if (tape_own == f)
		tape_current = NULL;
}

void tape_buffer_counts(struct tape_flow *f)
{
	struct tape_counting *c = &f->counting;

	if (f->end)
		return;
	if (!f->poll_count) {
		/* what the event completed may have filled the chunk */
		if (f->p < f->limit || !tape_buffer_room_within(f))
			tape_counters_store(f, c->event);
		return;
	}
	for (uint32_t k = 0; k < c->n; k++) {
		c->run[k].before += c->event[k].before;
		c->run[k].inside += c->event[k].inside;
	}
}
