/* Ranks that are equally slow; see tied_ranks.h. */
#include <math.h>
#include <stdlib.h>

#include "tied_ranks.h"
#include "tool.h"

/* Times that differ by less, relatively, are equal. */
static const double rounding = 1e-6;

/* By how much times of the two ranks may differ and be equal, ns. */
static double find_tolerance(const struct stat_rank *x,
			     const struct stat_rank *y, double least_ns)
{
	double width =
	    (x->most_ns - x->least_ns + y->most_ns - y->least_ns) / 2;

	if (isnan(width))
		width = rounding * fmax(x->computing_ns, y->computing_ns);
	return fmin(width, least_ns);
}

int tied_ranks_compute_equally(const struct stat_rank *x,
			       const struct stat_rank *y, double least_ns)
{
	return fabs(x->computing_ns - y->computing_ns) <=
	       find_tolerance(x, y, least_ns);
}

/* The same of computing and of waiting. */
static int are_tied(const struct stat_rank *x, const struct stat_rank *y,
		    double least_ns)
{
	return tied_ranks_compute_equally(x, y, least_ns) &&
	       fabs(x->waiting_ns - y->waiting_ns) <=
		   find_tolerance(x, y, least_ns);
}

void tied_ranks_add(const struct stat_rank *rank, size_t n,
		    const unsigned char *is_cause, double least_ns,
		    struct tape_late_ranks *r)
{
	const struct stat_rank *x = NULL;
	int *tied = tape_must(calloc(n + 1, sizeof *tied));
	size_t n_tied = 0;
	int has_other = 0;

	for (size_t i = 0; i < n; i++) {
		if (rank[i].rank == r->rank[0])
			x = &rank[i];
		else if (is_cause[i])
			has_other = 1;
	}
	for (size_t i = 0; x && !has_other && i < n; i++)
		if (are_tied(x, &rank[i], least_ns))
			tied[n_tied++] = rank[i].rank;
	if (n_tied < 2 || n_tied == n) {
		free(tied);
		return;
	}
	free(r->rank);
	r->rank = tied;
	r->n = n_tied;
}
