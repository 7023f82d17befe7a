/*
 * Requests that were never completed or freed, and communicators, windows and
 * files that were never freed: counted while a trace is read, by call site and
 * flow (stats_part.left).
 */
#ifndef STAT_NEVER_FREED_H
#define STAT_NEVER_FREED_H

#include <stdio.h>

#include "sums.h"

/*
 * Notes what e creates or frees, but for requests, which the replay knows.
 * place: of the event's call. Dies when out of memory.
 */
void stats_note_object(struct stats *s, const struct tape_event *e,
		       uint32_t place);

/* After the last event: counts what is left. Dies when out of memory. */
void stats_count_left(struct stats *s);

/*
 * Writes a line for each of the call sites with the most of them:
 *
 *	3 requests of MPI_Isend x.c:8 were never completed (rank 1)
 *	1 communicator of MPI_Comm_dup x.c:9 was never freed (ranks 0-3)
 *
 * Requests are added over the ranks. Of the others the rank with most counts,
 * since a communicator of four ranks is one. To be called only of a trace in
 * which all of the run is. Dies when out of memory.
 */
void stats_print_left(const struct stats *s, FILE *f);

/*
 * Writes a JSON array of all of them: objects with kind ("request",
 * "communicator", "window", "file"), call, ranks and count, as above.
 */
void stats_print_left_json(const struct stats *s, FILE *f);

#endif
