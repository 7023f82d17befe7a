/* The 95% quantile of times in a trace; see max_transit.h for the source. */
#include <math.h>

#include "max_transit.h"

void tape_max_transit_add(struct tape_max_transit_seen *s, uint64_t key,
			  const struct tape_parcel *p, double ns)
{
	if (ns >= 0 && !p->rendezvous)
		tape_sampler_put(&s->ns[p->distance]
				       [tape_size_class(p->bytes)], key, ns);
}

void tape_max_transit_join(struct tape_max_transit_seen *from,
			   struct tape_max_transit_seen *to)
{
	for (int d = 0; d < TAPE_DISTANCES; d++)
		for (int c = 0; c < TAPE_SIZE_CLASSES; c++)
			tape_sampler_join(&from->ns[d][c], &to->ns[d][c]);
}

/* The quantile from size class first on; together: of the whole transport. */
static double class_quantile(const struct tape_max_transit_seen *s, int d,
			     int first, int together)
{
	double most = 0;
	uint64_t n = 0;

	for (int c = first; c < TAPE_SIZE_CLASSES; c++) {
		int k = d;

		for (int i = 0; k < TAPE_DISTANCES;
		     k = (int)tape_distance_substitute((enum tape_distance)d,
						       i++)) {
			const struct tape_sampler *t = &s->ns[k][c];

			if (t->n && (together || k == d)) {
				n += t->seen;
				most =
				    fmax(most, tape_sampler_quantile(t, 0.95));
			}
		}
		if (n >= TAPE_MAX_TRANSIT_MESSAGES)
			return most;
	}
	return INFINITY;
}

void tape_max_transit_fit(const struct tape_max_transit_seen *s,
			  struct tape_max_transit *l)
{
	for (int d = 0; d < TAPE_DISTANCES; d++)
		for (int c = 0; c < TAPE_SIZE_CLASSES; c++) {
			l->ns[d][c] = class_quantile(s, d, c, 0);
			if (isinf(l->ns[d][c]))
				l->ns[d][c] = class_quantile(s, d, c, 1);
		}
}

double tape_max_transit_ns(const struct tape_max_transit *l,
			   const struct tape_parcel *p)
{
	return p->rendezvous ? INFINITY
			     : l->ns[p->distance][tape_size_class(p->bytes)];
}
