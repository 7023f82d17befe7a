/*
 * Events of which a process keeps only what not_recorded.h asks of them, for
 * process 0.
 */
#ifndef TAPE_NOTICES_H
#define TAPE_NOTICES_H

#include "not_recorded.h"

struct tape_notice {
	int32_t rank;
	uint32_t off; /* so often it switched tracing off */
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

/* Process 0 takes each. */
void tape_notices_receive(struct tape_not_recorded *m, const void *note);

#endif
