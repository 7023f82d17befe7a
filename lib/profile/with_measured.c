/* A run without tracing and the same as measured; see sums.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "errors.h"
#include "sort.h"
#include "tool.h"

struct named {
	char *name;
	uint32_t place;
};

static int by_place_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* MPI_Finalize is not counted as a call, and yet waits. */
static int is_used(const struct stats *s, uint32_t place)
{
	const struct tape_activity *a = tape_place_get(s->places, place);

	return s->place[place].calls || s->place[place].counted ||
	       (a->kind == TAPE_ACTIVITY_CALL &&
		a->call == TAPE_CALL_MPI_Finalize);
}

/* Places that were used; the caller frees names and list. */
static struct named *list_named_places(const struct stats *s, size_t *n)
{
	struct named *list = tape_must(calloc(s->n_places + 1, sizeof *list));
	char text[TAPE_PLACE_BYTES];

	*n = 0;
	for (uint32_t i = 0; i < s->n_places; i++) {
		if (!is_used(s, i))
			continue;
		tape_activity_text(s->places, i, text, sizeof text);
		list[*n].name = tape_must(strdup(text));
		list[(*n)++].place = i;
	}
	tape_sort(list, *n, sizeof *list, by_place_name);
	return list;
}

static void free_named(struct named *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(list[i].name);
	free(list);
}

const struct stats_place *stats_as_measured(const struct stats *s,
					    uint32_t place)
{
	if (!s->measured || s->as_measured[place] == STATS_NONE)
		return NULL;
	return &s->measured->place[s->as_measured[place]];
}

double stats_waited_as_measured(const struct stats *s,
				const struct stats_waits *w)
{
	const struct stats *m = s->measured;
	const struct stats_waits *k;
	struct stats_waits key = *w;

	if (!m || !m->comparable || m->flows != s->flows ||
	    s->as_measured[w->call] == STATS_NONE)
		return NAN;
	key.call = s->as_measured[w->call];
	k = stats_find_waits(m, &key);
	return k ? k->ns : 0;
}

int stats_is_certain(const struct stats *s)
{
	return s->errors == STATS_OF_INTERVALS && s->measured &&
	       s->measured->errors == STATS_OF_ALPHAS &&
	       s->measured->flows == s->flows;
}

int stats_computing_bounds(const struct stats *s, size_t flow, double *least,
			   double *most)
{
	double ns = stats_computing(s, flow);
	const struct stats_error *a;

	if (!stats_is_certain(s))
		return 0;
	a = &s->measured->flow[flow].alpha;
	*least = fmax(0, ns - a->more);
	*most = ns + a->less;
	return 1;
}

/* What all flows are at most in calls, ns. */
static double max_in_calls(const struct stats *s)
{
	double sum = 0, least, most;

	for (size_t i = 0; i < s->flows; i++) {
		const struct stats_flow *f = &s->flow[i];

		if (!f->span.seen)
			continue;
		stats_computing_bounds(s, i, &least, &most);
		sum += (double)(f->span.to_ns - f->span.from_ns) +
		       f->start.less + f->last.more - least;
	}
	return sum;
}

/* What calls of the place take at least, ns. */
static double min_place_time(const struct stats *s, uint32_t place)
{
	const struct stats_place *m = stats_as_measured(s, place);

	return m ? fmax(0, s->place[place].least_ns - m->alpha.less -
			       m->alpha.more)
		 : 0;
}

int stats_place_bounds(const struct stats *s, uint32_t place, double *least,
		       double *most)
{
	const struct stats_place *p = &s->place[place];
	const struct stats_place *m = stats_as_measured(s, place);

	if (!m || !stats_is_certain(s))
		return 0;
	*least = min_place_time(s, place);
	*most = fmin(p->most_ns + m->alpha.less + m->alpha.more,
		     s->room_ns + *least);
	*most = fmax(*most, p->total_ns);
	return 1;
}

static void find_room(struct stats *s)
{
	s->room_ns = max_in_calls(s);
	for (uint32_t i = 0; i < s->n_places; i++)
		s->room_ns -= min_place_time(s, i);
}

void stats_set_measured(struct stats *s, struct stats *measured)
{
	size_t n, m;
	struct named *ours = list_named_places(s, &n);
	struct named *theirs = list_named_places(measured, &m);

	s->measured = measured;
	s->as_measured =
	    tape_must(malloc((s->n_places + 1) * sizeof *s->as_measured));
	for (size_t i = 0; i < s->n_places; i++)
		s->as_measured[i] = STATS_NONE;
	for (size_t i = 0; i < n; i++) {
		const struct named *found = tape_search(
		    &ours[i], theirs, m, sizeof *theirs, by_place_name);

		if (found)
			s->as_measured[ours[i].place] = found->place;
	}
	free_named(ours, n);
	free_named(theirs, m);
	if (stats_is_certain(s))
		find_room(s);
}
