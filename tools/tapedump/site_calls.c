/* The calls of call sites in a text trace; see site_calls.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "growing_array.h"
#include "site_calls.h"
#include "sort.h"
#include "tool.h"

struct site_call {
	int rank;
	uint32_t site;
	unsigned call;
};

void site_calls_define(struct site_calls *s, int rank, const char *line)
{
	struct site_call one = { .rank = rank };

	if (sscanf(line, "site %" SCNu32 " %u", &one.site, &one.call) != 2 &&
	    sscanf(line, "address %" SCNu32 " %u", &one.site, &one.call) != 2)
		return;
	s->list = tape_must(
	    tape_grow_array(s->list, &s->room, s->n + 1, sizeof *s->list));
	s->list[s->n++] = one;
	s->sorted = 0;
}

static int compare_site_calls(const void *a, const void *b)
{
	const struct site_call *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->site < y->site ? -1 : x->site > y->site;
}

unsigned site_calls_find(struct site_calls *s, int rank, uint32_t site)
{
	struct site_call key = { rank, site, 0 }, *found;

	if (!s->n)
		return 0;
	if (!s->sorted)
		tape_sort(s->list, s->n, sizeof *s->list, compare_site_calls);
	s->sorted = 1;
	found = tape_search(&key, s->list, s->n, sizeof *s->list,
			    compare_site_calls);
	return found ? found->call : 0;
}

void site_calls_free(struct site_calls *s)
{
	free(s->list);
}
