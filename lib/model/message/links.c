/* Shared links; see links.h for the source of max-min fair rates. */
#include <math.h>
#include <stdlib.h>

#include "delay_bounds.h"
#include "links.h"

struct flight {
	double until;   /* end of its latency, then its arrival */
	double work;    /* remaining, ns at the full rate */
	double rate;    /* 0 during the latency and after the arrival */
	double bytes;
	int link[TAPE_LINKS_EACH], n;
	enum { FREE, LATENT, MOVING, ARRIVED } state;
	int dropped;    /* before its arrival */
	uint32_t place; /* index in way, or the next free flight */
};

struct link {
	double bytes;   /* in flight */
	double rate;
	double left;    /* unassigned rate, in assign_rates */
	uint32_t n;     /* moving messages without a rate yet */
};

struct tape_links {
	struct link *link;
	size_t n_links;
	struct flight *flight;
	uint32_t n, free;
	uint32_t *way, n_way; /* messages in flight */
	double now;
};

struct tape_links *tape_links_new(size_t n_links)
{
	struct tape_links *l = calloc(1, sizeof *l);

	if (!l)
		return NULL;
	l->n_links = n_links;
	l->free = TAPE_NO_FLIGHT;
	l->now = -INFINITY;
	l->link = calloc(n_links + 1, sizeof *l->link);
	if (!l->link) {
		free(l);
		return NULL;
	}
	for (size_t i = 0; i < n_links; i++)
		l->link[i].rate = 1;
	return l;
}

void tape_links_free(struct tape_links *l)
{
	if (!l)
		return;
	free(l->link);
	free(l->flight);
	free(l->way);
	free(l);
}

static int grow_flights(struct tape_links *l)
{
	uint32_t n = l->n ? 2 * l->n : 64;
	struct flight *f = realloc(l->flight, n * sizeof *f);
	uint32_t *w;

	if (!f)
		return -1;
	l->flight = f;
	w = realloc(l->way, n * sizeof *w);
	if (!w)
		return -1;
	l->way = w;
	for (uint32_t i = n; i-- > l->n;) {
		f[i].state = FREE;
		f[i].place = l->free;
		l->free = i;
	}
	l->n = n;
	return 0;
}

void tape_links_rate(struct tape_links *l, int link, double rate)
{
	l->link[link].rate = rate;
}

/* ---- rates ---- */

static int is_undecided(const struct flight *f)
{
	return f->state == MOVING && f->rate == 0;
}

/* The fair share of the tightest link of a flight. */
static double fair_share(const struct tape_links *l, const struct flight *f)
{
	double least = 1;

	for (int i = 0; i < f->n; i++) {
		const struct link *k = &l->link[f->link[i]];

		least = tape_min(least, k->left / k->n);
	}
	return least;
}

static void fix_rate(struct tape_links *l, struct flight *f, double rate)
{
	f->rate = rate;
	for (int i = 0; i < f->n; i++) {
		struct link *k = &l->link[f->link[i]];

		k->left = tape_max(k->left - rate, 0);
		k->n--;
	}
}

/* Fills the links evenly; the flights of the tightest link are fixed first. */
static void assign_rates(struct tape_links *l)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < l->n_way; i++) {
		struct flight *f = &l->flight[l->way[i]];

		f->rate = 0;
		for (int k = 0; k < f->n; k++) {
			struct link *on = &l->link[f->link[k]];

			on->left = on->rate;
			on->n = 0;
		}
	}
	for (uint32_t i = 0; i < l->n_way; i++) {
		struct flight *f = &l->flight[l->way[i]];

		if (f->state != MOVING)
			continue;
		left++;
		for (int k = 0; k < f->n; k++)
			l->link[f->link[k]].n++;
	}
	while (left) {
		double least = INFINITY;

		for (uint32_t i = 0; i < l->n_way; i++) {
			const struct flight *f = &l->flight[l->way[i]];

			if (is_undecided(f))
				least = tape_min(least, fair_share(l, f));
		}
		/* rounding must not leave a message without any rate */
		least = tape_max(least, 1e-9);
		for (uint32_t i = 0; i < l->n_way; i++) {
			struct flight *f = &l->flight[l->way[i]];

			if (!is_undecided(f) ||
			    fair_share(l, f) > least * (1 + 1e-12))
				continue;
			fix_rate(l, f, least);
			left--;
		}
	}
}

