/*
 * How far sums of sums.h may be from the true values. The times of a trace
 * without tracing have intervals (tape_reader.h, "certificate"); the lengths of
 * calls follow from those of both their ends. What a flow computes is known
 * better: it is as measured, but for the error of the alphas.
 */
#ifndef STAT_ERRORS_H
#define STAT_ERRORS_H

#include "sums.h"

enum stats_errors {
	STATS_NO_ERRORS,
	STATS_OF_ALPHAS,   /* as measured: errors of alphas */
	STATS_OF_INTERVALS /* without tracing: intervals of times */
};

/*
 * The event took its time at place, of calls, else NULL. Events of a flow come
 * one after the other. Of MPI_Init only what is after it counts, of
 * MPI_Finalize what is before.
 */
void stats_error_event(struct stats *s, const struct tape_event *e,
		       struct stats_place *place);

/* The time of the flow begins when e ends. */
void stats_error_start(struct stats *s, const struct tape_event *e);

#endif
