/*
 * Snapshots: tapelive shows one for each program about every second. The engine
 * that follows a trace writes them, one JSON object a line. The process that
 * the user started passes each to its subscribers, in its only thread.
 *
 *	static void show(void *self, size_t program, const char *json)
 *	...
 *	live_subscribe(show, self);
 *
 * The object has times in seconds and shares from 0 to 1. An unknown number is
 * null. More members may follow:
 *
 *	"program"  its number, from 0, by the command line
 *	"trace"    the directory;  "name": what ran, "" while not known
 *	"state"    "waiting" (no trace there yet), "running" or "over"
 *	"ended"    why an analysis that is over is not complete, or ""
 *	"number"   of the snapshot, from 0;  "date": seconds since 1970
 *	"seen_s"   since the trace was opened;  "run_s": of the run, read so far
 *	"ranks_number", "hosts_number", "events", "messages", "bytes"
 *	"events_per_s", "messages_per_s", "bytes_per_s"
 *	           since the snapshot before
 *	"behind_s", "behind_bytes"
 *	           time since the last event that was read; bytes recorded and
 *	           not read. "hungry": 1 if the analysis waits for a rank
 *	"comparable"  0: clocks are not comparable, waits are unknown
 *	"clock_s"  half the longest interval of a clock
 *	"tracing"  share of tracing, from the alphas so far
 *	"computing", "mpi", "waiting"
 *	           of all time so far; waiting is part of mpi
 *	"now"      {"computing", "mpi", "waiting", "tracing"} since the
 *	           snapshot before
 *	"ranks"    [{"rank", "host", "events", "computing", "mpi", "waiting",
 *	           "tracing", "doing", "for_s", "what"}, ...], shares of the
 *	           rank's time so far; "doing": the call that it is in,
 *	           "MPI_Recv x.c:8", or "" outside of calls; "for_s": how long;
 *	           "what": that in words, with whom it waits for. The first
 *	           SNAPSHOT_RANKS
 *	"waits"    [{"rank", "for", "s", "n", "kind", "call"}, ...], longest
 *	           first: rank waited for rank "for" in "call"
 *	"calls"    [{"call", "calls", "s", "waiting_s", "bytes",
 *	           "by_rank"}, ...], longest first; by_rank: s of each of
 *	           "ranks", by their order
 *	"regions"  [{"region", "entries", "s", "own_s"}, ...]
 *	"pairs"    [{"from", "to", "messages", "bytes", "late_s"}, ...],
 *	           most bytes first
 *	"plugins"  [{"file", "status"}, ...]: the status that a plug-in
 *	           reports, or ""
 *	"answer"   sentences of the report, of the run so far
 *	"stuck"    of tapewhere: what can never end; "where": where ranks are
 *	"efficiency", "efficiency_now"
 *	           the factors (run_efficiency.h), of the run so far and since
 *	           the answer before
 *
 * The last four are those of the last answer that was made (live.h).
 * Open regions and calls in progress are not in the sums yet.
 */
#ifndef LIVE_SNAPSHOT_FEED_H
#define LIVE_SNAPSHOT_FEED_H

#include <stddef.h>

/* Lines of each list, at most. */
enum {
	SNAPSHOT_RANKS = 256,
	SNAPSHOT_WAITS = 20,
	SNAPSHOT_CALLS = 20,
	SNAPSHOT_REGIONS = 20,
	SNAPSHOT_PAIRS = 256
};

/* Receives a snapshot. json: without newline, valid during the call. */
typedef void live_reader(void *self, size_t program, const char *json);

/* Calls f(self, ...) with each later snapshot; dies when out of memory. */
void live_subscribe(live_reader *f, void *self);

/* Passes a snapshot to all subscribers. */
void live_publish(size_t program, const char *json);

#endif
