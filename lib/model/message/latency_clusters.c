/*
 * Levels of switches by latency; see latency_clusters.h for the sources, and
 * doc/platforms.md, "Hosts that share switches".
 */
#include "latency_clusters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "sort.h"

/* A join of two groups, each given by one of its hosts. */
struct join {
	double at;
	size_t a, b;
};

struct joining {
	float *latency;
	size_t n, n_joins;
	size_t *hosts; /* size of the group that host i represents; 0: none */
	size_t *chain; /* each the nearest neighbour of its predecessor */
	size_t length;
	struct join *join;
};

static float *pair_latency(const struct joining *j, size_t a, size_t b)
{
	return &j->latency[a * j->n + b];
}

/* Replaces both directions by their mean. */
static int average_directions(const struct joining *j)
{
	for (size_t a = 0; a < j->n; a++)
		for (size_t b = 0; b < a; b++) {
			float mean =
			    (*pair_latency(j, a, b) + *pair_latency(j, b, a)) /
			    2;

			if (!(mean > 0) || !isfinite(mean))
				return TAPE_ERANGE;
			*pair_latency(j, a, b) = *pair_latency(j, b, a) = mean;
		}
	return 0;
}

/* The group nearest to a; with equal latencies before, or the first. */
static size_t nearest_group(const struct joining *j, size_t a, size_t before)
{
	size_t best = before;

	for (size_t b = 0; b < j->n; b++)
		if (b != a && j->hosts[b] &&
		    (best == j->n ||
		     *pair_latency(j, a, b) < *pair_latency(j, a, best)))
			best = b;
	return best;
}

/* Joins group b to group a: latencies to other groups are weighted means. */
static void merge_groups(struct joining *j, size_t a, size_t b)
{
	double na = (double)j->hosts[a], nb = (double)j->hosts[b];

	j->join[j->n_joins++] = (struct join){*pair_latency(j, a, b), a, b};
	for (size_t c = 0; c < j->n; c++) {
		float mean;

		if (c == a || c == b || !j->hosts[c])
			continue;
		mean = (float)((na * *pair_latency(j, a, c) +
				nb * *pair_latency(j, b, c)) /
			       (na + nb));
		*pair_latency(j, a, c) = *pair_latency(j, c, a) = mean;
	}
	j->hosts[a] += j->hosts[b];
	j->hosts[b] = 0;
}

static void join_all(struct joining *j)
{
	size_t first = 0;

	while (j->n_joins + 1 < j->n) {
		size_t top, next, before = j->n;

		if (!j->length) {
			while (!j->hosts[first])
				first++;
			j->chain[j->length++] = first;
		}
		top = j->chain[j->length - 1];
		if (j->length > 1)
			before = j->chain[j->length - 2];
		next = nearest_group(j, top, before);
		if (next != before) {
			j->chain[j->length++] = next;
			continue;
		}
		j->length -= 2;
		merge_groups(j, top < next ? top : next,
			     top < next ? next : top);
	}
}

static int compare_joins(const void *a, const void *b)
{
	const struct join *p = a, *q = b;

	return (p->at > q->at) - (p->at < q->at);
}

/* ---- groups below a gap ---- */

static size_t group_root(const size_t *over, size_t i)
{
	while (over[i] != i)
		i = over[i];
	return i;
}

/* The least host of each host's group after the first joins. */
static void group_hosts(const struct joining *j, size_t joins, size_t *over)
{
	for (size_t i = 0; i < j->n; i++)
		over[i] = i;
	for (size_t k = 0; k < joins; k++) {
		size_t a = group_root(over, j->join[k].a);
		size_t b = group_root(over, j->join[k].b);

		if (a < b)
			over[b] = a;
		else
			over[a] = b;
	}
	for (size_t i = 0; i < j->n; i++)
		over[i] = over[over[i]]; /* those before are done */
}

/* Returns 1 if two groups or more have two hosts or more. */
static int are_groups(const size_t *over, size_t n, size_t *room)
{
	int several = 0;

	memset(room, 0, n * sizeof *room);
	for (size_t i = 0; i < n; i++)
		several += ++room[over[i]] == 2;
	return several > 1;
}

/* Numbers the groups of a level within the groups above (least hosts: up). */
static void number_groups(unsigned *of, const size_t *over, const size_t *up,
			  size_t n, size_t *room)
{
	memset(room, 0, n * sizeof *room);
	for (size_t i = 0; i < n; i++)
		of[i] = over[i] == i ? (unsigned)room[up[i]]++ : of[over[i]];
}

/*
 * Possible levels: between joins whose latencies differ clearly, the widest
 * last. least has the least host of each host's group, n values for each cut.
 */
enum { CUTS = 64 };
#define APART 1.1 /* well below the gap: one odd pair may fill half of it */

struct cuts {
	int n;
	size_t *least;
	/* latencies of pairs by the number of cuts between them; counts */
	float *ns;
	size_t pairs[CUTS + 1];
};

static int find_cuts(const struct joining *j, struct cuts *c, size_t *room)
{
	size_t n = j->n;

	c->least = malloc((CUTS + 1) * n * sizeof *c->least);
	if (!c->least)
		return TAPE_ENOMEM;
	for (size_t k = 1; k < j->n_joins && c->n < CUTS; k++) {
		size_t *least = c->least + (size_t)c->n * n;

		if (!(j->join[k].at >= j->join[k - 1].at * APART))
			continue;
		group_hosts(j, k, least);
		c->n += are_groups(least, n, room);
	}
	return 0;
}

