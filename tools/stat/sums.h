/*
 * What tapestat knows of a trace after one pass: sums, by flow, by place, by
 * pair of ranks. Times in ns.
 */
#ifndef STAT_SUMS_H
#define STAT_SUMS_H

#include "delay.h"
#include "not_recorded.h"
#include "path.h"
#include "table.h"

/* A histogram of durations: 16 classes for each doubling, so a quantile is
 * within 3%. */
enum { STATS_FINE = 16, STATS_CLASSES = 64 * STATS_FINE };

struct stats_flow {
	struct tape_span span;
	double mpi_ns;     /* inside calls, within the span */
	double waiting_ns; /* of these; in MPI_Finalize, too */
	double tracing_ns; /* of events, where it is still in the times */
	double start_ns, end_ns; /* MPI_Init, MPI_Finalize */
	int finalized;
	uint64_t events;
};

/* A call site, or a region. */
struct stats_place {
	uint64_t calls;    /* of them timed, one by one or in runs; */
	uint64_t counted;  /* and those that were only counted */
	double total_ns, max_ns, waiting_ns;
	double own_ns;     /* a region: not in regions within it; */
	double inside_ns;  /* and of that in calls */
	double bytes;
	uint64_t *histogram;
};

/* By place and flow. */
struct stats_part {
	uint32_t place, flow;
	double total_ns, waiting_ns;
};

/* Waiting of one kind at one call; for whom. */
struct stats_waits {
	uint32_t call, kind, flow, late_flow;
	uint64_t n;
	double ns, max_ns, wrong_order_ns;
};

/* From rank to rank. */
struct stats_pair {
	int32_t from, to;
	uint64_t messages;
	double bytes, late_ns; /* that receivers waited for it */
};

/* Messages whose sizes have so many binary digits. */
struct stats_size {
	uint64_t messages;
	double bytes, transit_ns;
};

struct stats_coll {
	uint64_t rounds, members;
	double bytes, total_ns, waiting_ns;
};

struct stats {
	struct tape_trace *t;
	struct tape_analysis *analysis;
	struct tape_places *places;
	struct stats_flow *flow;
	size_t flows, ranks;
	struct stats_place *place; /* by number of tape_places */
	size_t n_places;
	struct tape_table parts, waits, pairs;
	struct stats_size size[65];
	struct stats_coll coll[TAPE_CALL_COUNT];
	double waited_ns[TAPE_WAIT_KINDS];
	double wrong_order_ns;
	uint64_t events, messages, rounds, unmatched;
	int64_t from_ns, to_ns;    /* of the run, all ranks together */
	struct tape_delays delays;
	struct tape_path path;
	struct tape_not_recorded *missing;
	int incomplete;            /* flows without a proper end */
	char why[200];             /* the first of these */
	int comparable;
};

/*
 * Reads t to its end. Dies with a sentence when out of memory or disk. t stays
 * open until stats_free.
 */
struct stats *stats_read(struct tape_trace *t);
void stats_free(struct stats *s);

/* The length that a share q of the calls of the place do not exceed, ns. */
double stats_quantile(const struct stats_place *p, double q);

/* From when a flow's share of the run is counted, to when that ends. */
double stats_length(const struct stats *s, size_t flow);

/* What a flow computed: neither in calls, nor traced, nor waiting. */
double stats_computing(const struct stats *s, size_t flow);

#endif
