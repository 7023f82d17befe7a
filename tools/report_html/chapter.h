/* Parts of the report: what a chapter consists of; see report_html.h. */
#ifndef REPORT_CHAPTER_H
#define REPORT_CHAPTER_H

#include "report_html.h"

/* How much of a call there was in a program, ns. */
struct report_call {
	char *name;
	double total_ns, calls, bytes;
};

/* What programs are compared by. Times of all ranks together, ns. */
struct report_sum {
	char *name, *base; /* base: "as measured" */
	char *said;	   /* the most important sentence */
	double ranks, hosts, run_ns, all_ns, computing_ns, calls_ns, waiting_ns,
	    tracing_ns, events, messages, bytes, incomplete;
	struct report_call *call;
	size_t calls;
};

struct report_chapter {
	struct report_sum sum;
	char *html, *json;
	size_t n_html, n_json;
};

/* A chapter that is being made. */
struct chapter_draft {
	struct stats *s;
	const struct report_look *look;
	struct stat_rank *rank; /* those in the trace, in order */
	size_t ranks;
	struct sheet *table[STAT_TABLES]; /* NULL: not made */
	struct maps *maps;
	struct traffic *traffic;
};

/* The chapter's parts, each with its heading. */
void chapter_put_overview(struct chapter_draft *m, FILE *f);
void chapter_put_calls(struct chapter_draft *m, FILE *f);
void chapter_put_waits(struct chapter_draft *m, FILE *f);
void chapter_put_messages(struct chapter_draft *m, FILE *f);
void chapter_put_maps(struct chapter_draft *m, FILE *f);
void chapter_put_phases(struct chapter_draft *m, FILE *f);
void chapter_put_quality(struct chapter_draft *m, FILE *f);

/* The first chapter, and its data as a member of a JSON object. */
void comparison_put_html(FILE *f, struct report_chapter *const *c, size_t n);
void runs_put_html(FILE *f, const struct report_runs *r, const char *before,
		   const char *after);
void runs_put_json(FILE *f, const struct report_runs *r);

#endif
