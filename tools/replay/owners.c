/* Records between processes; see owners.h. */
#include <stdlib.h>
#include <string.h>

#include "owners.h"

/* In front of each record. */
struct head {
	uint32_t kind, bytes;
};
_Static_assert(sizeof(struct head) == TAPE_PEERS_HEAD, "see owners.h");

int tape_peers_deal(struct tape_peers *p, const struct tape_trace *t)
{
	size_t ranks = tape_trace_ranks(t), flows = tape_trace_flows(t);
	int *owner = realloc(p->owner, (ranks + 1) * sizeof *owner);
	double all = 0, before = 0;

	if (!owner)
		return TAPE_ENOMEM;
	p->owner = owner;
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

int tape_peers_put(struct tape_peers *p, int to, unsigned kind,
		   const void *data, size_t bytes)
{
	struct tape_bytes *b = &p->out[to];
	struct head h = {kind, (uint32_t)bytes};
	size_t room = b->room ? b->room : 1 << 16;
	char *grown;

	while (room - b->n < bytes + sizeof h)
		room *= 2;
	if (room > b->room) {
		grown = realloc(b->at, room);
		if (!grown)
			return TAPE_ENOMEM;
		b->at = grown;
		b->room = room;
	}
	memcpy(b->at + b->n, &h, sizeof h);
	if (bytes)
		memcpy(b->at + b->n + sizeof h, data, bytes);
	b->n += sizeof h + bytes;
	return 0;
}

const void *tape_peers_next(const struct tape_peers *p,
			    struct tape_peers_at *at, unsigned *kind,
			    size_t *bytes)
{
	const struct tape_bytes *b;
	const char *data;
	struct head h;

	for (; at->from < p->n; at->from++, at->byte = 0) {
		b = &p->in[at->from];
		if (b->n - at->byte < sizeof h)
			continue;
		memcpy(&h, b->at + at->byte, sizeof h);
		if (h.bytes > b->n - at->byte - sizeof h)
			continue;
		data = b->at + at->byte + sizeof h;
		at->byte += sizeof h + h.bytes;
		*kind = h.kind;
		*bytes = h.bytes;
		return data;
	}
	return NULL;
}
