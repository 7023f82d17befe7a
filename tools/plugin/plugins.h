/*
 * Plug-ins of a tool (tape_plugin.h): each in a process of its own, which gets
 * what an analysis finds through shared memory. One that does not load, fails,
 * crashes, hangs or takes too much memory is named in one sentence on standard
 * error; everything else goes on.
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
 * Levels can be fed by different processes, forked after the plug-ins were
 * added, and one level by several that analyse its trace together
 *(tape_peers.h): each of them begins, feeds and ends its own. Then the first
 *one finishes; meanwhile it looks.
 */
#ifndef PLUGIN_PLUGINS_H
#define PLUGIN_PLUGINS_H

#include <stdio.h>

#include "analysis.h"

struct tape_plugins;

/* 0: what stands behind it. */
struct tape_plugins_options {
	unsigned workers;  /* threads of each plug-in: 1 */
	double wait_s;	   /* one that takes nothing for so long hangs: 60 */
	double memory_mib; /* of its process at most: 1024 */
	unsigned feeders;  /* processes that feed one level at most: 1 */
};

/* Levels go from 1 to levels. Dies when out of memory. */
struct tape_plugins *tape_plugins_new(uint32_t levels,
				      const struct tape_plugins_options *o);

/* A value of an option: workers, 1 to 256. Dies where it is none. */
unsigned tape_plugins_workers(const char *text);

/* "FILE" or "FILE:ARGUMENTS": 0, or -1, the plug-in having failed. */
int tape_plugins_add(struct tape_plugins *p, const char *what);

/*
 * The program of that level, which a analyses: its plug-ins hear of it. peers:
 * with whom; NULL: alone.
 */
void tape_plugins_begin(struct tape_plugins *p, uint32_t level,
			const struct tape_trace *t, struct tape_analysis *a,
			const struct tape_peers *peers);

/* What was found: waits while plug-ins are behind. */
void tape_plugins_feed(struct tape_plugins *p, uint32_t level,
		       const struct tape_found *f);

/* What was fed goes to the plug-ins now; else once a second of the trace. */
void tape_plugins_flush(struct tape_plugins *p, uint32_t level);

/* The program has ended. */
void tape_plugins_end_level(struct tape_plugins *p, uint32_t level);

/*
 * Where others feed them: says which plug-ins have crashed meanwhile, and ends
 * those that were stopped. To be called now and then by the process that added
 * them.
 */
void tape_plugins_check(struct tape_plugins *p);

/* Waits for all plug-ins; returns how many of them have failed, ever. */
size_t tape_plugins_finish(struct tape_plugins *p);
void tape_plugins_free(struct tape_plugins *p);

/* ---- what they said: plain text, that nobody has cleaned (escape.h) ---- */

struct tape_plugins_line {
	uint32_t level;	  /* 0: of all */
	const char *text; /* or the name of a figure */
	int is_figure;
	double value;
};

/* By number, from 0. The file; NULL: no more. */
const char *tape_plugins_file(const struct tape_plugins *p, size_t i);

/* Why it failed; NULL: it did not. */
const char *tape_plugins_failed(const struct tape_plugins *p, size_t i);

/* After the end: its k-th line; NULL: no more. */
const struct tape_plugins_line *tape_plugins_line(const struct tape_plugins *p,
						  size_t i, size_t k);

/*
 * Meanwhile: its last status of a level ("": none), of n bytes at most, which
 * TAPE_PLUGINS_STATUS are enough for.
 */
#define TAPE_PLUGINS_STATUS 256
void tape_plugins_status(const struct tape_plugins *p, size_t i, uint32_t level,
			 char *text, size_t n);

/*
 * All of it as text; and as a member of a JSON object, behind a comma. name: of
 * each level, from 1.
 */
void tape_plugins_print(const struct tape_plugins *p, FILE *f,
			const char *const *name);
void tape_plugins_json(const struct tape_plugins *p, FILE *f,
		       const char *const *name);

#endif
