/* Finds what begins phases; see phases.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "phase_detect.h"
#include "tool.h"

/* What begins phases comes so often, and better so often; takes so much of the
 * run, and covers nearly as much as what covers most. */
enum { TIMES = 4, GOOD_TIMES = 8 };
static const double least_cover = 0.3, near_most = 0.9;

/* All flows' passes of a place. */
struct passes {
	uint64_t times;
	size_t flows;
	int uneven;
	double cover_ns, first_ns;
};

/*
 * Evenly over its time? If so, the mean is in the middle of what lies between
 * the first and the last, L, and the variance L^2 / 12 (n + 1) / (n - 1).
 */
static int is_evenly_spaced(const struct stats_part *p)
{
	double n = (double)p->calls;
	double length = (double)(p->last_ns - p->first_ns);
	double mean = p->sum_ns / n;
	double variance = p->squares / n - mean * mean;

	double even = length * length / 12 * (n + 1) / (n - 1);

	return length > 0 && fabs(mean / length - 0.5) < 0.15 &&
	       variance > even / 2 && variance < even * 1.5;
}

static struct passes *count_passes(const struct stats *s)
{
	struct passes *list = tape_must(calloc(s->n_places + 1, sizeof *list));
	const struct stats_part *p;
	size_t at = 0;
	uint64_t key;
	double n;

	while ((p = tape_table_each(&s->parts, &at, &key))) {
		struct passes *q = &list[p->place];

		if (!p->calls)
			continue;
		n = (double)p->calls;
		q->uneven |= (q->times && q->times != p->calls) ||
			     (p->calls >= TIMES && !is_evenly_spaced(p));
		q->times = p->calls > q->times ? p->calls : q->times;
		q->flows++;
		q->first_ns += (double)p->first_ns;
		if (p->calls > 1)
			q->cover_ns +=
			    (double)(p->last_ns - p->first_ns) * n / (n - 1);
	}
	return list;
}

static size_t count_ranks(const struct stats *s)
{
	size_t n = 0;
	int last = -1;

	for (size_t i = 0; i < s->flows; i++) {
		int rank = tape_trace_flow(s->t, i)->rank;

		n += s->flow[i].events && rank != last;
		last = s->flow[i].events ? rank : last;
	}
	return n;
}

/* Is q better than what was found so far, by the rules of phases.h? */
static int is_better_marker(const struct passes *q, const struct passes *best)
{
	if (q->times != best->times)
		return q->times < best->times;
	return q->first_ns < best->first_ns;
}

static uint32_t find_repeated(const struct stats *s, const struct passes *list,
			      uint64_t times)
{
	double most = least_cover * stats_all_lengths(s);
	size_t ranks = count_ranks(s);
	uint32_t best = STATS_NONE;

	for (size_t i = 0; i < s->n_places; i++)
		if (list[i].times >= times && !list[i].uneven &&
		    list[i].flows >= ranks)
			most = fmax(most, near_most * list[i].cover_ns);
	for (uint32_t i = 0; i < s->n_places; i++)
		if (list[i].times >= times && !list[i].uneven &&
		    list[i].flows >= ranks && list[i].cover_ns >= most &&
		    (best == STATS_NONE ||
		     is_better_marker(&list[i], &list[best])))
			best = i;
	return best;
}

static uint32_t find_named(const struct stats *s, const char *name)
{
	char text[TAPE_PLACE_BYTES];

	for (uint32_t i = 0; i < s->n_places; i++) {
		enum tape_activity_kind kind =
		    tape_place_get(s->places, i)->kind;

		if (kind != TAPE_ACTIVITY_CALL && kind != TAPE_ACTIVITY_REGION)
			continue;
		if (!s->place[i].calls)
			continue;
		tape_activity_text(s->places, i, text, sizeof text);
		if (!strcmp(text, name))
			return i;
	}
	tape_die(TAPE_FAILED,
		 "%s: no such call site or region. List them with -t calls or "
		 "-t regions",
		 name);
}

/* What the program itself marks. */
static struct marker find_program_marks(const struct stats *s)
{
	struct marker m = {MARKER_NONE, 0, 0};
	uint64_t outermost = 0, names = 0;

	for (size_t i = 0; i < s->flows; i++) {
		if (s->flow[i].controls > m.times)
			m.times = s->flow[i].controls;
		if (s->flow[i].outermost > outermost)
			outermost = s->flow[i].outermost;
	}
	for (size_t i = 0; i < s->n_places; i++)
		names += s->place[i].outermost != 0;
	if (m.times > 1) {
		m.kind = MARKER_CONTROL;
	} else if (outermost > 1 && outermost < TIMES * names) {
		m.kind = MARKER_OUTERMOST;
		m.times = outermost;
	}
	return m;
}

struct marker stat_find_marker(const struct stats *s, const char *wanted)
{
	struct marker m = {MARKER_NONE, 0, 0};
	struct passes *list;

	if (!wanted)
		m = find_program_marks(s);
	if (m.kind != MARKER_NONE)
		return m;
	list = count_passes(s);
	if (wanted) {
		m.place = find_named(s, wanted);
	} else {
		m.place = find_repeated(s, list, GOOD_TIMES);
		if (m.place == STATS_NONE)
			m.place = find_repeated(s, list, TIMES);
	}
	if (m.place != STATS_NONE) {
		m.kind = MARKER_PLACE;
		m.times = list[m.place].times;
	}
	free(list);
	return m;
}
