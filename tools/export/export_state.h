/* The state of an export, which export_steps.c, export_options.c and
 * export_warnings.c share. */
#ifndef TAPE_EXPORT_STATE_H
#define TAPE_EXPORT_STATE_H

#include "export.h"
#include "not_recorded.h"
#include "unmatched.h"

struct open_region {
	uint32_t region; /* 0: tracing is off */
	int64_t start_ns;
};

struct export_flow {
	struct open_region *open; /* the outermost first */
	size_t n, room;
	size_t shown; /* the first of these were steps */
	int64_t last_ns;
};

struct tape_export {
	const struct tape_export_kind *kind;
	struct tape_trace *t;
	struct tape_replay *replay; /* of all; NULL: one rank */
	struct tape_merge *merge;
	char name[4200];
	double from_s, to_s;
	int64_t from_ns, to_ns; /* the window */
	int64_t *origin_ns;	/* of each clock, or of all */
	int by_domain;
	struct export_flow *flow;
	size_t flows;
	size_t first, end;    /* of these the ones that are gone through */
	size_t *flow_of_rank; /* its first */
	int64_t last_ns;
	/* where the communicator is in a record of each class */
	struct tape_field comm[TAPE_CLASS_COUNT];
	int has_comm[TAPE_CLASS_COUNT];
	/* under way: an event that brings several steps; regions that close */
	const struct tape_event *event;
	size_t of_flow;
	int counts; /* it has some, which were no step yet */
	size_t closing;
	int64_t closing_ns;
	int over;
	uint64_t events, messages, backward;
	struct tape_unmatched *unmatched;
	struct tape_not_recorded *missing;
};

/* Dies where there is no memory. */
void *tape_export_alloc(size_t n, size_t size);

/* The command line into x. Returns the trace's path. */
const char *tape_export_options(struct tape_export *x, int argc, char **argv);

/* What the trace lacks, and what the result does not show. */
void tape_export_warn(struct tape_export *x);

#endif
