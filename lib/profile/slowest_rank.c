/* Which rank computes longest, and when; see slowest_rank.h. */
#include <stdlib.h>
#include <string.h>

#include "duration_text.h"
#include "growing_array.h"
#include "phases.h"
#include "slowest_rank.h"
#include "sort.h"
#include "stat.h"
#include "tape_follow.h"
#include "tool.h"

/* Parts that a sentence lists; lines of phases. */
enum { PARTS_SAID = 5, LINES = 1000 };

/* How far above the mean a rank computes that counts as slow. */
static const double slow_ratio = 1.05;

/* Of the mean loss of a part: a part that loses less is noise. */
static const double least_part = 0.1;

/* The phases, which the caller frees; NULL: the trace cannot be read again. */
static struct stats_phases *read_phases(struct stats *s)
{
	if (s->ranks < 2 || (s->log ? !stats_has_phases(s)
				     : tape_trace_followed(s->t)))
		return NULL;
	return stats_phases_new(s, NULL, LINES);
}

/* Appends a line, to the part before if that has the same rank. */
static void add_line(struct slowest_ranks *x, size_t *room,
		     const struct stat_slowest *line)
{
	struct slowest_part *last = x->n ? &x->part[x->n - 1] : NULL;

	if (last && last->rank == line->rank) {
		last->over_ns += line->over_ns;
		return;
	}
	x->part = tape_must(
	    tape_grow_array(x->part, room, x->n + 1, sizeof *x->part));
	x->part[x->n++] =
	    (struct slowest_part){line->rank, line->from_ns, 0, line->over_ns};
}

/*
 * Drops the parts in which little is lost, by the mean of all parts, and joins
 * what then has one rank.
 */
static void drop_short_parts(struct slowest_ranks *x)
{
	double least = 0;
	size_t n = 0;

	for (size_t i = 0; i < x->n; i++)
		least += least_part * x->part[i].over_ns / (double)x->n;
	for (size_t i = 0; i < x->n; i++) {
		if (x->part[i].over_ns < least)
			continue;
		if (n && x->part[n - 1].rank == x->part[i].rank)
			x->part[n - 1].over_ns += x->part[i].over_ns;
		else
			x->part[n++] = x->part[i];
	}
	x->n = n;
}

struct slowest_ranks slowest_ranks_find(struct stats *s)
{
	struct stats_phases *p = read_phases(s);
	struct slowest_ranks x = {0};
	struct stat_slowest line;
	size_t room = 0;

	for (size_t i = 0; p && stat_phase_slowest(p, i, &line); i++)
		if (line.rank >= 0 && line.ratio >= slow_ratio)
			add_line(&x, &room, &line);
	drop_short_parts(&x);
	for (size_t i = 0; i < x.n; i++)
		x.part[i].to_ns = i + 1 < x.n ? x.part[i + 1].from_ns
					      : (double)(s->to_ns - s->from_ns);
	stats_free_phases(p);
	return x;
}

void slowest_ranks_free(struct slowest_ranks *x)
{
	free(x->part);
}

static int order_ranks(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* "ranks 0-3" */
static void all_ranks_text(const struct slowest_ranks *x, char *text,
			   size_t size)
{
	int *rank = tape_must(calloc(x->n + 1, sizeof *rank));
	size_t n = 0;

	for (size_t i = 0; i < x->n; i++)
		rank[i] = x->part[i].rank;
	tape_sort(rank, x->n, sizeof *rank, order_ranks);
	for (size_t i = 0; i < x->n; i++)
		if (!i || rank[i] != rank[i - 1])
			rank[n++] = rank[i];
	stat_rank_list(rank, n, text, size);
	free(rank);
}

void slowest_ranks_text(const struct slowest_ranks *x, char *text, size_t size)
{
	char until[TAPE_DURATION_TEXT_BYTES], ranks[300];
	size_t n;

	if (x->n > PARTS_SAID) {
		all_ranks_text(x, ranks, sizeof ranks);
		snprintf(text, size, "the slowest rank changes %zu times (%s)",
			 x->n - 1, ranks);
		return;
	}
	n = (size_t)snprintf(text, size, "the slowest rank changes (");
	for (size_t i = 0; i + 1 < x->n && n < size; i++)
		n += (size_t)snprintf(
		    text + n, size - n, "rank %d until %s, ", x->part[i].rank,
		    tape_duration_text(x->part[i].to_ns, until, sizeof until));
	if (n < size)
		snprintf(text + n, size - n, "then rank %d)",
			 x->part[x->n - 1].rank);
}

void slowest_ranks_json(const struct slowest_ranks *x, FILE *f)
{
	fputs("\"slowest\":[", f);
	for (size_t i = 0; i < x->n; i++)
		fprintf(f, "%s{\"rank\":%d,\"from_s\":%.15g,\"to_s\":%.15g}",
			i ? "," : "", x->part[i].rank, x->part[i].from_ns / 1e9,
			x->part[i].to_ns / 1e9);
	fputs("]", f);
}
