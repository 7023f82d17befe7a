/* Who sends his trace to whom; see routes.h. */
#include <stdlib.h>

#include "routes.h"

/* The k-th partition that analyses, and how many there are. */
static const struct tape_partition *
find_analyser(const struct tape_partitions *p, int k, int *n)
{
	const struct tape_partition *found = NULL;

	*n = 0;
	for (int i = 0; i < p->n; i++)
		if (p->list[i].analyser && (*n)++ == k)
			found = &p->list[i];
	return found;
}

int *tape_routes(const struct tape_partitions *p)
{
	int *to = malloc((size_t)p->size * sizeof *to), many, programs = 0;
	int *n_assigned = calloc((size_t)p->n + 1, sizeof *n_assigned);

	for (int i = 0; to && i < p->size; i++)
		to[i] = -1;
	find_analyser(p, 0, &many);
	for (int i = 0; to && n_assigned && many && i < p->n; i++) {
		const struct tape_partition *a, *w = &p->list[i];
		int unused;

		if (w->analyser)
			continue;
		a = find_analyser(p, programs++ % many, &unused);
		for (int k = 0; k < w->size; k++)
			to[w->ranks[k]] =
			    a->ranks[n_assigned[a->id]++ % a->size];
	}
	if (!n_assigned) {
		free(to);
		to = NULL;
	}
	free(n_assigned);
	return to;
}
