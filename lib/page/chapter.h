/* The parts of a chapter of the report; see report_html.h. */
#ifndef REPORT_CHAPTER_H
#define REPORT_CHAPTER_H

#include "report_html.h"
#include "run_scaling.h"

/* The sum over all calls of one name in a program. */
struct report_call {
	char *name;
	double total_ns, calls, bytes;
};

/* The figures by which programs are compared. Times are sums over all ranks,
 * ns. */
struct report_sum {
	char *name, *base; /* base: "as measured" */
	char *said;	   /* the main finding, a line of tapestat's report */
	double ranks, hosts, run_ns, all_ns, computing_ns, calls_ns, waiting_ns,
	    tracing_ns, events, messages, bytes, incomplete;
	struct report_call *call;
	size_t calls;
	char *program;		    /* that was traced; NULL: not known */
	struct run_figures figures; /* of its run, if program is known */
};

struct report_chapter {
	struct report_sum sum;
	char *html, *json;
	size_t n_html, n_json;
};

/* The input of a chapter. */
struct chapter_draft {
	struct stats *s;
	const struct report_look *look;
	struct stat_rank *rank; /* the ranks in the trace, in order */
	size_t ranks;
	struct sheet *table[STAT_TABLES]; /* NULL: not made */
	struct maps *maps;
	struct traffic *traffic;
};

/* Write the parts of a chapter, each with its heading. */
void chapter_put_overview(struct chapter_draft *m, FILE *f);
void chapter_put_efficiency(struct chapter_draft *m, FILE *f);
void chapter_put_calls(struct chapter_draft *m, FILE *f);
void chapter_put_waits(struct chapter_draft *m, FILE *f);
void chapter_put_messages(struct chapter_draft *m, FILE *f);
void chapter_put_maps(struct chapter_draft *m, FILE *f);
void chapter_put_phases(struct chapter_draft *m, FILE *f);
void chapter_put_quality(struct chapter_draft *m, FILE *f);

/*
 * Write the first chapter: the comparison of programs, and of two runs of one
 * program. runs_put_json writes the latter as members of a JSON object.
 */
void comparison_put_html(FILE *f, struct report_chapter *const *c, size_t n);
/* The table of several runs of one program; NULL: chapters are of several. The
 * caller frees it. */
struct sheet *runs_scaling(struct report_chapter *const *c, size_t n);
void runs_put_html(FILE *f, const struct report_runs *r, const char *before,
		   const char *after);
void runs_put_json(FILE *f, const struct report_runs *r);

#endif
