/* One flow that is played; see flow_cursor.h. */
#include <stdlib.h>

#include "flow_cursor.h"

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

/* Room for one more than n. */
static int grow_cursor_list(void *list, size_t *room, size_t n, size_t size)
{
	void **at = list, *grown;

	if (n < *room)
		return 0;
	grown = realloc(*at, (2 * *room + 8) * size);
	if (!grown)
		return TAPE_ENOMEM;
	*at = grown;
	*room = 2 * *room + 8;
	return 0;
}

int tape_cursor_enter_region(struct tape_flow_cursor *l, uint32_t region)
{
	int rc = grow_cursor_list(&l->region, &l->regions_room, l->n_regions,
				  sizeof *l->region);

	if (!rc)
		l->region[l->n_regions++] = region;
	return rc;
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
	int rc = grow_cursor_list(&l->asked, &l->asked_room, l->n_asked,
				  sizeof *l->asked);

	if (!rc)
		l->asked[l->n_asked++] = (struct tape_asked){p, p && p->active};
	return rc;
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
