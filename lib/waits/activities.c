/* Numbers for places and activities; see activities.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "hash_slots.h"
#include "hash_bits.h"
#include "lower_bound.h"
#include "activities.h"
#include "escape.h"
#include "sort.h"
#include "tape_follow.h"

/* The number after the start and calls at no place. */
enum { FIRST = 1 + TAPE_CALL_COUNT };

/* Where a rank's call sites and regions begin in the list of numbers; and one
 * after the last of them. */
struct of_rank {
	size_t sites, regions;
};

TAPE_SLOTS_TYPE(place_slots, uint32_t)

/* Slots at first. */
enum { SLOTS_LEAST = 256 };

struct tape_places {
	const struct tape_trace *t;
	struct tape_activity *list;
	size_t n, room;
	struct of_rank *ranks;
	uint32_t *number;
	size_t all;			/* of these */
	uint32_t call[TAPE_CALL_COUNT]; /* at no place */
	int late;			/* some were added after the start */
	size_t common; /* numbers that all processes have alike */
	/* who computes: numbers by a hash of region and call; 0: free */
	struct place_slots computing; /* numbers by region and call */
};

static int is_used(const uint32_t *number)
{
	return *number != 0;
}

static uint64_t get_key(const struct tape_places *p, const uint32_t *number)
{
	const struct tape_activity *a = &p->list[*number];

	return (uint64_t)a->region << 32 | a->after;
}

static uint64_t hash_key(uint64_t key)
{
	return tape_spread_bits(key) >> 20;
}

static int is_equal_key(uint64_t a, uint64_t b)
{
	return a == b;
}

TAPE_SLOTS(place_slots, uint32_t, const struct tape_places *, uint64_t, is_used,
	   get_key, hash_key, is_equal_key)

/* The slot of the activity of computing in that region after that call. */
static uint32_t *find_computing(const struct tape_places *p, uint32_t region,
				uint32_t after)
{
	return place_slots_find(p, &p->computing,
				(uint64_t)region << 32 | after);
}

/* A call site or region of a rank, while they are numbered. */
struct one {
	const struct tape_site_info *site; /* NULL: a region */
	const char *region;
	size_t at;
};

static int compare_places(const void *a, const void *b)
{
	const struct one *x = a, *y = b;

	if (!x->site || !y->site)
		return x->site || y->site ? (x->site == NULL) -
						    (y->site == NULL)
					  : strcmp(x->region, y->region);
	return tape_place_order(x->site, y->site);
}

static uint32_t add_activity(struct tape_places *p,
			     const struct tape_activity *a)
{
	struct tape_activity *list =
	    tape_grow_array(p->list, &p->room, p->n + 1, sizeof *list);

	if (!list)
		return UINT32_MAX;
	p->list = list;
	p->list[p->n] = *a;
	return (uint32_t)p->n++;
}

/* Gives numbers to what is sorted. 0, or -1: out of memory. */
static int number_sorted(struct tape_places *p, const struct one *list,
			 size_t n)
{
	uint32_t last = 0;

	for (size_t i = 0; i < n; i++) {
		struct tape_activity a = {.kind = TAPE_ACTIVITY_CALL,
					  .at = (uint32_t)list[i].at};

		if (!i || compare_places(&list[i - 1], &list[i])) {
			a.site = list[i].site;
			a.name = list[i].region;
			if (a.site)
				a.call = a.site->call;
			else
				a.kind = TAPE_ACTIVITY_REGION;
			last = add_activity(p, &a);
		}
		if (last == UINT32_MAX)
			return -1;
		p->number[list[i].at] = last;
	}
	return 0;
}