/* The number of cuts between two hosts, from the narrowest on. */
static int cuts_between(const struct cuts *c, size_t n, size_t i, size_t k)
{
	int by = 0;

	while (by < c->n &&
	       c->least[(size_t)by * n + i] != c->least[(size_t)by * n + k])
		by++;
	return by;
}

static int compare_latency(const void *a, const void *b)
{
	const float *p = a, *q = b;

	return (*p > *q) - (*p < *q);
}

/* Sorts the pairs by the number of cuts between them. */
static int sort_pairs(const float *latency, size_t n, struct cuts *c)
{
	size_t at[CUTS + 1] = {0};

	c->ns = malloc((n * n / 2 + 1) * sizeof *c->ns);
	if (!c->ns)
		return TAPE_ENOMEM;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			c->pairs[cuts_between(c, n, i, k)]++;
	for (int l = 0; l < c->n; l++)
		at[l + 1] = at[l] + c->pairs[l];
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			c->ns[at[cuts_between(c, n, i, k)]++] =
			    latency[i * n + k];
	return 0;
}

static float pair_median(float *ns, size_t n)
{
	tape_sort(ns, n, sizeof *ns, compare_latency);
	return n ? ns[n / 2] : 0;
}

/*
 * The cut with the smallest ratio of the medians of all pairs on both sides.
 */
static int weakest_cut(struct cuts *c, float *ratio)
{
	float before = pair_median(c->ns, c->pairs[0]);
	size_t at = c->pairs[0];
	int least = 0;

	for (int l = 0; l < c->n; l++) {
		float next = pair_median(c->ns + at, c->pairs[l + 1]);

		at += c->pairs[l + 1];
		if (!l || next < *ratio * before) {
			*ratio = next / before;
			least = l;
		}
		before = next;
	}
	return least;
}

/* Removes cuts with a ratio below that of a switch. */
static void keep_gaps(struct cuts *c, size_t n)
{
	while (c->n) {
		float ratio = 0;
		int l = weakest_cut(c, &ratio);

		if (ratio >= TAPE_CLUSTERS_GAP && c->n <= TAPE_CLUSTERS_LEVELS)
			break;
		c->n--;
		c->pairs[l] += c->pairs[l + 1];
		memmove(&c->pairs[l + 1], &c->pairs[l + 2],
			(size_t)(c->n - l) * sizeof *c->pairs);
		memmove(c->least + (size_t)l * n,
			c->least + (size_t)(l + 1) * n,
			(size_t)(c->n - l) * n * sizeof *c->least);
	}
}

static int number_levels(const struct cuts *c, size_t n,
			 struct tape_clusters *r, size_t *room)
{
	size_t *up = c->least + (size_t)CUTS * n;

	r->group = malloc(((size_t)c->n * n + 1) * sizeof *r->group);
	if (!r->group)
		return TAPE_ENOMEM;
	memset(up, 0, n * sizeof *up);
	for (int l = c->n; l-- > 0;) {
		const size_t *least = c->least + (size_t)l * n;

		number_groups(r->group + (size_t)r->levels++ * n, least, up, n,
			      room);
		memcpy(up, least, n * sizeof *up);
	}
	return 0;
}

int tape_clusters_find(float *latency, size_t n, struct tape_clusters *r)
{
	struct joining j = {.latency = latency, .n = n};
	float *kept = malloc((n * n + 1) * sizeof *kept);
	size_t *room = malloc((2 * n + 1) * sizeof *room);
	struct cuts c = {0};
	int e = TAPE_ENOMEM;

	*r = (struct tape_clusters){.n = n};
	j.hosts = room + n;
	j.chain = malloc(n * sizeof *j.chain);
	j.join = malloc(n * sizeof *j.join);
	if (room && kept && j.chain && j.join)
		e = average_directions(&j);
	if (!e) {
		memcpy(kept, latency, n * n * sizeof *kept);
		for (size_t i = 0; i < n; i++)
			j.hosts[i] = 1;
		join_all(&j);
		tape_sort(j.join, j.n_joins, sizeof *j.join, compare_joins);
		e = find_cuts(&j, &c, room);
	}
	if (!e)
		e = sort_pairs(kept, n, &c);
	if (!e) {
		keep_gaps(&c, n);
		e = number_levels(&c, n, r, room);
	}
	free(kept);
	free(room);
	free(j.chain);
	free(j.join);
	free(c.least);
	free(c.ns);
	return e;
}

int tape_clusters_shared(const struct tape_clusters *r, size_t i, size_t j)
{
	int l = 0;

	while (l < r->levels &&
	       r->group[(size_t)l * r->n + i] == r->group[(size_t)l * r->n + j])
		l++;
	return l;
}

/* Round-robin tournament by the circle method. */
size_t tape_clusters_partner(size_t n, size_t round, size_t i)
{
	size_t even = n + n % 2, circle = even - 1, with;

	if (i == circle)
		with = round * (even / 2) % circle;
	else
		with = (round + circle - i) % circle;
	if (with == i)
		with = circle;
	return with < n ? with : n;
}
