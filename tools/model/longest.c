/* The longest transit that a trace shows; see longest.h. */
#include <math.h>

#include "longest.h"

void tape_longest_seen(struct tape_longest_seen *s, const struct tape_parcel *p,
		       double ns)
{
	if (ns >= 0 && !p->rendezvous)
		tape_sampler_add(&s->ns[p->distance]
				       [tape_size_class(p->bytes)], ns);
}

static double longest(const struct tape_sampler *from_class, int classes)
{
	double most = 0;
	uint64_t n = 0;

	for (int c = 0; c < classes; c++) {
		if (!from_class[c].n)
			continue;
		n += from_class[c].seen;
		most = fmax(most, tape_sampler_quantile(&from_class[c], 0.95));
		if (n >= TAPE_LONGEST_MESSAGES)
			return most;
	}
	return INFINITY;
}

void tape_longest_fit(const struct tape_longest_seen *s, struct tape_longest *l)
{
	for (int d = 0; d < TAPE_DISTANCES; d++)
		for (int c = 0; c < TAPE_SIZE_CLASSES; c++)
			l->ns[d][c] = longest(&s->ns[d][c],
					      TAPE_SIZE_CLASSES - c);
}

double tape_longest(const struct tape_longest *l, const struct tape_parcel *p)
{
	return p->rendezvous ? INFINITY
			     : l->ns[p->distance][tape_size_class(p->bytes)];
}
