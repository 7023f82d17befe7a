/*
 * Parts of tapelive. The process that the user started (tapelive.c) has an
 * engine for each trace: one or several child processes (engine.c). An engine
 * follows its trace (trace_source.c), sums up as tapestat does, and writes
 * snapshots into a pipe. A snapshot is a line; its first character is
 * SNAPSHOT_JSON or SNAPSHOT_VIEW. The standard output of an engine is a file in
 * memory, which tapelive prints at the end.
 */
#ifndef LIVE_LIVE_H
#define LIVE_LIVE_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#include "output_options.h"
#include "live_workers.h"
#include "plugins.h"
#include "receiver.h"

enum { SNAPSHOT_JSON = 'J', SNAPSHOT_VIEW = 'V' };

/* The options of the command line. */
struct live_options {
	struct stat_answer answer;
	double wait_s, every_s; /* for a trace; between snapshots */
	/* keep: never consume the trace; consume: consume the trace even if it
	 * was not written for streaming */
	int keep, consume;
	size_t history;	      /* limit of the call log, bytes; 0: none */
	int view;	      /* show snapshots on a terminal */
	double lines;	      /* print a line every so many seconds; 0: none */
	const char *report;   /* name of the report page, or NULL */
	int chapter;	      /* of an engine: file for its chapter, or -1 */
	int http, port, open; /* serve the live page; open: without token */
	const char **plugin;  /* as on the command line */
	size_t plugins;
	struct tape_plugins_options each;
	struct tape_plugins *plugged; /* NULL: none; program i is level i + 1 */
	struct live_spool spool;
	int spooled; /* directories will be removed: show program names */
	int window;  /* store the window from_ns, to_ns as a trace */
	int64_t from_ns, to_ns;
	const char *output; /* name of the window's trace, or NULL */
	size_t programs;
	int processes; /* that analyse one trace in parallel */
};

/* Memory that all processes share, zero at first. */
struct live_shared {
	atomic_int stop;	  /* 1: finish with the data read so far */
	atomic_int rows, columns; /* size of the view of an engine */
};

/* Returns the time of the monotonic clock, ns. */
int64_t live_now_ns(void);

/*
 * Runs the engine: follows the trace in dir in parallel with the other workers
 * (NULL: serial), and writes snapshots to out. name: the trace in messages.
 * number: of the program. Never returns.
 */
__attribute__((noreturn)) void
live_run_engine(const struct live_options *o, const char *dir, const char *name,
		size_t number, struct live_shared *shared,
		struct live_workers *workers, int out);

/* ---- live_plugins.c: plug-ins ---- */

/*
 * Start the plug-ins before the engines are forked; end them when the engines
 * have ended. live_plugins_finish returns the number of plug-ins that failed.
 */
void live_plugins_start(struct live_options *o, size_t programs);
size_t live_plugins_finish(const struct live_options *o);

/*
 * Prints the output of the plug-ins, after the output of the engines of the n
 * traces of these names. open: a JSON object has begun.
 */
void live_plugins_print(const struct live_options *o, const char *const *names,
			size_t n, int open);

/* The plug-ins that an engine feeds. plugins NULL: none. */
struct live_plugin_feed {
	struct tape_plugins *plugins;
	uint32_t level;
};

/*
 * Called by an engine: when its trace is open; with each item that is found;
 * regularly; when the whole trace is read.
 */
void live_plugins_begin(const struct live_plugin_feed *g,
			const struct tape_trace *t, struct tape_analysis *a,
			const struct tape_peers *peers);
void live_plugins_feed(const struct live_plugin_feed *g,
		       const struct tape_found *f);
void live_plugins_flush(const struct live_plugin_feed *g);
void live_plugins_end(const struct live_plugin_feed *g);

/* ---- trace_source.c: a trace in progress ---- */

struct live_source;

/*
 * Waits for the trace in dir and opens it. name: the trace in messages. tick is
 * called regularly while no data arrives. Dies with a message if no trace
 * begins in time, or dir is not a trace.
 */
