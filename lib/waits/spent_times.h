/*
 * What a flow spent on each activity between two of its calls, and how much of
 * that it waited for a processor, by the marks of the processor in its history.
 *
 *	struct tape_times t;
 *
 *	tape_times_new(&t, activities, flows);
 *	tape_times_clear(&t);
 *	waited_ns = tape_times_sum(&t, h, late, stop);
 *	tape_times_free(&t);
 */
#ifndef TAPE_SPENT_TIMES_H
#define TAPE_SPENT_TIMES_H

#include "history.h"

/* Of calls of a flow from one event to another: the last mark before them. */
struct tape_mark_range {
	uint64_t from_event, to_event;
	const struct tape_sync *mark; /* NULL: there is none */
};

struct tape_times {
	double *ns;		  /* by activity */
	struct tape_ready *ready; /* of these: bounds */
	uint32_t *list;		  /* activities with a time */
	size_t n;
	/* the same in the window that the sum is in, on its way back */
	double *part_ns;
	uint32_t *parts;
	size_t n_parts;
	struct tape_mark_range *range; /* by flow: where it was last found */
};

/*
 * Room for so many activities and flows. Returns 0 or TAPE_ENOMEM. *t is to be
 * given to tape_times_free in any case.
 */
int tape_times_new(struct tape_times *t, size_t activities, size_t flows);
void tape_times_free(struct tape_times *t);
void tape_times_clear(struct tape_times *t);

/* Adds ns of which nothing else is known. */
void tape_times_add(struct tape_times *t, uint32_t activity, double ns);

/*
 * Adds what the flow of s spent from stop, a call before s, to the beginning of
 * s; stop NULL: since its beginning. Waiting in calls is left out. Of stop its
 * own time counts, unless that is the start of the program. Returns the waiting
 * that was left out, ns.
 */
double tape_times_sum(struct tape_times *t, struct tape_history *h,
		      const struct tape_sync *s, const struct tape_sync *stop);

/* Returns 1 for MPI_Init: all leave it together, but for a little. */
int tape_sync_is_start(const struct tape_sync *s);

#endif
