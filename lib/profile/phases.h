/*
 * Phases of a run: consecutive parts in which all ranks do the same. The first
 * rule that applies to a run determines where its phases begin:
 *
 * - at MPI_Pcontrol(2) and higher numbers, or at tape_on;
 * - at the start of an outermost region, unless the outermost regions repeat
 *   many times;
 * - at a region or call site that repeats: one that all ranks pass equally
 * often and at the most even intervals over most of the run. Of several that
 * cover nearly the same part of the run, the one with the fewest repetitions
 * (at least 8 if there is such a one, else 4) belongs to the outermost loop. Of
 *   several of these, the first in time is used.
 */
#ifndef STAT_PHASES_H
#define STAT_PHASES_H

#include "part_bounds.h"
#include "table_writer.h"
#include "sums.h"

/*
 * From now on s, which is being read, keeps what it takes to tell phases
 * without another reading: most bytes, 0: any number. Was all of it kept?
 */
void stats_keep_phases(struct stats *s, size_t most);
int stats_has_phases(const struct stats *s);

/*
 * Reads the trace again, or what was kept: times in each phase, in at most so
 * many lines of as many phases each as that takes; 0: as many as there are, up
 * to 1000. wanted: the call site or region that begins one, as in the tables,
 * or NULL. Dies with a sentence where that does not exist. They belong to s:
 * the next call, whatever it wants, returns the same.
 */
struct stats_phases *stats_read_phases(struct stats *s, const char *wanted,
				       size_t lines);
void stats_free_phases(struct stats_phases *p);

/* The same anew, for a caller who frees it. */
struct stats_phases *stats_phases_new(struct stats *s, const char *wanted,
				      size_t lines);

/* As a table. No rows: there are no phases, and the title says so. The caller
 * frees it. */
struct sheet *stat_phases_table(struct stats *s, const char *wanted,
				size_t lines);

/*
 * Gets one line of that table: its times, and its name ("3", "1-4: solve",
 * "before"), cut to size. line counts from 0. Empty lines count, too: their
 * times->n is 0. Returns 1, or 0 if the table has no such line.
 */
int stat_phase_times(const struct stats_phases *p, size_t line,
		     struct tape_efficiency_times *times, char *name,
		     size_t size);

/*
 * Sets *o to what ranks did outside of calls in one line of that table, all of
 * them together, and name as above. Returns 1, or 0 if the table has no such
 * line, or if that is not known: the phases are from what was kept.
 */
int stat_phase_outside(const struct stats_phases *p, size_t line,
		       const struct stats_outside **o, char *name, size_t size);

/*
 * Reads the trace as measured once more, for stat_phase_bounds. Returns 0 if
 * nothing is certain (stats_is_certain), or the marks are not there.
 */
int stats_read_measured_phases(struct stats_phases *p);

/*
 * What these times are at least and at most: without tracing, if
 * stats_read_measured_phases returned 1, and without waiting for processors.
 * Returns 1 with *b set, or 0: not known.
 */
int stat_phase_bounds(const struct stats_phases *p, size_t line,
		      struct part_bounds *b);

/* The rank that computes longest in a line of that table. */
struct stat_slowest {
	int rank;	 /* the first of equal ones; -1: none computes */
	double ratio;	 /* its computing divided by the mean of all flows */
	double over_ns;	 /* its computing minus that mean, ns */
	double from_ns;	 /* when the line begins, ns since the run began */
};

/* Returns 1 with *x set, or 0 if the table has no such line. */
int stat_phase_slowest(const struct stats_phases *p, size_t line,
		       struct stat_slowest *x);

#endif
