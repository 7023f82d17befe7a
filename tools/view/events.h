/* The single events of a view as arrays again, for pictures. */
#ifndef TAPE_VIEW_EVENTS_H
#define TAPE_VIEW_EVENTS_H

#include "view.h"

/* In one base. Events of flow i are those from first[i] to first[i + 1]. */
struct view_events {
	size_t *first, *first_span;
	int64_t *start_ns, *end_ns;
	uint32_t *place;
	int64_t *span_start_ns, *span_end_ns; /* regions, by their end */
	uint32_t *region, *depth;
	uint32_t deepest;       /* regions inside one another */
	size_t messages;
	uint32_t *from, *to;    /* events */
};

void view_events_read(const struct view *v, int base, struct view_events *e);
void view_events_free(struct view_events *e);

/*
 * From where to where the program itself ran: from the end of the first call
 * that starts the library to the start of the last one that ends it, of all
 * flows together; else the whole run.
 */
void view_events_program_time(const struct view *v, int base,
			      const struct view_events *e, int64_t *from,
			      int64_t *to);

#endif