struct live_source *live_source_open(const struct live_options *o,
				     const char *dir, const char *name,
				     struct live_shared *shared,
				     struct live_workers *workers,
				     void (*tick)(void *), void *self);

/* Returns the workers that share the flows; NULL: one process reads all. */
struct live_workers *live_source_workers(const struct live_source *s);

/* Publishes in DIR/live whether every worker is blocked on the writers. */
void live_source_publish_starved(struct live_source *s);

/* Returns the trace, which the source owns; NULL before it is open. */
struct tape_trace *live_source_trace(const struct live_source *s);

/* Called when an event was read: the engine is not starved. */
void live_source_mark_progress(struct live_source *s);

/*
 * Return the bytes that are recorded and not read: in all flows; in the flows
 * of this worker. live_source_is_starved returns 1 if this worker is blocked on
 * the writer of a flow.
 */
uint64_t live_source_unread_bytes(const struct live_source *s);
uint64_t live_source_own_unread(const struct live_source *s);
int live_source_is_starved(const struct live_source *s);

/* Returns when the trace was opened (live_now_ns); 0: not open yet. */
int64_t live_source_start_ns(const struct live_source *s);

/* Returns the reason why reading ended early, or "". */
const char *live_source_end_reason(const struct live_source *s);

/* Returns the trace directory. */
const char *live_source_directory(const struct live_source *s);

/*
 * In a process that was forked: reading ends with what is there now. Nothing is
 * consumed, and the writers see nothing of this process.
 */
void live_source_detach(struct live_source *s);

void live_source_close(struct live_source *s);

/* ---- answer_process.c: the answer so far ---- */

/*
 * A copy of this process (fork) that makes the answer of what was recorded so
 * far, while this process goes on.
 */
struct live_answering;

/* n: processes that answer together. The caller frees it, which ends the
 * copy. */
struct live_answering *live_answering_new(int n);
void live_answering_free(struct live_answering *a);

/*
 * Returns 0 if a copy is at work, or the last one ended so short a time ago
 * that all n of them would use more than a tenth of a processor.
 */
int live_answering_may_start(const struct live_answering *a);

/*
 * Starts the copy. Returns 0 if there is none. Else it returns 1 in both
 * processes: *to is NULL in this one. The copy writes its answer to *to and
 * ends by live_answering_end.
 */
int live_answering_start(struct live_answering *a, FILE **to);
__attribute__((noreturn)) void live_answering_end(FILE *to);

/*
 * Reads what the copy has written. Returns the whole answer, which the caller
 * frees, once; else NULL. *busy: the copy is still at work.
 */
char *live_answering_poll(struct live_answering *a, int *busy);

/* Returns 1 while a copy is at work. Ends it. */
int live_answering_is_busy(const struct live_answering *a);
void live_answering_stop(struct live_answering *a);

/* ---- snapshot.c: the state that is shown ---- */

struct live_snapshot;

/*
 * A snapshot of a program, and figures of the previous one for rates. number:
 * of the program. trace is not copied. plugins NULL: none. The caller frees.
 */
struct live_snapshot *live_snapshot_new(size_t number, const char *trace,
					const struct tape_plugins *plugins);
void live_snapshot_free(struct live_snapshot *s);

/*
 * Takes a new snapshot. stats NULL: no event was read so far. state: "waiting",
 * "running" or "over".
 */
void live_snapshot_take(struct live_snapshot *p, const struct live_source *src,
			struct stats *stats, const char *state);

/* Writes the snapshot as a line of JSON (snapshot_feed.h). */
void live_snapshot_put_json(const struct live_snapshot *p, FILE *f);

/*
 * Writes the snapshot for a terminal: at most rows lines of columns characters,
 * each ended by SCREEN_NEXT. rows 1: a short form for a log.
 */
void live_snapshot_put_text(const struct live_snapshot *p, FILE *f, int rows,
			    int columns);

#endif
