/*
 * The messages of a trace gone through by several processes of an MPI job, each
 * those that its ranks receive. Process 0 does all else; the others only serve:
 *
 *	if (p->me)
 *		parallel_messages_serve(p);
 *	else {
 *		parallel_messages_check(p, t, &x, c, m, k, b);
 *		...
 *		parallel_messages_dismiss(p);
 *	}
 *
 * All come to the same as one alone, to the last bit: what is put together are
 * whole numbers, and bounds of clocks of which those stay that say most.
 */
#ifndef SBA_PARALLEL_MESSAGES_H
#define SBA_PARALLEL_MESSAGES_H

#include "check.h"
#include "linear_fit.h"

void parallel_messages_serve(struct tape_peers *p);
void parallel_messages_dismiss(struct tape_peers *p);

/*
 * check_messages by all, or, where p is NULL, by this process alone. k as
 * linear_fit_open makes it of x, and b for it; x NULL: k and b are, too.
 */
void parallel_messages_check(struct tape_peers *p, struct tape_trace *t,
			     const struct linear_options *x, struct check *c,
			     struct tape_not_recorded *m, struct clocks *k,
			     struct bounds *b);

/*
 * What was exchanged and what is modelled, in a line on stderr; now is zeroed
 * where the trace was not gone through again.
 */
void parallel_messages_report(const struct tape_peers *p,
			      const struct check *raw, const struct check *now,
			      struct bounds *b);

#endif
