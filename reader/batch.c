/* Several events of a flow at once; see tape_reader.h. */
#include <stdlib.h>

#include "flow.h"

struct tape_batch *tape_batch_new(size_t room)
{
	struct tape_batch *b = calloc(1, sizeof *b);

	if (!b)
		return NULL;
	b->room = room;
	b->e = calloc(room, sizeof *b->e);
	if (!b->e) {
		free(b);
		return NULL;
	}
	return b;
}

void tape_batch_free(struct tape_batch *b)
{
	if (!b)
		return;
	free(b->e);
	free(b->list.done);
	free(b);
}

const struct tape_event *tape_batch_events(const struct tape_batch *b,
					   size_t *n)
{
	*n = b->n;
	return b->e;
}

int tape_flow_batch(struct tape_flow *f, struct tape_batch *b)
{
	const struct tape_done *done;
	int rc = 1;

	b->n = b->list.n = 0;
	f->list = &b->list;
	/* one event may complete many requests: this bounds the memory */
	while (b->n < b->room && b->list.n < 2 * b->room) {
		f->e = &b->e[b->n];
		rc = tape_flow_read(f);
		if (rc <= 0)
			break;
		b->n++;
	}
	/* the list may have moved while it grew */
	done = b->list.done;
	for (size_t i = 0; i < b->n; i++) {
		b->e[i].done = done;
		done += b->e[i].n_done;
	}
	/* an error comes again */
	return b->n ? 1 : rc;
}
