/* The summary's table of call sites; see dump.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "call_parts.h"
#include "dump.h"
#include "sort.h"
#include "tool.h"
#include "place.h"

/* Call sites shown, of those that took longest. */
enum { SITES_SHOWN = 10 };

struct dump_sites {
	const struct tape_trace *t;
	struct dump_site **ranks; /* by rank, then site */
};

struct dump_sites *dump_sites_new(const struct tape_trace *t)
{
	size_t n = tape_trace_ranks(t);
	struct dump_sites *s = calloc(1, sizeof *s);

	if (!s || !(s->ranks = calloc(n, sizeof *s->ranks)))
		tape_die_no_memory();
	s->t = t;
	for (size_t r = 0; r < n; r++) {
		const struct tape_rank_info *info = tape_trace_rank(t, (int)r);

		s->ranks[r] =
		    tape_must(calloc(info->n_sites + 1, sizeof **s->ranks));
		for (size_t i = 0; i < info->n_sites; i++)
			s->ranks[r][i].site = &info->sites[i];
	}
	return s;
}

void dump_sites_free(struct dump_sites *s)
{
	for (size_t r = 0; r < tape_trace_ranks(s->t); r++)
		free(s->ranks[r]);
	free(s->ranks);
	free(s);
}

static int is_site(const struct dump_sites *s, int rank, uint32_t site)
{
	return site && site < tape_trace_rank(s->t, rank)->n_sites;
}

void dump_sites_count(struct dump_sites *s, const struct tape_event *e)
{
	struct dump_site *rank = s->ranks[e->rank];

	if (is_site(s, e->rank, e->site)) {
		rank[e->site].events++;
		rank[e->site].calls += tape_calls_ended(e);
		rank[e->site].inside_ns += e->inside_ns;
	}
	if (e->also_polls && is_site(s, e->rank, e->also_site))
		rank[e->also_site].calls += e->also_polls;
	if (e->class_ == TAPE_CLASS_BLOCK &&
	    is_site(s, e->rank, e->u.block.site))
		rank[e->u.block.site].calls += e->u.block.calls;
}

static int compare_site_places(const void *a, const void *b)
{
	return tape_place_order(((const struct dump_site *)a)->site,
				((const struct dump_site *)b)->site);
}

static int compare_site_times(const void *a, const void *b)
{
	const struct dump_site *x = a, *y = b;

	if (x->inside_ns != y->inside_ns)
		return x->inside_ns < y->inside_ns ? 1 : -1;
	return compare_site_places(a, b);
}

/* Those that were used, all ranks together, the longest first. */
static struct dump_site *list_used_sites(const struct dump_sites *s, size_t *n)
{
	size_t room = 1, k = 0, out = 0;
	struct dump_site *list;

	for (size_t r = 0; r < tape_trace_ranks(s->t); r++)
		room += tape_trace_rank(s->t, (int)r)->n_sites;
	list = tape_must(calloc(room, sizeof *list));
	for (size_t r = 0; r < tape_trace_ranks(s->t); r++)
		for (size_t i = 1; i < tape_trace_rank(s->t, (int)r)->n_sites;
		     i++)
			if (s->ranks[r][i].calls && s->ranks[r][i].site->call)
				list[k++] = s->ranks[r][i];
	tape_sort(list, k, sizeof *list, compare_site_places);
	for (size_t i = 0; i < k; i++) {
		if (!out || compare_site_places(&list[out - 1], &list[i])) {
			list[out++] = list[i];
			continue;
		}
		list[out - 1].events += list[i].events;
		list[out - 1].calls += list[i].calls;
		list[out - 1].inside_ns += list[i].inside_ns;
	}
	tape_sort(list, out, sizeof *list, compare_site_times);
	*n = out;
	return list;
}

void dump_sites_print(const struct dump_sites *s)
{
	char place[TAPE_PLACE_BYTES];
	size_t n;
	struct dump_site *list = list_used_sites(s, &n);

	if (n)
		printf("\n      events        calls  seconds inside  call and "
		       "call site\n");
	for (size_t i = 0; i < n && i < SITES_SHOWN; i++)
		printf("%12" PRIu64 " %12" PRIu64 " %15.9f  %s  %s\n",
		       list[i].events, list[i].calls,
		       (double)list[i].inside_ns / 1e9,
		       tape_call_name(list[i].site->call),
		       tape_place_text(list[i].site, place, sizeof place));
	if (n > SITES_SHOWN)
		printf("and %zu other call sites\n", n - SITES_SHOWN);
	free(list);
}
