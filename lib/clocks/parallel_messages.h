/*
 * Reads the messages of a trace in several processes of an MPI job, each those
 * that its ranks receive. Process 0 does everything else; the others serve:
 *
 *	if (p->me)
 *		parallel_messages_serve(p);
 *	else {
 *		parallel_messages_check(p, t, &x, c, m, k, b);
 *		...
 *		parallel_messages_dismiss(p);
 *	}
 *
 * The result is that of one process, to the last bit: process 0 combines whole
 * numbers, and the tightest bounds of clocks.
 */
#ifndef SBA_PARALLEL_MESSAGES_H
#define SBA_PARALLEL_MESSAGES_H

#include "check.h"
#include "linear_fit.h"

void parallel_messages_serve(struct tape_peers *p);
void parallel_messages_dismiss(struct tape_peers *p);

/*
 * check_messages by all processes or, if p is NULL, by this process. With x, k
 * is that of linear_fit_open for x, and b belongs to k. x NULL: k and b are
 * NULL, too.
 */
void parallel_messages_check(struct tape_peers *p, struct tape_trace *t,
			     const struct linear_options *x, struct check *c,
			     struct tape_not_recorded *m, struct clocks *k,
			     struct bounds *b);

/*
 * Prints the measured and the modelled bytes between processes, one line on
 * stderr. now is zeroed if the trace was read once only.
 */
void parallel_messages_report(const struct tape_peers *p,
			      const struct check *raw, const struct check *now,
			      struct bounds *b);

#endif
