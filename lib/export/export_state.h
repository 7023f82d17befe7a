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
	struct open_region *open; /* the outermost region first */
	size_t n, room;
	size_t shown; /* the first of them were returned as steps */
	int64_t last_ns;
};

struct tape_export {
	const struct tape_export_kind *kind;
	struct tape_trace *t;
	struct tape_replay *replay; /* of all flows; NULL: steps of one rank */
	struct tape_merge *merge;
	char name[4200];
	double from_s, to_s;
	int64_t from_ns, to_ns; /* the window */
	int64_t *origin_ns;	/* by clock if by_domain, else one */
	int by_domain;
	struct export_flow *flow;
	size_t flows;
	size_t first, end;    /* the flows first to end - 1 are read */
	size_t *flow_of_rank; /* first flow of each rank */
	int64_t last_ns;
	/* by class: the field of the communicator */
	struct tape_field comm[TAPE_CLASS_COUNT];
	int has_comm[TAPE_CLASS_COUNT];
	/* in progress: an event that has more steps; regions that close */
	const struct tape_event *event;
	size_t of_flow;
	int counts;	/* the step of its counts is pending */
	size_t closing; /* number of regions that still close */
	int64_t closing_ns;
	int over;
	uint64_t events, messages, backward;
	struct tape_unmatched *unmatched;
	struct tape_not_recorded *missing;
};

/* Allocates zeroed memory; dies when out of memory. */
void *tape_export_alloc(size_t n, size_t size);

/* Parses the command line into x. Returns the trace's path. */
const char *tape_export_options(struct tape_export *x, int argc, char **argv);

/* Prints what the trace lacks and what the result does not show. */
void tape_export_warn(struct tape_export *x);

#endif
