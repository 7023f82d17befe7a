/* The calls of a trace that race, by call site; as text and JSON. */
#ifndef RACES_RACE_SUMS_H
#define RACES_RACE_SUMS_H

#include "race_search.h"

/* The calls of a call site, of all ranks. */
struct race_site {
	const struct tape_site_info *site;
	int *rank; /* in their order */
	size_t n_ranks;
	uint64_t calls, racing, first;
	/* of the racing ones, by what tico found (receive_order.h) */
	uint64_t open, turned;
	/* a race, a first one if there is one */
	struct race_call call;
	struct race_message rival;
	int has_example, is_first;
};

struct race_sums {
	struct tape_trace *t;
	struct race_site *site; /* the worst first */
	size_t n_sites;
	uint64_t calls, racing, first;
	/* what tico found of all; is_classified 0: it found nothing out */
	int is_classified;
	uint64_t open, turned;
	struct race_limits limits;
	int64_t start_ns; /* of the first event of all */
};

/*
 * Searches t, whose call sites were looked up. Dies when out of memory. The
 * caller frees the result; t must stay.
 */
struct race_sums *race_sums_new(struct tape_trace *t);
void race_sums_free(struct race_sums *s);

/* Print on standard output. */
void race_print_text(const struct race_sums *s);
void race_print_json(const struct race_sums *s);

#endif