/* All call sites and regions of all ranks; returns how many. */
static size_t list_places(struct tape_places *p, struct one *list)
{
	size_t n = 0, at = 0;

	for (size_t i = 0; i < tape_trace_ranks(p->t); i++) {
		const struct tape_rank_info *r =
			tape_trace_rank(p->t, (int)i);

		p->ranks[i].sites = at;
		p->ranks[i].regions = at + r->n_sites;
		for (size_t k = 1; k < tape_trace_sites(p->t, (int)i); k++)
			if (r->sites[k].call)
				list[n++] = (struct one){ &r->sites[k], NULL,
							  at + k };
		at += r->n_sites;
		for (size_t k = 1; k < tape_trace_regions(p->t, (int)i); k++)
			if (r->regions[k])
				list[n++] = (struct one){ NULL, r->regions[k],
							  at + k };
		at += r->n_regions;
	}
	p->ranks[tape_trace_ranks(p->t)].sites = at;
	return n;
}

/* Calls whose place is not known have a number, too. */
static int number_calls(struct tape_places *p)
{
	for (unsigned i = 0; i < TAPE_CALL_COUNT; i++) {
		struct tape_activity a = { .kind = TAPE_ACTIVITY_CALL,
					   .call = (uint16_t)i };

		p->call[i] = add_activity(p, &a);
		if (p->call[i] == UINT32_MAX)
			return -1;
	}
	return 0;
}

static int number_places(struct tape_places *p)
{
	struct tape_activity start = { .kind = TAPE_ACTIVITY_START };
	struct one *list;
	size_t all = 0, n;
	int rc = -1;

	for (size_t i = 0; i < tape_trace_ranks(p->t); i++) {
		const struct tape_rank_info *r =
			tape_trace_rank(p->t, (int)i);

		all += r->n_sites + r->n_regions;
	}
	p->all = all;
	list = malloc((all + 1) * sizeof *list);
	p->number = calloc(all + 1, sizeof *p->number);
	if (list && p->number &&
	    !place_slots_reserve(p, &p->computing, SLOTS_LEAST) &&
	    !add_activity(p, &start) && !number_calls(p)) {
		n = list_places(p, list);
		tape_sort(list, n, sizeof *list, compare_places);
		rc = number_sorted(p, list, n);
		p->common = tape_trace_followed(p->t) ? FIRST : p->n;
	}
	free(list);
	return rc;
}

struct tape_places *tape_places_new(const struct tape_trace *t)
{
	struct tape_places *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	p->t = t;
	p->ranks = calloc(tape_trace_ranks(t) + 1, sizeof *p->ranks);
	if (p->ranks && !number_places(p))
		return p;
	tape_places_free(p);
	return NULL;
}

void tape_places_free(struct tape_places *p)
{
	if (!p)
		return;
	free(p->list);
	free(p->ranks);
	free(p->number);
	free(p->computing.list);
	free(p);
}

uint32_t tape_places_count(const struct tape_places *p)
{
	return (uint32_t)p->n;
}

/* ---- what came later ---- */

static int is_same_activity(const struct tape_activity *a,
			    const struct tape_activity *b)
{
	if (a->kind != b->kind || a->call != b->call)
		return 0;
	if (a->kind == TAPE_ACTIVITY_REGION)
		return !strcmp(a->name, b->name);
	return a->site && a->site->line == b->site->line &&
	       !tape_place_order(a->site, b->site);
}

/* Its number: an old one, or the next; 0 where there is no memory for it. */
static uint32_t number_late(struct tape_places *p,
			    const struct tape_activity *a)
{
	uint32_t n;

	for (n = FIRST; n < p->n; n++)
		if (is_same_activity(&p->list[n], a))
			return n;
	n = add_activity(p, a);
	if (n == UINT32_MAX)
		return 0;
	p->late = 1;
	return n;
}

__attribute__((noinline)) static uint32_t
late_site(struct tape_places *p, const struct tape_site_info *site, size_t at)
{
	struct tape_activity a = {.kind = TAPE_ACTIVITY_CALL,
				  .call = site->call,
				  .site = site,
				  .at = (uint32_t)at};

	return site->call ? number_late(p, &a) : 0;
}

