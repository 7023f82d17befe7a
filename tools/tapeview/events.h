/* The single events of a view, decoded into arrays, for pictures. */
#ifndef TAPE_VIEW_EVENTS_H
#define TAPE_VIEW_EVENTS_H

#include "view.h"

/* Events in one base. Events first[i] to first[i + 1] - 1 are of flow i. */
struct view_events {
	size_t *first, *first_span;
	int64_t *start_ns, *end_ns;
	uint32_t *place;
	int64_t *span_start_ns, *span_end_ns; /* regions, ordered by end */
	uint32_t *region, *depth;
	uint32_t deepest; /* highest number of nested regions */
	size_t messages;
	uint32_t *from, *to;    /* events */
};

void view_events_read(const struct view *v, int base, struct view_events *e);
void view_events_free(struct view_events *e);

/*
 * Sets the interval of the program itself, over all flows: from the first end
 * of a call that starts the library to the last start of a call that ends it.
 * Without such calls the interval is the whole run.
 */
void view_events_program_time(const struct view *v, int base,
			      const struct view_events *e, int64_t *from,
			      int64_t *to);

#endif
