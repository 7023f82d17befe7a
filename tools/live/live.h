/*
 * Parts of tapelive. The process that the user started (tapelive.c) has a
 * child, an engine, for each trace (engine.c): it follows the trace
 * (trace_source.c), sums up as tapestat does, and writes snapshots into a pipe:
 * lines, of which the first character says what they are (SHOT_JSON,
 * SHOT_VIEW). Its standard output is a file in memory, which is printed at the
 * end.
 */
#ifndef LIVE_LIVE_H
#define LIVE_LIVE_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#include "answer.h"
#include "live_workers.h"
#include "plugins.h"
#include "receiver.h"

enum { SNAPSHOT_JSON = 'J', SNAPSHOT_VIEW = 'V' };

/* What the user asked for. */
struct live_options {
	struct stat_answer answer;
	double wait_s, every_s; /* for a trace; between snapshots */
	int keep, consume;  /* nothing of it goes; it goes, whatever it is */
	size_t history;	    /* bytes, for causes and path; 0: for ever */
	int view;	    /* on a terminal */
	double lines;	    /* as lines, every so many s */
	const char *report; /* the page at the end, or NULL */
	int chapter;	    /* of an engine: the file for its part of it */
	int http, port, open; /* the live page; without a token */
	const char **plugin;  /* as given */
	size_t plugins;
	struct tape_plugins_options each;
	struct tape_plugins *plugged; /* NULL: none; program i is level i + 1 */
	struct live_spool spool;
	int spooled; /* directories will be gone: programs have names */
	int window;		      /* is kept as a trace: */
	int64_t from_ns, to_ns;
	const char *output; /* its name, or NULL */
	size_t programs;
	int processes; /* that analyse one trace together */
};

/* Memory that all processes share; zeros at first. */
struct live_shared {
	atomic_int stop;	  /* finish with what has come */
	atomic_int rows, columns; /* of the view of an engine */
};

/* Now, by a clock that goes on steadily, ns. */
int64_t live_now_ns(void);

/*
 * Follows the trace in dir, which messages call name, with the others of crew
 * (NULL: alone), writes to out; never returns.
 */
__attribute__((noreturn)) void
live_run_engine(const struct live_options *o, const char *dir, const char *name,
		size_t number, struct live_shared *shared,
		struct live_workers *workers, int out);

/* ---- live_plugins.c: plug-ins ---- */

/* Before the engines are there; and when they have ended: how many failed. */
void live_plugins_start(struct live_options *o, size_t programs);
size_t live_plugins_finish(const struct live_options *o);

/*
 * What they said, behind what engines of the n traces of these names printed.
 * open: a JSON object has begun.
 */
void live_plugins_print(const struct live_options *o, const char *const *names,
			size_t n, int open);

/* Of an engine: what it feeds. plugins: NULL: nothing. */
struct live_plugin_feed {
	struct tape_plugins *plugins;
	uint32_t level;
};

/* The trace is there; what was found; now and then; all of it was read. */
void live_plugins_begin(const struct live_plugin_feed *g,
			const struct tape_trace *t, struct tape_analysis *a,
			const struct tape_peers *peers);
void live_plugins_feed(const struct live_plugin_feed *g,
		       const struct tape_found *f);
void live_plugins_flush(const struct live_plugin_feed *g);
void live_plugins_end(const struct live_plugin_feed *g);

/* ---- trace_source.c: a trace under way ---- */

struct live_source;

/*
 * The trace in dir, called name, as soon as there is one. tick is called now
 * and then while nothing comes. Dies with a sentence where none comes in time,
 * or what is there is none.
 */
struct live_source *live_source_open(const struct live_options *o,
				     const char *dir, const char *name,
				     struct live_shared *shared,
				     struct live_workers *workers,
				     void (*tick)(void *), void *self);

/* With whom its flows are read, NULL: one alone does. */
struct live_workers *live_source_workers(const struct live_source *s);

/* Says to its writers whether all wait for them. */
void live_source_publish_starved(struct live_source *s);

/* Owned by the source; NULL before it is open. */
struct tape_trace *live_source_trace(const struct live_source *s);

/* Something came of it. */
void live_source_mark_progress(struct live_source *s);

/* Bytes that were recorded and not read; is it waiting for a rank? */
uint64_t live_source_unread_bytes(const struct live_source *s);
uint64_t live_source_own_unread(const struct live_source *s);
int live_source_is_starved(const struct live_source *s);

/* When it began to be read (live_now); 0: not yet. */
int64_t live_source_start_ns(const struct live_source *s);

/* Why it came to an end too soon: a sentence, or "". */
const char *live_source_end_reason(const struct live_source *s);

void live_source_close(struct live_source *s);

/* ---- snapshot.c: what is shown of it ---- */

struct live_snapshot;

/* What was shown last, to tell rates. plugins: NULL: none. */
struct live_snapshot *live_snapshot_new(size_t number, const char *trace,
					const struct tape_plugins *plugins);
void live_snapshot_free(struct live_snapshot *s);

/* Takes it: stats NULL: nothing was read so far. state: "waiting" ... */
void live_snapshot_take(struct live_snapshot *p, const struct live_source *src,
			struct stats *stats, const char *state);

/* A line of JSON, snapshot_feed.h, with its newline. */
void live_snapshot_put_json(const struct live_snapshot *p, FILE *f);

/*
 * For a terminal: at most so many lines and columns, each ended by SCREEN_NEXT;
 * rows 1: all in one.
 */
void live_snapshot_put_text(const struct live_snapshot *p, FILE *f, int rows,
			    int columns);

#endif
