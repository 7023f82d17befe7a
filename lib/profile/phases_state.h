/* Times of phases while they are summed up (phases_read.c) and shown
 * (phases_table.c). */
#ifndef STAT_PHASES_STATE_H
#define STAT_PHASES_STATE_H

#include "phase_detect.h"
#include "phase_errors.h"
#include "phases.h"

/* Time of a flow in the phases of a line, ns. */
struct phase_times {
	double length, calls, tracing, waiting;
	double parts;		     /* number of parts of phases */
	struct tape_ideal_time ideal; /* by the ideal clock; NAN: not known */
	struct phase_errors errors;
};

/* Where a flow stands: what passed since the phase began. */
struct phase_flow {
	uint64_t phase; /* 0: before the first */
	struct phase_moment since;
	struct phase_clock clock;
	int begun, marked; /* a time is known; a phase has begun */
	size_t depth;	   /* regions open */
	struct phase_times now;
	/* when the outermost region was last left */
	struct phase_times left;
	struct phase_moment left_at;
	int has_left;
	/* when each phase began: waits come late */
	int64_t *starts;
	size_t n, room;
};

struct stats_phases {
	struct stats *s;
	struct marker marker;
	struct stats_phases *measured; /* the same as measured, or NULL */
	struct tape_analysis *a;
	struct tape_places *places;
	uint64_t phases, per_line; /* but for what is before and after */
	size_t lines;
	size_t width;	  /* number of columns: flows that have begun */
	uint32_t *real;	  /* by column: number of its flow; NULL: the same */
	uint32_t *column; /* by flow: number of its column */
	struct phase_flow *flow;
	/* by line and column; line 0: before the phases; the last: after */
	struct phase_times *cell;
	/* by line, from 1 (outside_time.h); NULL: not known */
	struct stats_outside *outside;
	struct tape_table use; /* the same by line, from 1, and flow */
	int has_use; /* ranks waited for processors, and use is known */
	/* by line: its first region, when and in which flow that begins; 1: the
	 * line has other regions, too; when the line begins */
	uint32_t *name;
	int64_t *name_ns;
	uint32_t *name_flow;
	int *several;
	int64_t *from_ns;
	char title[TAPE_PLACE_BYTES + 160];
};

/* Returns the number of the flow of a column. */
size_t phases_real_flow(const struct stats_phases *p, size_t flow);

/* Adds each time of from to that of to. */
void phases_add_times(struct phase_times *to, const struct phase_times *from);

#endif
