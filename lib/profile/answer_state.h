/* The figures of an answer, for its files; see answer.h. */
#ifndef STAT_ANSWER_STATE_H
#define STAT_ANSWER_STATE_H

#include "causes.h"
#include "slowest_rank.h"
#include "stat.h"

/* Waiting at one call site, of one kind. */
struct site {
	uint32_t call, kind;
	double ns;
	struct tape_ready ready; /* of that, for a processor */
	double *by_flow, *for_flow;
};

struct answer {
	struct stats *s;
	struct stat_rank *rank;
	size_t ranks;
	unsigned char *is_cause; /* of what is said, by index of a rank */
	double all_ns, waiting_ns; /* of all ranks */
	struct tape_cause *cause;
	size_t causes, said; /* the first of them are worth a line */
	struct site *site;
	size_t sites;
	struct slowest_ranks slowest; /* where a balance saves in steps */
};

/* "Ranks 1-3" */
void answer_ranks_text(const struct tape_late_ranks *r, char *text,
		       size_t size);

/* Sets by_flow and for_flow of k, which the caller frees. */
void answer_sum_site_flows(const struct stats *s, struct site *k);

/*
 * The lines of causes and call sites, without waiting for a processor: those of
 * which it is certain that enough remains. answer_without.c
 */
void answer_print_without_ready(const struct answer *a, FILE *f);

#endif