/* ---- time ---- */

static void finish_flight(struct tape_links *l, struct flight *f)
{
	uint32_t last = l->way[--l->n_way];

	l->way[f->place] = last;
	l->flight[last].place = f->place;
	for (int i = 0; i < f->n; i++)
		l->link[f->link[i]].bytes -= f->bytes;
	f->state = ARRIVED;
	f->rate = 0;
	if (f->dropped) {
		f->state = FREE;
		f->place = l->free;
		l->free = (uint32_t)(f - l->flight);
	}
}

static double next_change(const struct tape_links *l, const struct flight *f)
{
	return f->state == LATENT ? f->until : l->now + f->work / f->rate;
}

double tape_links_next(const struct tape_links *l)
{
	double next = INFINITY;

	for (uint32_t i = 0; i < l->n_way; i++)
		next = tape_min(next, next_change(l, &l->flight[l->way[i]]));
	return next;
}

/* Makes all changes at time to, which is that of the next change. */
static void step_to(struct tape_links *l, double to)
{
	int changed = 0;

	for (uint32_t i = l->n_way; i-- > 0;) {
		struct flight *f = &l->flight[l->way[i]];
		double next = next_change(l, f);

		if (f->state == MOVING)
			f->work -= (to - l->now) * f->rate;
		if (next > to)
			continue;
		changed = 1;
		if (f->state == LATENT && f->work > 0) {
			f->state = MOVING;
			continue;
		}
		f->until = to;
		finish_flight(l, f);
	}
	l->now = to;
	if (changed)
		assign_rates(l);
}

void tape_links_advance(struct tape_links *l, double to_ns)
{
	double next;

	while ((next = tape_links_next(l)) <= to_ns)
		step_to(l, tape_max(next, l->now));
	if (to_ns > l->now && isfinite(to_ns)) {
		if (isfinite(l->now))
			step_to(l, to_ns);
		l->now = to_ns;
	}
}

uint32_t tape_links_send(struct tape_links *l, double at_ns, const int *link,
			 int n, double bytes, double latency_ns, double work_ns)
{
	struct flight *f;
	uint32_t id;

	tape_links_advance(l, at_ns);
	if (l->free == TAPE_NO_FLIGHT && grow_flights(l))
		return TAPE_NO_FLIGHT;
	id = l->free;
	f = &l->flight[id];
	l->free = f->place;
	*f = (struct flight){ .until = tape_max(at_ns, l->now) + latency_ns,
			      .work = work_ns, .bytes = bytes,
			      .n = n, .state = LATENT, .place = l->n_way };
	l->way[l->n_way++] = id;
	for (int i = 0; i < n; i++) {
		f->link[i] = link[i];
		l->link[link[i]].bytes += bytes;
	}
	return id;
}

double tape_links_load(const struct tape_links *l, const int *link, int n)
{
	double most = 0;

	for (int i = 0; i < n; i++)
		most = tape_max(most, l->link[link[i]].bytes);
	return most;
}

int tape_links_arrived(const struct tape_links *l, uint32_t id, double *at_ns)
{
	if (l->flight[id].state != ARRIVED)
		return 0;
	*at_ns = l->flight[id].until;
	return 1;
}

void tape_links_drop(struct tape_links *l, uint32_t id)
{
	struct flight *f = &l->flight[id];

	if (f->state != ARRIVED) {
		f->dropped = 1;
		return;
	}
	f->state = FREE;
	f->place = l->free;
	l->free = id;
}
