/* A moment of a run as it was taken, for snapshot.c and snapshot_text.c. */
#ifndef LIVE_SNAPSHOT_H
#define LIVE_SNAPSHOT_H

#include "live.h"

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
	uint64_t shots;
	int64_t at, before; /* live_now; before: the earlier snapshot */
	double seen_s;
	/* so far, and at the earlier snapshot */
	struct times times, then;
	uint64_t events, messages, events_then, messages_then;
	double bytes, bytes_then;
	double behind_s, clock_s;
	uint64_t behind_bytes;
	int hungry;
	struct stats *s; /* NULL: nothing was read */
	struct stat_rank *ranks;
	size_t n_ranks, hosts;
	struct wait_line *waits;
	size_t n_waits;
	struct place_line *calls, *regions;
	size_t n_calls, n_regions;
	struct stats_pair *pairs;
	size_t n_pairs;
	double *by_rank; /* of each of calls and of ranks, ns */
};

/* The times since an earlier snapshot (at least 50 ms ago). */
struct times live_snapshot_times_since(const struct live_snapshot *p);

/*
 * How many a second, of a count that is now and was then at that earlier
 * snapshot; NAN while there is none that is old enough.
 */
double live_snapshot_rate(const struct live_snapshot *p, double now,
			  double then);

/* What a rank's first flow is in, a call, or "": TAPE_PLACE_BYTES of text. */
const char *live_snapshot_current_call(const struct live_snapshot *p, int rank,
				       char *text);

#endif
