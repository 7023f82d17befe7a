/* One flow that is played; see flow_cursor.h. */
#include <stdlib.h>

#include "flow_cursor.h"
#include "growing_array.h"

int tape_cursor_fetch(struct tape_flow_cursor *l)
{
	int rc = tape_flow_next(l->from, &l->e);

	l->begun = l->played = l->mark = l->waits = l->forced = 0;
	l->n_ops = 0;
	l->n_asked = 0;
	l->events++;
	if (rc == 1)
		return 1;
	l->e = NULL;
	return rc == TAPE_ENOMEM ? rc : 0;
}

void tape_cursor_close(struct tape_flow_cursor *l)
{
	tape_flow_close(l->from);
	free(l->region);
	free(l->asked);
}

int tape_cursor_enter_region(struct tape_flow_cursor *l, uint32_t region)
{
	uint32_t *grown = tape_grow_array(l->region, &l->regions_room,
					  l->n_regions + 1, sizeof *grown);

	if (!grown)
		return TAPE_ENOMEM;
	l->region = grown;
	l->region[l->n_regions++] = region;
	return 0;
}

void tape_cursor_leave_region(struct tape_flow_cursor *l, uint32_t region)
{
	size_t n = l->n_regions;

	while (n && l->region[n - 1] != region)
		n--;
	if (n)
		l->n_regions = n - 1;
}

static int record_request(struct tape_flow_cursor *l, struct tape_messages *m,
			  uint64_t number)
{
	const struct tape_request *p =
	    tape_messages_request(m, l->e->flow, number);
	struct tape_asked *grown = tape_grow_array(
	    l->asked, &l->asked_room, l->n_asked + 1, sizeof *grown);

	if (!grown)
		return TAPE_ENOMEM;
	l->asked = grown;
	l->asked[l->n_asked++] = (struct tape_asked){p, p && p->active};
	return 0;
}

int tape_cursor_record_requests(struct tape_flow_cursor *l,
				struct tape_messages *m)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < l->e->n_done; i++)
		rc = record_request(l, m, l->e->done[i].request);
	if (!l->e->n_done && l->e->class_ == TAPE_CLASS_QUERY)
		rc = record_request(l, m, l->e->u.query.asked);
	return rc;
}
