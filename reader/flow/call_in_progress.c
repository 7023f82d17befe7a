/* The call that a flow is in; see tape_call_in_progress.h. */
#include <string.h>

#include "flow.h"
#include "tape_call_in_progress.h"

/* Offset in the slot where the records of the open chunk end. */
static size_t get_records_end(const struct tape_flow *f)
{
	return f->base + (size_t)(f->p - f->chunk);
}

static int32_t get_number(const struct tape_flow *f, unsigned at)
{
	return (int32_t)tape_get32(f->call + at);
}

static void set_message(const struct tape_flow *f,
			struct tape_call_in_progress *c)
{
	c->peer = get_number(f, TAPE_CALL_PEER);
	c->tag = get_number(f, TAPE_CALL_TAG);
}

static void set_requests(const struct tape_flow *f,
			 struct tape_call_in_progress *c)
{
	c->n = tape_get32(f->call + TAPE_CALL_N);
	for (uint32_t i = 0; i < TAPE_CALL_REQUESTS_MAX && i < c->n; i++) {
		uint64_t q = tape_get64(f->call + TAPE_CALL_REQUESTS + 8 * i);

		if (!q)
			break;
		c->requests[c->n_requests++] = q;
	}
}

/* The fields that the class of the call has. */
static void set_operands(const struct tape_flow *f,
			 struct tape_call_in_progress *c)
{
	uint64_t amount = tape_get64(f->call + TAPE_CALL_AMOUNT);

	switch (c->class_) {
	case TAPE_CLASS_WAIT:
		set_requests(f, c);
		return;
	case TAPE_CLASS_SENDRECV:
		c->rpeer = get_number(f, TAPE_CALL_RPEER);
		c->rtag = get_number(f, TAPE_CALL_RTAG);
		c->bytes = amount;
		break;
	case TAPE_CLASS_SEND:
		c->bytes = amount;
		break;
	case TAPE_CLASS_COLL:
		c->elements = amount;
		break;
	default:
		break;
	}
	set_message(f, c);
	c->comm = tape_get32(f->call + TAPE_CALL_COMM);
	if (c->comm >= f->rank->info.n_comms ||
	    !f->rank->info.comms[c->comm].index)
		c->comm = 0;
}

/*
 * The time of a tick after the last event. The map of a trace that is followed
 * may have got pieces since.
 */
static int64_t get_timestamp(const struct tape_flow *f, uint64_t tick)
{
	const struct tape_clock_piece *p = &f->pieces[f->piece];
	const struct tape_domain *d = &f->t->domains[f->rank->info.domain];

	if (f->t->follow && d->info.n_pieces) {
		p = &d->pieces[d->info.n_pieces - 1];
		while (p > d->pieces && p->tick0 > tick)
			p--;
	}
	return tape_piece_timestamp(p, tick);
}

int tape_flow_call_in_progress(const struct tape_flow *f,
			       struct tape_call_in_progress *c)
{
	uint32_t site;

	memset(c, 0, sizeof *c);
	c->peer = c->rpeer = -1;
	if (!f->has_call || !f->is_open || f->error ||
	    (f->t->follow && !f->finished) || f->why != TAPE_END_NONE ||
	    !f->p ||
	    get_records_end(f) != tape_get32(f->call + TAPE_CALL_POSITION))
		return 0;
	site = tape_get32(f->call + TAPE_CALL_SITE);
	if (site >= f->rank->info.n_sites || !f->rank->sites[site].call)
		return 0;
	c->slot = f->at;
	memcpy(c->stored, f->call, TAPE_CALL_BYTES);
	c->site = site;
	c->call = f->rank->sites[site].call;
	c->class_ = (uint16_t)tape_call_class(c->call);
	c->start_tick = tape_get64(f->call + TAPE_CALL_START);
	if (c->start_tick < f->last)
		c->start_tick = f->last;
	c->start_ns = get_timestamp(f, c->start_tick);
	if (c->start_ns < f->last_ns)
		c->start_ns = f->last_ns;
	set_operands(f, c);
	return 1;
}

int tape_flow_call_is_current(struct tape_flow *f,
			      const struct tape_call_in_progress *c)
{
	uint32_t position = tape_get32(c->stored + TAPE_CALL_POSITION);
	unsigned char head[TAPE_CHUNK_HEADER], next = 1;
	unsigned char stored[TAPE_CALL_BYTES];
	struct tape_chunk chunk;

	if (position >= TAPE_CHUNK_CALL ||
	    tape_flow_fetch(f, c->slot, head, sizeof head) !=
		(ssize_t)sizeof head ||
	    tape_flow_fetch(f, c->slot + TAPE_CHUNK_CALL, stored,
			    sizeof stored) != (ssize_t)sizeof stored ||
	    tape_flow_fetch(f, c->slot + position, &next, 1) != 1)
		return 0;
	tape_chunk_get(head, &chunk);
	return !chunk.used && !next &&
	       !memcmp(stored, c->stored, sizeof stored);
}

int tape_call_is_current(struct tape_trace *t, size_t flow,
			 const struct tape_call_in_progress *c)
{
	struct tape_flow *f;
	int is_current;

	if (tape_flow_open(t, flow, &f))
		return 0;
	is_current = tape_flow_call_is_current(f, c);
	tape_flow_close(f);
	return is_current;
}
