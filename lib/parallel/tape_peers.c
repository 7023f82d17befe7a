/* Records between processes; see tape_peers.h. */
#include <stdlib.h>
#include <string.h>

#include "tape_peers.h"
#include "growing_array.h"
#include "tape_follow.h"

/* In front of each record. */
struct head {
	uint32_t kind, bytes;
};
_Static_assert(sizeof(struct head) == TAPE_PEERS_HEAD, "see tape_peers.h");

int tape_peers_partition(struct tape_peers *p, const struct tape_trace *t)
{
	size_t ranks = tape_trace_ranks(t), flows = tape_trace_flows(t);
	int *owner = realloc(p->owner, (ranks + 1) * sizeof *owner);
	double all = 0, before = 0;

	if (!owner)
		return TAPE_ENOMEM;
	p->owner = owner;
	for (size_t r = 0; tape_trace_followed(t) && r < ranks; r++)
		owner[r] = (int)(r * (size_t)p->n / ranks);
	if (tape_trace_followed(t))
		return 0;
	for (size_t i = 0; i < flows; i++)
		all += (double)tape_trace_flow_bytes(t, i) + 1;
	for (size_t r = 0, i = 0; r < ranks; r++) {
		double own = 0;

		for (; i < flows && tape_trace_flow(t, i)->rank <= (int)r; i++)
			own += (double)tape_trace_flow_bytes(t, i) + 1;
		/* whose part the middle of it is in */
		owner[r] = (int)((before + own / 2) / (all + 1) * p->n);
		before += own;
	}
	return 0;
}

int tape_bytes_put(struct tape_bytes *b, unsigned kind, const void *data,
		   size_t bytes)
{
	struct head h = {kind, (uint32_t)bytes};
	char *grown =
	    tape_grow_array(b->at, &b->room, b->n + sizeof h + bytes, 1);

	if (!grown)
		return TAPE_ENOMEM;
	b->at = grown;
	memcpy(b->at + b->n, &h, sizeof h);
	if (bytes)
		memcpy(b->at + b->n + sizeof h, data, bytes);
	b->n += sizeof h + bytes;
	return 0;
}

int tape_peers_put(struct tape_peers *p, int to, unsigned kind,
		   const void *data, size_t bytes)
{
	return tape_bytes_put(&p->out[to], kind, data, bytes);
}

const void *tape_bytes_next(const struct tape_bytes *b, size_t *at,
			    unsigned *kind, size_t *bytes)
{
	const char *data;
	struct head h;

	if (b->n - *at < sizeof h)
		return NULL;
	memcpy(&h, b->at + *at, sizeof h);
	if (h.bytes > b->n - *at - sizeof h)
		return NULL;
	data = b->at + *at + sizeof h;
	*at += sizeof h + h.bytes;
	*kind = h.kind;
	*bytes = h.bytes;
	return data;
}

const void *tape_peers_next(const struct tape_peers *p,
			    struct tape_peers_at *at, unsigned *kind,
			    size_t *bytes)
{
	const void *data;

	for (; at->from < p->n; at->from++, at->byte = 0) {
		data =
		    tape_bytes_next(&p->in[at->from], &at->byte, kind, bytes);
		if (data)
			return data;
	}
	return NULL;
}
