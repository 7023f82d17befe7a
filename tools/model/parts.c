/* A clock's bounds in a few parts; see parts.h. */
#include <math.h>

#include <gsl/gsl_sort.h>

#include "parts.h"

enum {
	BLOCK = 40,     /* bounds that a part has at least */
	ODD = 2         /* parts that may have something wrong with them */
};

size_t tape_parts(const struct tape_corridor_bounds *s, size_t first,
		  size_t end, struct tape_corridor w[TAPE_PARTS])
{
	size_t all = end - first, k = 0;
	size_t n = all / BLOCK < TAPE_PARTS ? all / BLOCK : TAPE_PARTS;

	for (size_t i = 0; i < n; i++)
		k += (size_t)tape_corridor_line(s, first + i * all / n,
					     first + (i + 1) * all / n, &w[k]);
	return k;
}

double tape_parts_unseen(const struct tape_corridor *all,
			 const struct tape_corridor *w, size_t n)
{
	double rate[TAPE_PARTS];

	for (size_t i = 0; i < n; i++)
		rate[i] = fmax(0, w[i].gap - all->gap) / w[i].half;
	gsl_sort(rate, 1, n);
	return n ? rate[n / 2] : 0;
}

int tape_parts_agree(const struct tape_corridor *all,
		     const struct tape_corridor *w, size_t n)
{
	double floors[TAPE_PARTS];

	for (size_t i = 0; i < n; i++)
		floors[i] = w[i].gap - w[i].noise;
	gsl_sort(floors, 1, n);
	return all->gap >= 0 && (n < TAPE_PARTS || all->gap >= floors[ODD]);
}
