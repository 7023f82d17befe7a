/*
 * What tapelive shows while a program runs: snapshots, one for each program
 * about every second. The process that follows a trace writes them, one JSON
 * object a line; the process that the user started gives each to whoever asked
 * for them, in its only thread, between two looks at its pipes.
 *
 *	static void show(void *self, size_t program, const char *json)
 *	...
 *	live_subscribe(show, self);
 *
 * The object, times in seconds, shares from 0 to 1, null where a number is not
 * known; more members may follow:
 *
 *	"program"  its number, from 0, by the command line
 *	"trace"    the directory;  "name": what ran, "" while not known
 *	"state"    "waiting" (no trace there yet), "running" or "over"
 *	"ended"    "", or of one that is over why it is not complete
 *	"number"   of the snapshot, from 0;  "date": seconds since 1970
 *	"seen_s"   since the trace was there;  "run_s": of the run, so far read
 *	"ranks_number", "hosts_number", "events", "messages", "bytes"
 *	"events_per_s", "messages_per_s", "bytes_per_s"
 *	           since the snapshot before
 *	"behind_s", "behind_bytes"
 *	           of what the program has done, and recorded, not yet read;
 *	           "hungry": 1 where nothing is left but to wait for a rank
 *	"comparable"  0: clocks cannot be compared, nothing is known of waits
 *	"clock_s"  half the interval of the clocks at the worst
 *	"tracing"  what tracing is of all time, from the alphas so far
 *	"computing", "mpi", "waiting"
 *	           of all time so far; waiting is part of mpi
 *	"now"      {"computing", "mpi", "waiting", "tracing"} since the
 *	           snapshot before
 *	"ranks"    [{"rank", "host", "events", "computing", "mpi", "waiting",
 *	           "tracing", "doing"}, ...], shares of the rank's time so far;
 *	           "doing": "MPI_Recv x.c:8", or "" outside of calls. The first
 *	           SNAPSHOT_RANKS
 *	"waits"    [{"rank", "for", "s", "n", "kind", "call"}, ...], longest
 *	           first: who waited for whom and where
 *	"calls"    [{"call", "calls", "s", "waiting_s", "bytes",
 *	           "by_rank"}, ...], longest first; by_rank: s of each of
 *	           "ranks", by their order
 *	"regions"  [{"region", "entries", "s", "own_s"}, ...]
 *	"pairs"    [{"from", "to", "messages", "bytes", "late_s"}, ...],
 *	           most bytes first
 *	"plugins"  [{"file", "status"}, ...]: what a plug-in says of how it
 *	           goes, or ""
 *
 * A region that is open is in no sum yet, as a call under way.
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

/* json: without its newline, valid during the call. */
typedef void live_reader(void *self, size_t program, const char *json);

/* From now on f is called with each snapshot; dies when out of memory. */
void live_subscribe(live_reader *f, void *self);

/* Gives a snapshot to all that have subscribed. */
void live_publish(size_t program, const char *json);

#endif
