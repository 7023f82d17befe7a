/*
 * The report: one HTML file with a chapter for each program. Several programs
 * are first compared. The file loads nothing from elsewhere. It holds the data
 * of its pictures and tables as JSON, too: the first 2,000 rows of long tables.
 *
 *	struct report_look look = { .name = "cg", .phases = 1, .graphs = 1 };
 *	struct report_chapter *c = report_chapter_new(sums, &look);
 *
 *	report_write(f, &c, 1, NULL);
 *	report_chapter_free(c);
 *
 * A chapter is made from sums (stat.h) and does not depend on them afterwards:
 * it can be saved, and loaded in another process. Names from traces are
 * untrusted and are escaped here. All functions die when out of memory.
 */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include <stdio.h>

#include "stat.h"

/* Settings of a chapter. */
struct report_look {
	const char *name; /* of the program; NULL: from the trace's name */
	int columns;	  /* of maps by rank; 0: about as many as rows */
	int phases;	  /* read the trace again to find its phases */
	int graphs;	  /* Graphviz may be run for pictures */
	int all;	  /* the data has all rows of long tables */
};

struct report_chapter;

/* The caller keeps s and frees the chapter. */
struct report_chapter *report_chapter_new(struct stats *s,
					  const struct report_look *look);
void report_chapter_free(struct report_chapter *c);

/* Save a chapter, and load it in another process. report_chapter_load returns
 * NULL if f has no complete chapter. */
void report_chapter_save(const struct report_chapter *c, FILE *f);
struct report_chapter *report_chapter_load(FILE *f);

/* Two runs of one program, to be compared as by tapestat -d. */
struct report_runs {
	struct stats *before, *after;
	double least; /* smallest difference reported, as share of all time */
};

/* Writes the page. runs: the runs of the first two chapters, or NULL. */
void report_write(FILE *f, struct report_chapter *const *c, size_t n,
		  const struct report_runs *runs);

/* Writes the data of the page as JSON. */
void report_write_json(FILE *f, struct report_chapter *const *c, size_t n,
		       const struct report_runs *runs);

#endif