static int by_place(const void *a, const void *b)
{
	const struct tape_activity *x = *(struct tape_activity *const *)a;
	const struct tape_activity *y = *(struct tape_activity *const *)b;

	if (!x->site || !y->site)
		return x->site || y->site
			   ? (x->site == NULL) - (y->site == NULL)
			   : strcmp(x->name, y->name);
	return tape_place_order(x->site, y->site);
}

/* The places in order, then who computes as before: pointers into the list. */
static void sort_activities(const struct tape_places *p,
			    struct tape_activity **order)
{
	size_t first = FIRST, n = 0;

	for (size_t i = 0; i < first; i++)
		order[n++] = &p->list[i];
	for (size_t i = first; i < p->n; i++)
		if (p->list[i].kind != TAPE_ACTIVITY_COMPUTES)
			order[n++] = &p->list[i];
	tape_sort(order + first, n - first, sizeof(struct tape_activity *),
		  by_place);
	for (size_t i = first; i < p->n; i++)
		if (p->list[i].kind == TAPE_ACTIVITY_COMPUTES)
			order[n++] = &p->list[i];
}

/* The numbers of numbers, all of them. */
static void renumber_places(struct tape_places *p, const uint32_t *now,
			    size_t all)
{
	for (size_t i = 0; i < all; i++)
		p->number[i] = now[p->number[i]];
	memset(p->computing.list, 0,
	       (p->computing.mask + 1) * sizeof *p->computing.list);
	for (uint32_t i = 0; i < p->n; i++) {
		struct tape_activity *a = &p->list[i];

		if (a->kind != TAPE_ACTIVITY_COMPUTES)
			continue;
		a->region = now[a->region];
		a->after = now[a->after];
		*find_computing(p, a->region, a->after) = i;
	}
}

uint32_t *tape_places_sort(struct tape_places *p, int *rc)
{
	struct tape_activity **order, *list;
	uint32_t *now;

	*rc = 0;
	if (!p->late)
		return NULL;
	now = calloc(p->n + 1, sizeof *now);
	order = calloc(p->n + 1, sizeof(struct tape_activity *));
	list = calloc(p->n + 1, sizeof *list);
	if (!now || !order || !list) {
		*rc = -1;
		free(now);
		now = NULL;
		free(list);
	} else {
		sort_activities(p, order);
		for (uint32_t i = 0; i < p->n; i++) {
			now[order[i] - p->list] = i;
			list[i] = *order[i];
		}
		free(p->list);
		p->list = list;
		p->room = p->n + 1;
		renumber_places(p, now, p->all);
		p->late = 0;
	}
	free(order);
	return now;
}

uint32_t tape_place_from_site(struct tape_places *p, int rank, uint32_t site,
			      unsigned call)
{
	const struct tape_rank_info *r = tape_trace_rank(p->t, rank);
	uint32_t *n = r && site < r->n_sites
			  ? &p->number[p->ranks[rank].sites + site]
			  : NULL;

	if (n && !*n && site)
		*n = late_site(p, &r->sites[site], (size_t)(n - p->number));
	return n && *n ? *n : p->call[call < TAPE_CALL_COUNT ? call : 0];
}

__attribute__((noinline)) static uint32_t
late_region(struct tape_places *p, const char *name, size_t at)
{
	struct tape_activity a = {.kind = TAPE_ACTIVITY_REGION,
				  .name = name,
				  .at = (uint32_t)at};

	return name ? number_late(p, &a) : 0;
}

uint32_t tape_place_from_region(struct tape_places *p, int rank,
				uint32_t region)
{
	size_t at = p->ranks[rank].regions + region;

	if (at >= p->ranks[rank + 1].sites || !region)
		return 0;
	if (!p->number[at])
		p->number[at] = late_region(
		    p, tape_trace_rank(p->t, rank)->regions[region], at);
	return p->number[at];
}

/* ---- for other processes ---- */

uint32_t tape_places_common(const struct tape_places *p)
{
	return (uint32_t)p->common;
}

uint32_t tape_place_code(const struct tape_places *p, uint32_t number)
{
	return number < p->common ? number : FIRST + p->list[number].at;
}

