/* Calibrations that contradict each other; see drift.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "drift.h"

/* The speed of the machine is another one from here on. */
#define OTHER_SPEED 1.1

int tape_drift_worst(const struct tape_trace *t, struct tape_drift *d,
		     size_t *others)
{
	struct tape_drift one;
	int worst = -1;

	*others = 0;
	for (size_t i = 0; i < tape_trace_ranks(t); i++) {
		if (!tape_rank_drift(tape_trace_rank(t, (int)i), &one))
			continue;
		*others += worst >= 0;
		if (worst >= 0 && fabs(log(one.ratio)) <= fabs(log(d->ratio)))
			continue;
		worst = (int)i;
		*d = one;
	}
	return worst;
}

int tape_drift_text(const struct tape_trace *t, char *text, size_t n)
{
	struct tape_drift d;
	size_t others, used;
	int rank = tape_drift_worst(t, &d, &others), faster;

	if (rank < 0)
		return 0;
	faster = d.work > OTHER_SPEED || d.work < 1 / OTHER_SPEED;
	snprintf(text, n,
		 "%s: on rank %d an event cost %.2f times as much at "
		 "the end as at the start (%zu of %zu constants)",
		 faster ? "the machine changed speed" : "calibrations differ",
		 rank, d.ratio, d.apart, d.n);
	used = strlen(text);
	if (faster && used < n)
		snprintf(text + used, n - used, ", independent operations took "
			 "%.2f times as long", d.work);
	used = strlen(text);
	if (others && used < n)
		snprintf(text + used, n - used, "; the same on %zu more rank%s",
			 others, others > 1 ? "s" : "");
	return 1;
}
