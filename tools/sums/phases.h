/*
 * Phases of a run: parts, one after the other, in which all ranks do the same.
 * They begin, the first of these that a run has:
 *
 * - where the program says so by MPI_Pcontrol(2) and more, or by tape_on;
 * - where it enters a region that is in no other, unless the same ones come
 *   again and again;
 * - where a region, or a call site, comes again: the one that all ranks pass
 *   as often as each other, most evenly over most of the run. Of those that
 *   pass over nearly as much, the one that comes the least often (at least 8
 *   times, if any does, else 4) is that of the outermost loop; of several such,
 *   the one that comes first.
 */
#ifndef STAT_PHASES_H
#define STAT_PHASES_H

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
 * or NULL. Dies with a sentence where that does not exist. No rows: there are
 * no phases, and the title says so. The caller frees it.
 */
struct sheet *stat_phases_table(struct stats *s, const char *wanted,
				size_t lines);

#endif