uint32_t tape_place_from_code(struct tape_places *p, uint32_t code)
{
	size_t i, rank, at = code - FIRST;
	const struct tape_site_info *s;
	uint32_t id;

	if (code < p->common)
		return code;
	if (code < FIRST || at >= p->all)
		return 0;
	TAPE_LOWER_BOUND(i, tape_trace_ranks(p->t), p->ranks[i].sites <= at);
	rank = i ? i - 1 : 0;
	if (at >= p->ranks[rank].regions)
		return tape_place_from_region(
		    p, (int)rank, (uint32_t)(at - p->ranks[rank].regions));
	id = (uint32_t)(at - p->ranks[rank].sites);
	s = &tape_trace_rank(p->t, (int)rank)->sites[id];
	return s->call ? tape_place_from_site(p, (int)rank, id, s->call) : 0;
}

/* ---- who computes ---- */

uint32_t tape_place_computing(struct tape_places *p, uint32_t region,
			      uint32_t after)
{
	struct tape_activity a = { .kind = TAPE_ACTIVITY_COMPUTES,
				   .region = region, .after = after };
	uint32_t n, *at;

	if (place_slots_reserve(p, &p->computing, SLOTS_LEAST))
		return UINT32_MAX;
	at = find_computing(p, region, after);
	if (*at)
		return *at;
	n = add_activity(p, &a);
	if (n != UINT32_MAX) {
		*at = n;
		p->computing.used++;
	}
	return n;
}

static int compare_numbers(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

int tape_place_compare(const struct tape_places *p, uint32_t a, uint32_t b)
{
	const struct tape_activity *x = tape_place_get(p, a);
	const struct tape_activity *y = tape_place_get(p, b);

	if (x->kind != TAPE_ACTIVITY_COMPUTES ||
	    y->kind != TAPE_ACTIVITY_COMPUTES)
		return compare_numbers(a, b);
	return x->region != y->region ? compare_numbers(x->region, y->region)
				      : compare_numbers(x->after, y->after);
}

const struct tape_activity *tape_place_get(const struct tape_places *p,
					   uint32_t number)
{
	return &p->list[number < p->n ? number : 0];
}

/* "MPI_Recv late.c:8", "MPI_Recv late.py:8 receive" */
static void call_text(const struct tape_activity *a, char *text, size_t n)
{
	struct tape_site_info s;
	char where[TAPE_PLACE_BYTES], name[512];
	const char *function;

	if (!a->site) {
		snprintf(text, n, "%s", tape_call_name(a->call));
		return;
	}
	s = *a->site;
	function = tape_place_python_function(&s);
	s.function = s.file || s.module ? "" : s.function;
	snprintf(text, n, "%s %s%s%.100s", tape_call_name(a->call),
		 tape_place_text(&s, where, sizeof where), *function ? " " : "",
		 tape_clean(function, name, sizeof name));
}

const char *tape_activity_text(const struct tape_places *p, uint32_t number,
			       char *text, size_t n)
{
	const struct tape_activity *a = tape_place_get(p, number);
	char region[TAPE_PLACE_BYTES] = "", call[TAPE_PLACE_BYTES] = "";

	switch (a->kind) {
	case TAPE_ACTIVITY_START:
		snprintf(text, n, "the start");
		break;
	case TAPE_ACTIVITY_CALL:
		call_text(a, text, n);
		break;
	case TAPE_ACTIVITY_REGION:
		tape_clean(a->name, text, n);
		break;
	case TAPE_ACTIVITY_COMPUTES:
		if (a->region)
			tape_clean(tape_place_get(p, a->region)->name, region,
				   sizeof region);
		if (a->after)
			call_text(tape_place_get(p, a->after), call,
				  sizeof call);
		if (!a->region && !a->after)
			snprintf(text, n, "the start");
		else
			snprintf(text, n, "%.300s%s%s%.200s", region,
				 a->region && a->after ? " " : "",
				 a->after ? "after " : "", call);
		break;
	}
	return text;
}
