/*
 * The report: one HTML file, a chapter for each program, which begins with a
 * comparison of them where there are several. Nothing is fetched from
 * elsewhere; what the pictures and tables show is in it as JSON, too, of long
 * tables the first 2,000 rows.
 *
 *	struct report_look look = { .name = "cg", .phases = 1, .graphs = 1 };
 *	struct report_chapter *c = report_chapter_new(sums, &look);
 *
 *	report_write(f, &c, 1, NULL);
 *	report_chapter_free(c);
 *
 * A chapter is made of sums (sums.h) and is then independent of them: it can
 * be saved and loaded in another process. Names from traces are untrusted and
 * are escaped here. Dies with a sentence when out of memory.
 */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include <stdio.h>

#include "stat.h"

/* How a chapter is made. */
struct report_look {
	const char *name; /* of the program; NULL: as the trace is called */
	int columns;	  /* of maps by rank; 0: about as many as rows */
	int phases;	  /* reads the trace once more, for its phases */
	int graphs;	  /* Graphviz may be run for pictures */
	int all;	  /* the data has all rows of long tables */
};

struct report_chapter;

/* s stays the caller's. */
struct report_chapter *report_chapter_new(struct stats *s,
					  const struct report_look *look);
void report_chapter_free(struct report_chapter *c);

/* Between processes. NULL: it is no chapter, or not all of one. */
void report_chapter_save(const struct report_chapter *c, FILE *f);
struct report_chapter *report_chapter_load(FILE *f);

/* Two runs of one program, compared as tapestat -d does it. */
struct report_runs {
	struct stats *before, *after;
	double least; /* more than that share of all time is reported */
};

/* The page; runs: of the first two chapters, or NULL. */
void report_write(FILE *f, struct report_chapter *const *c, size_t n,
		  const struct report_runs *runs);

/* Only its data. */
void report_write_json(FILE *f, struct report_chapter *const *c, size_t n,
		       const struct report_runs *runs);

#endif
