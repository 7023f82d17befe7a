/* The data of a snapshot, for snapshot.c and snapshot_text.c. */
#ifndef LIVE_SNAPSHOT_H
#define LIVE_SNAPSHOT_H

#include "live.h"
#include "live_answer.h"

/* Time of all flows together, ns. */
struct times {
	double all, computing, mpi, waiting, tracing;
};

struct wait_line {
	int rank, late;
	uint32_t call, kind;
	uint64_t n;
	double ns;
};

struct place_line {
	uint32_t place;
	double ns;
};

struct live_snapshot {
	size_t number; /* of the program */
	const char *trace;
	const struct tape_plugins *plugins;
	char name[256];
	const char *state, *ended;
	uint64_t shots;	    /* snapshots so far */
	int64_t at, before; /* live_now_ns: this and the earlier snapshot */
	double seen_s;	    /* since the trace was opened */
	/* now, and at the earlier snapshot */
	struct times times, then;
	uint64_t events, messages, events_then, messages_then;
	double bytes, bytes_then;
	double behind_s, clock_s;
	uint64_t behind_bytes;
	int starved;
	struct stats *s; /* NULL: nothing was read */
	struct stat_rank *ranks;
	size_t n_ranks, hosts;
	struct wait_line *waits;
	size_t n_waits;
	struct place_line *calls, *regions;
	size_t n_calls, n_regions;
	struct stats_pair *pairs;
	size_t n_pairs;
	double *by_rank; /* time by call, then rank, ns */
	struct live_answer *answer; /* the last one, or NULL */
};

/* Returns the times since an earlier snapshot, at least 50 ms ago. */
struct times live_snapshot_times_since(const struct live_snapshot *p);

/*
 * Returns the rate per second of a counter. now: its value now; then: its value
 * at the earlier snapshot. NAN if no snapshot is old enough.
 */
double live_snapshot_rate(const struct live_snapshot *p, double now,
			  double then);

/* Returns what the answer says of the rank; NULL: nothing. */
const struct live_rank_now *
live_snapshot_rank_now(const struct live_snapshot *p, int rank);

/* Writes the call that the rank is in, or "", to text (TAPE_PLACE_BYTES): with
 * an answer the call in progress, else the last recorded one. Returns text. */
const char *live_snapshot_current_call(const struct live_snapshot *p, int rank,
				       char *text);

#endif
