/*
 * Events of which a process keeps only what not_recorded.h asks of them, for
 * process 0.
 */
#ifndef TAPE_NOTES_H
#define TAPE_NOTES_H

#include "not_recorded.h"

struct tape_note {
	int32_t rank;
	uint32_t off; /* so often it switched tracing off */
	struct tape_counted counted;
	int64_t inside_ns;
};

/* Zeroed at first; free list. */
struct tape_notes {
	struct tape_note *list;
	size_t n;
};

/* An event that matters (tape_not_recorded_matters). */
void tape_notes_event(struct tape_notes *l, const struct tape_event *e);

/* Process 0 takes each. */
void tape_notes_take(struct tape_not_recorded *m, const void *note);

#endif
