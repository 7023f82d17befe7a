/*
 * What of the run should be in its trace and is not: ranks that left nothing,
 * or whose files are gone, and what cannot be read of damaged flows. A tool
 * works on the rest and says so: it calls tape_damage_warn when it has read all
 * flows to their ends, for the reader finds damage as it comes to it.
 */
#ifndef TAPE_DAMAGE_H
#define TAPE_DAMAGE_H

#include "tape_reader.h"

/*
 * Ranks of t: those of a run, or in a trace that was followed while tasks came
 * one by one, up to the last that came.
 */
size_t tape_ranks_there(const struct tape_trace *t);

/*
 * PVM: how many tasks the run's tasks started that are not in the trace, and in
 * text (n bytes, or NULL and 0) where: "1 on host2, 3 on host3".
 */
size_t tape_tasks_missing(const struct tape_trace *t, char *text, size_t n);

/*
 * One line on stderr if ranks are missing, or tasks, one for each damaged flow
 * (the first ones, then how many more). Dies where there is damage and not one
 * event could be read: that is no trace.
 */
void tape_damage_warn(const struct tape_trace *t);

/*
 * ,"missing_ranks":[...], ,"missing_tasks":N, ,"damaged":["...",...] as
 * members of a JSON object, each only where there is something to say.
 */
void tape_damage_json(const struct tape_trace *t);

#endif
