/*
 * Did ranks wait for processors: were there more that wanted to run than
 * processors for them?
 */
#ifndef TAPE_CONTENTION_H
#define TAPE_CONTENTION_H

#include <stddef.h>

#include "tape_reader.h"

/* The rank that waited longest, and what it had to share. */
struct tape_contention {
	int rank;
	struct tape_processor_info of; /* that rank */
	size_t others;     /* more ranks that waited */
	size_t ranks;      /* on its host, that may use what it may use */
	double ns, waited_ns; /* of these together, as far as is known */
	size_t processors; /* that all these may use; 0: not known */
};

/*
 * Non-zero where ranks of t waited for processors: more than a hundredth of
 * their time, and more than a millisecond, which a machine's own work does not
 * take.
 */
int tape_contention(const struct tape_trace *t, struct tape_contention *c);

/*
 * The same in words, a sentence without its end:
 *
 *	3 ranks shared 2 processors and waited 910 ms for them, 15% of their
 *	time (longest: rank 1, 500 ms of 2.00 s)
 *
 * Cut to n bytes. Returns 1, or 0 where nobody waited.
 */
int tape_contention_text(const struct tape_trace *t, char *text, size_t n);

#endif
