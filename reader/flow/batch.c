/* Several events of a flow at once; see tape_reader.h. */
#include <stdlib.h>

#include "flow.h"

struct tape_batch *tape_batch_new(size_t room)
{
	struct tape_batch *b = room ? calloc(1, sizeof *b) : NULL;

	if (!b)
		return NULL;
	b->room = room;
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

size_t tape_batch_size(const struct tape_batch *b)
{
	return b->n;
}

static struct tape_event *batch_slot(const struct tape_batch *b, size_t i)
{
	return (struct tape_event *)(void *)(b->e + i * b->stride);
}

const struct tape_event *tape_batch_event(const struct tape_batch *b, size_t i)
{
	return batch_slot(b, i);
}

/*
 * Room for its events, as long as those of the flow are, and after the last
 * one for the rest of a whole one: who copies an event reads all of it.
 */
static int reserve_events(struct tape_batch *b, const struct tape_flow *f)
{
	size_t stride = tape_flow_event_bytes(f);

	if (stride <= b->stride)
		return 0;
	free(b->e);
	b->stride = 0;
	if (b->room > SIZE_MAX / 2 / sizeof(struct tape_event))
		return TAPE_ENOMEM;
	b->e = calloc(1, b->room * stride + sizeof(struct tape_event) - stride);
	if (!b->e)
		return TAPE_ENOMEM;
	b->stride = stride;
	return 0;
}

int tape_flow_batch(struct tape_flow *f, struct tape_batch *b)
{
	const struct tape_done *done;
	int rc;

	b->n = b->list.n = 0;
	if ((rc = reserve_events(b, f)))
		return rc;
	rc = 1;
	f->list = &b->list;
	/* one event may complete many requests: this bounds the memory */
	while (b->n < b->room && b->list.n < 2 * b->room) {
		f->e = batch_slot(b, b->n);
		rc = tape_flow_read(f);
		if (rc <= 0)
			break;
		b->n++;
	}
	/* the list may have moved while it grew */
	done = b->list.done;
	for (size_t i = 0; i < b->n; i++) {
		batch_slot(b, i)->done = done;
		done += batch_slot(b, i)->n_done;
	}
	/* an error comes again */
	return b->n ? 1 : rc;
}
