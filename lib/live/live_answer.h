/*
 * What can be said of the run so far: the sentences of its report, the factors
 * of its efficiency, in which call each rank is, and what can never end.
 *
 *	live_answer_write(to, s, graph, before, now);    in one process
 *	a = live_answer_read(text);                      in another one
 */
#ifndef LIVE_LIVE_ANSWER_H
#define LIVE_LIVE_ANSWER_H

#include <stdio.h>

#include "efficiency.h"
#include "sums.h"
#include "wait_graph.h"

/* Up to a moment of the run: what the flows have computed. */
struct live_progress {
	double at_ns, ideal_ns; /* NAN: not known */
	size_t n;		/* flows; 0: no progress was stored */
	double computing_ns[];	/* NAN: the flow has no events */
};

/* What the first thread of a rank does. */
struct live_rank_now {
	const char *call; /* "MPI_Recv x.c:9"; "": it is in none */
	const char *what; /* "in MPI_Recv x.c:9 for 3.41 s, for ..." */
	double for_s;	  /* since the call began; NAN: not known */
};

struct live_lines {
	const char **line;
	size_t n;
};

struct live_answer {
	char *text;		 /* in which all strings are */
	struct live_lines said;	 /* of the report */
	struct live_lines stuck; /* what can never end */
	struct live_lines ranks; /* of tapewhere: where the ranks are */
	const char *now;	 /* the efficiency since before; "": unknown */
	const char *json;	 /* members of an object, each after a comma */
	struct live_rank_now *rank;
	size_t n_ranks;
};

/*
 * Returns two of them for so many flows, zero at first, in memory that
 * processes share. Dies when out of memory.
 */
void live_progress_new(size_t flows, struct live_progress *two[2]);

/*
 * The factors of the interval between two moments: T is its length, computing
 * that of the flows in it. Unknown of less than 50 ms. live_answer_write has no
 * factors of it where ranks wait for processors.
 */
struct tape_efficiency
live_interval_efficiency(const struct live_progress *before,
			 const struct live_progress *now);

/*
 * Writes the answer of sums that are closed. g: of the same moment.
 * before: the progress at the last answer. *now is set.
 */
void live_answer_write(FILE *to, struct stats *s, struct wait_graph *g,
		       const struct live_progress *before,
		       struct live_progress *now);

/* Returns the answer in text, which it owns from then on. The caller frees. */
struct live_answer *live_answer_read(char *text);
void live_answer_free(struct live_answer *a);

#endif
