/* Times of phases while they are summed up (phases_read.c) and shown
 * (phases_table.c). */
#ifndef STAT_PHASES_STATE_H
#define STAT_PHASES_STATE_H

#include "phase_detect.h"
#include "phases.h"

/* Time of a flow in the phases of a line, ns. */
struct phase_times {
	double length, calls, tracing, waiting;
	double ideal; /* by the ideal clock; NAN: not known */
};

/* Where a flow stands: what passed since the phase began. */
struct phase_flow {
	uint64_t phase;      /* 0: before the first */
	int64_t since_ns;
	double since_ideal_ns;
	int begun, marked;   /* a time is known; a phase has begun */
	size_t depth;        /* regions open */
	struct phase_times now;
	/* when the outermost region was last left */
	struct phase_times left;
	int64_t left_ns;
	double left_ideal_ns;
	int has_left;
	/* when each phase began: waits come late */
	int64_t *starts;
	size_t n, room;
};

struct stats_phases {
	struct stats *s;
	struct marker marker;
	struct tape_analysis *a;
	struct tape_places *places;
	uint64_t phases, per_line; /* but for what is before and after */
	size_t lines;
	size_t width;	  /* flows, but for those that have not come; */
	uint32_t *real;	  /* their numbers; NULL: the same */
	uint32_t *column; /* of all numbers */
	struct phase_flow *flow;
	struct phase_times *cell; /* by line and flow; before, lines, after */
	uint32_t *name;		   /* of a line: place of its first region; */
	int64_t *name_ns;	   /* that begins then, in that flow */
	uint32_t *name_flow;
	int *several;              /* it has others, too */
	int64_t *from_ns;          /* of a line */
	char title[TAPE_PLACE_BYTES + 160];
};

/* The number of a flow of the columns in the trace. */
size_t phases_real_flow(const struct stats_phases *p, size_t flow);

/* Adds the times of one to those of the other. */
void phases_add_times(struct phase_times *to, const struct phase_times *from);

#endif
