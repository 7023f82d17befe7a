/*
 * The answer of a report: what made ranks wait, where they waited, and what a
 * better balance would save. The sentences and the member "answer" of the JSON
 * are made of the same figures.
 *
 *	struct answer *a = answer_new(s);
 *
 *	answer_print(a, stdout);
 *	answer_free(a);
 */
#ifndef STAT_ANSWER_H
#define STAT_ANSWER_H

#include <stdio.h>

#include "sums.h"

struct answer;

/* s outlives it. Dies when out of memory. The caller frees it. */
struct answer *answer_new(struct stats *s);
void answer_free(struct answer *a);

/*
 * Writes a line for each important cause of waiting, and for each important
 * call site with waiting: at most three and two of them.
 */
void answer_print(const struct answer *a, FILE *f);

/*
 * Writes a line for each call site whose calls take longer and longer, waiting
 * left out: the means of the first and the last quarter of the time between its
 * first and its last call. At most two.
 */
void answer_print_growth(const struct answer *a, FILE *f);

/* A sentence on the balance of the ranks; "": of one rank. Cut to size. */
void answer_balance_text(const struct answer *a, char *text, size_t size);

/*
 * Writes ,"answer":{...}:
 *
 *	waiting_s		of all ranks
 *	unexplained_s		of that, without a known cause (delay.h)
 *	balance_saves_s		what a perfect balance would save at most; null:
 *				the figure cannot be true (figure_checks.h)
 *	processor_s		of the waiting: for a processor, bounds; null:
 *				not known, or next to none (processor_waits.h)
 *	slowest			where the slowest rank changes: the parts of
 *				the run (slowest_rank.h); else empty
 *	causes			those of the sentences, by descending seconds;
 *				each an object:
 *		ranks		with a twentieth or more of the largest part
 *		most, most_share	the rank with the largest part, and
 *				its share of the cause
 *		seconds, share	of the waiting
 *		computing	true: between calls; false: in one
 *		activity	"after MPI_Send x.c:8"
 *		waiting_call	where most of the ranks waited
 *		on_processor, waiting_for_processor, blocked
 *				of the time of that activity in "ranks": bounds
 *				of these shares, or null
 *		processor_s	of the seconds: as above
 *	counters	of the ranks, beside the others (counter_ratios.h)
 *	growing			call sites whose calls take longer and longer,
 *				each an object:
 *		call		"MPI_Alltoall x.c:9"
 *		from_s, to_s	a call, in the first and the last quarter
 *		seconds		that all calls took above from_s each
 */
void answer_print_json(const struct answer *a, FILE *f);

#endif
