/*
 * What a process sends to process 0 of the events that not_recorded.h counts.
 */
#ifndef TAPE_NOTICES_H
#define TAPE_NOTICES_H

#include "not_recorded.h"

struct tape_notice {
	int32_t rank;
	uint32_t off; /* number of times that it switched tracing off */
	struct tape_counted counted;
	int64_t inside_ns;
};

/* Zeroed at first; free list. */
struct tape_notices {
	struct tape_notice *list;
	size_t n;
};

/* An event that matters (tape_not_recorded_matters). */
void tape_notices_add(struct tape_notices *l, const struct tape_event *e);

/* Process 0: adds a received notice to m. */
void tape_notices_receive(struct tape_not_recorded *m, const void *note);

#endif
