/* The longest transit that a trace shows; see longest.h. */
#include <math.h>

#include "longest.h"

static int size_class(uint64_t bytes)
{
	return bytes ? 64 - __builtin_clzll(bytes) : 0;
}

void tape_longest_seen(struct tape_longest *l, const struct tape_parcel *p,
		       double ns)
{
	int d = p->distance, c = size_class(p->bytes);

	if (ns < 0 || p->rendezvous)
		return;
	l->n[d][c]++;
	l->most_ns[d][c] = fmax(l->most_ns[d][c], ns);
}

double tape_longest(const struct tape_longest *l, const struct tape_parcel *p)
{
	int d = p->distance;
	double most = 0;
	uint64_t n = 0;

	for (int c = size_class(p->bytes); c < TAPE_SIZE_CLASSES; c++) {
		n += l->n[d][c];
		most = fmax(most, l->most_ns[d][c]);
		if (n >= TAPE_LONGEST_MESSAGES && !p->rendezvous)
			return most;
	}
	return INFINITY;
}
