/*
 * Messages in parts (MPI-4.0, 4.2): requests that are started again and again,
 * as persistent ones, and match no other messages. Those of one communicator,
 * tag and pair of processes match in the order of the calls that created them
 * (4.2.2), once and for all. A message is sent when its last part is ready.
 * See outstanding.h.
 */
#include <stdlib.h>

#include "hash_bits.h"
#include "outstanding.h"

/* How many of the same kind there were before; -1: out of memory. */
static int64_t count_before(struct shared *s, const struct tape_psend *u,
			    int sends)
{
	struct tape_parts *p;

	for (size_t i = 0; i < s->n_parts; i++) {
		p = &s->parts[i];
		if (p->comm == u->comm && p->peer == u->peer &&
		    p->tag == u->tag && p->sends == sends)
			return (int64_t)p->n++;
	}
	p = realloc(s->parts, (s->n_parts + 1) * sizeof *p);
	if (!p)
		return -1;
	s->parts = p;
	p[s->n_parts++] = (struct tape_parts){ u->comm, u->peer, u->tag, sends,
					       1 };
	return 0;
}

int tape_ops_parts_init(struct tape_ops *o, const struct tape_psend *u,
			int sends)
{
	struct tape_request *r = tape_ops_create(o);
	int64_t before = r ? count_before(o->s, u, sends) : -1;

	if (before < 0)
		return TAPE_ENOMEM;
	r->is_send = (uint8_t)sends;
	r->is_recv = (uint8_t)!sends;
	r->persistent = 1;
	r->bytes = u->bytes;
	r->comm = u->comm;
	r->peer = u->peer;
	r->tag = u->tag;
	r->parts = u->parts;
	/* never 0 */
	r->channel = tape_spread_bits((uint64_t)before + 1);
	return 0;
}
