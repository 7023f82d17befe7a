/* What was not recorded, told to process 0; see notices.h. */
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "notices.h"
#include "tool.h"

void tape_notices_add(struct tape_notices *l, const struct tape_event *e)
{
	size_t n = l->n;
	int off = e->class_ == TAPE_CLASS_OFF;

	if (off && n && l->list[n - 1].off && l->list[n - 1].rank == e->rank) {
		l->list[n - 1].off++;
		return;
	}
	l->list = tape_must(tape_grow_list(l->list, n, sizeof *l->list));
	l->list[l->n++] =
	    (struct tape_notice){e->rank, (uint32_t)off,
				 off ? (struct tape_counted){0} : e->u.counted,
				 off ? 0 : e->inside_ns};
}

void tape_notices_receive(struct tape_not_recorded *m, const void *note)
{
	struct tape_event e;
	struct tape_notice n;

	memcpy(&n, note, sizeof n);
	memset(&e, 0, sizeof e);
	e.rank = n.rank;
	e.class_ = n.off ? TAPE_CLASS_OFF : TAPE_CLASS_COUNTED;
	e.u.counted = n.counted;
	e.inside_ns = n.inside_ns;
	for (uint32_t i = 0; i < n.off || !i; i++)
		tape_not_recorded_event(m, &e);
}
