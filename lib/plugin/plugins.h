/*
 * The plug-ins of a tool (tape_plugin.h), each in a process of its own, which
 * gets the results of an analysis through shared memory. A plug-in that does
 * not load, fails, crashes, hangs or uses too much memory is reported in one
 * line on standard error; the analysis continues.
 *
 *	p = tape_plugins_new(1, &(struct tape_plugins_options){ .workers = 1 });
 *	tape_plugins_add(p, "late.so:10");
 *	tape_plugins_begin(p, 1, t, analysis);
 *	while (tape_analysis_next(analysis, &f) == 1)
 *		tape_plugins_feed(p, 1, f);
 *	tape_plugins_end_level(p, 1);
 *	failed = tape_plugins_finish(p);
 *	tape_plugins_print(p, stdout);
 *	tape_plugins_free(p);
 *
 * Different processes, forked after tape_plugins_add, can feed different
 * levels. Several processes that analyse one trace in parallel
 * (tape_peers.h) can feed one level. Each of them begins, feeds and ends its
 * part. Then the process that added the plug-ins finishes; until then it calls
 * tape_plugins_check.
 */
#ifndef PLUGIN_PLUGINS_H
#define PLUGIN_PLUGINS_H

#include <stdio.h>

#include "analysis.h"

struct tape_plugins;

/* 0: the default, which is the last number of each comment. */
struct tape_plugins_options {
	unsigned workers; /* threads of each plug-in: 1 */
	double wait_s; /* a plug-in without progress for this time hangs: 60 */
	double memory_mib; /* maximum memory of a process: 1024 */
	unsigned feeders; /* maximum number of processes that feed a level: 1 */
};

/* Levels go from 1 to levels. Dies when out of memory. */
struct tape_plugins *tape_plugins_new(uint32_t levels,
				      const struct tape_plugins_options *o);

/* Parses an option's number of workers, 1 to 256. Dies if it is wrong. */
unsigned tape_plugins_workers(const char *text);

/*
 * Starts a plug-in, "FILE" or "FILE:ARGUMENTS". Returns 0, or -1 if the plug-in
 * has failed.
 */
int tape_plugins_add(struct tape_plugins *p, const char *what);

/*
 * Begins a level: the program of trace t, which a analyses. peers: the
 * processes of a parallel analysis; NULL: this process alone.
 */
void tape_plugins_begin(struct tape_plugins *p, uint32_t level,
			const struct tape_trace *t, struct tape_analysis *a,
			const struct tape_peers *peers);

/* Sends a result to the plug-ins. Blocks while a plug-in lags. */
void tape_plugins_feed(struct tape_plugins *p, uint32_t level,
		       const struct tape_found *f);

/*
 * Sends buffered results now. Otherwise they are sent once a second of the
 * trace.
 */
void tape_plugins_flush(struct tape_plugins *p, uint32_t level);

/* Ends a level: the program has ended. */
void tape_plugins_end_level(struct tape_plugins *p, uint32_t level);

/*
 * Reports plug-ins that have crashed, and kills those that were stopped. To be
 * called from time to time by the process that added the plug-ins, while other
 * processes feed them.
 */
void tape_plugins_check(struct tape_plugins *p);

/*
 * Waits for the end of all plug-ins. Returns the number of plug-ins that have
 * failed.
 */
size_t tape_plugins_finish(struct tape_plugins *p);
void tape_plugins_free(struct tape_plugins *p);

/* ---- output: text with control characters, not cleaned (escape.h) ---- */

struct tape_plugins_line {
	uint32_t level;	  /* 0: common */
	const char *text; /* text of the line, or name of a figure */
	int is_figure;
	double value;
};

/* The file of plug-in i, from 0. Returns NULL after the last plug-in. */
const char *tape_plugins_file(const struct tape_plugins *p, size_t i);

/* Why plug-in i has failed, or NULL. */
const char *tape_plugins_failed(const struct tape_plugins *p, size_t i);

/*
 * The k-th output line of plug-in i, after its end. Returns NULL after the last
 * line.
 */
const struct tape_plugins_line *tape_plugins_line(const struct tape_plugins *p,
						  size_t i, size_t k);

/*
 * The last status line of plug-in i for a level, while it runs; "": none. n:
 * size of text; TAPE_PLUGINS_STATUS is enough.
 */
#define TAPE_PLUGINS_STATUS 256
void tape_plugins_status(const struct tape_plugins *p, size_t i, uint32_t level,
			 char *text, size_t n);

/*
 * Print the output of all plug-ins as text, or as a member of a JSON object
 * after a comma. name: of each level, from 1.
 */
void tape_plugins_print(const struct tape_plugins *p, FILE *f,
			const char *const *name);
void tape_plugins_json(const struct tape_plugins *p, FILE *f,
		       const char *const *name);

#endif
