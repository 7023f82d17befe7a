/*
 * What ranks did outside of calls: on a processor, ready without one, or
 * blocked, from the marks of the processor of their flows (class processor).
 * Each time has bounds (lib/model/statistics/processor_use.h).
 */
#ifndef STAT_OUTSIDE_TIME_H
#define STAT_OUTSIDE_TIME_H

#include <stdio.h>

#include "sums.h"
#include "table_writer.h"

/* ---- while the trace is read ---- */

struct stats_outside_flows;

/* One for all flows of s. stats_outside_close frees it. */
struct stats_outside_flows *stats_outside_new(struct stats *s);
void stats_outside_close(struct stats_outside_flows *o);

/*
 * The same by parts of the run that the caller numbers, from 1: instead of
 * regions stats_outside_event gets the part that the flow was in. part has the
 * sums over all flows, in whole ns; part[0] is not used.
 */
struct stats_outside_flows *stats_outside_new_parts(struct stats *s,
						    struct stats_outside *part);

/*
 * The same by parts and flows, in a table of struct stats_outside: nothing is
 * added to s.
 */
struct stats_outside_flows *stats_outside_new_table(struct stats *s,
						    struct tape_table *table);

/* An event begins, and ends, in that part; 0: in none. */
void stats_outside_begin_part(struct stats_outside_flows *o,
			      const struct tape_event *e, uint32_t part);
void stats_outside_end_part(struct stats_outside_flows *o,
			    const struct tape_event *e, uint32_t part);

/* An event, whose flow was in n regions so far, the innermost last. */
void stats_outside_event(struct stats_outside_flows *o,
			 const struct tape_event *e, const uint32_t *region,
			 size_t n);

/* Adds a time of ns, which the processor was used for as in u, to p. */
void stats_outside_add(struct stats_outside *p, double ns,
		       const struct tape_processor_use *u);

/* ---- the figures ---- */

/*
 * What these n ranks, which are in order, did together while they computed, by
 * the activity's name: "computing after MPI_Send x.c:8". Where it is not
 * certain that half of the time or more was on a processor: "outside MPI after
 * MPI_Send x.c:8, blocked 98% of that time (I/O or sleep)", without a share
 * where the bounds do not tell what most of it was. Without marks they
 * computed. Cut to size; returns text.
 */
const char *stats_outside_text(const struct stats *s, const int *rank, size_t n,
			       uint32_t activity, char *text, size_t size);

/* The same of the rest of the time in which they were not ready without one. */
const char *stats_outside_text_without_ready(const struct stats *s,
					     const int *rank, size_t n,
					     uint32_t activity, char *text,
					     size_t size);

/*
 * Returns 0 if it is known that the rank may have been on a processor for less
 * than half of its time outside of calls.
 */
int stats_is_rank_computing(const struct stats *s, int rank);

/*
 * Writes the bounds of these ranks together as shares, from 0 to 1:
 * ,"on_processor":[0.1,0.2],"waiting_for_processor":[...],"blocked":[...]; null
 * where they are not known.
 */
void stats_print_outside_shares(const struct stats *s, const int *rank,
				size_t n, uint32_t activity, FILE *f);

/*
 * Writes "outside_mpi":[...], an object for each rank; null: the trace has no
 * marks of processors. With threads all flows of a rank are added.
 */
void stats_print_outside_json(const struct stats *s, FILE *f);

/*
 * The table: ranks, then regions, then phases, where there are any and the
 * trace is read again for them. phase and lines: as for stats_read_phases;
 * lines SIZE_MAX: no phases. The caller frees it.
 */
struct sheet *stat_outside_table(struct stats *s, const char *phase,
				 size_t lines);

#endif
