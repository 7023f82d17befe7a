/* Shares of the perturbation; see blame.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hash_slots.h"
#include "hash_bits.h"
#include "blame.h"
#include "sort.h"
#include "tool.h"
#include "place.h"

/* Parts of a ns. */
#define PARTS 1024.0

/* Shares that a flow keeps apart; the least ones are put together. */
enum { SHARES = 32, OTHERS = 0 };

/* Slots of places at first. */
enum { SLOTS_LEAST = 256 };

/*
 * Each message in flight has shares, few of them mostly: there is room for so
 * many, by powers of two, and those of a kind are cut from blocks.
 */
enum { ROOM_LEAST = 2, ROOMS = 5, BLOCK_BYTES = 32768 };

struct share {
	uint32_t place;
	double ns;
};

struct blame {
	uint32_t refs;
	uint8_t n, last;        /* the share that was added to last */
	uint8_t room;           /* for ROOM_LEAST << room of them */
	union {
		double sum;
		struct blame *next; /* of those not in use */
	};
	struct share s[];
};

/* Of each kind: those not in use, and what was not cut yet of a block. */
struct room {
	struct blame *spare;
	char *rest;
	size_t left;
};

struct block {
	struct block *older;
	double aligned[];
};

/* What a site of a rank was numbered when its flow was last in a region. */
struct seen {
	uint32_t region, place;
};

struct rank_places {
	uint32_t *group;      /* of a site: the same for the same place */
	uint32_t *region;     /* of a region: the same for the same name */
	struct seen *seen;    /* by site */
	size_t n_sites;
};

TAPE_SLOTS_TYPE(place_slots, uint32_t)

struct blames {
	const struct tape_trace *t;
	struct rank_places *rank;
	const struct tape_site_info **group; /* by number, from 1 */
	const char **region;                 /* by number, from 1 */
	uint32_t n_groups, n_regions;
	/* place 0 is those put together; alphas, in parts of a ns, so that
	 * their sum does not depend on their order */
	struct blame_place *place;
	int64_t *alpha;
	uint32_t *key[2];     /* group and region of each */
	uint32_t n, room;
	struct place_slots by_key; /* places */
	struct room room_of[ROOMS];
	struct block *youngest;
};

/* ---- sites and regions of all ranks ---- */

struct named {
	const struct tape_site_info *site;
	const char *region;
	uint32_t *number;
};

static int by_site(const void *a, const void *b)
{
	return tape_place_order(((const struct named *)a)->site,
				((const struct named *)b)->site);
}

static int by_region(const void *a, const void *b)
{
	return strcmp(((const struct named *)a)->region,
		      ((const struct named *)b)->region);
}

/* Numbers sites, then regions: equal ones alike. */
static void number_named(struct blames *all, struct named *list, size_t n,
			 int (*order)(const void *, const void *))
{
	int sites = order == by_site;
	uint32_t k = 0;

	tape_sort(list, n, sizeof *list, order);
	for (size_t i = 0; i < n; i++) {
		if (!i || order(&list[i - 1], &list[i]))
			k++;
		*list[i].number = k;
		if (sites)
			all->group[k] = list[i].site;
		else
			all->region[k] = list[i].region;
	}
	*(sites ? &all->n_groups : &all->n_regions) = k;
}

static void number_all(struct blames *all)
{
	size_t ranks = tape_trace_ranks(all->t), sites = 1, regions = 1, n = 0;
	struct named *list;

	for (size_t r = 0; r < ranks; r++) {
		const struct tape_rank_info *i = tape_trace_rank(all->t,
								 (int)r);
		struct rank_places *q = &all->rank[r];

		q->n_sites = i->n_sites;
		q->group = tape_must(calloc(i->n_sites + 1, sizeof *q->group));
		q->seen = tape_must(calloc(i->n_sites + 1, sizeof *q->seen));
		q->region =
		    tape_must(calloc(i->n_regions + 1, sizeof *q->region));
		sites += i->n_sites;
		regions += i->n_regions;
	}
	list = tape_must(calloc(sites + regions, sizeof *list));
	all->group = tape_must(calloc(sites, sizeof *all->group));
	all->region = tape_must(calloc(regions, sizeof *all->region));
	for (size_t r = 0; r < ranks; r++) {
		const struct tape_rank_info *i = tape_trace_rank(all->t,
								 (int)r);

		for (size_t k = 1; k < i->n_sites; k++)
			if (i->sites[k].call)
				list[n++] = (struct named){
					&i->sites[k], NULL,
					&all->rank[r].group[k] };
	}
	number_named(all, list, n, by_site);
	n = 0;
	for (size_t r = 0; r < ranks; r++) {
		const struct tape_rank_info *i = tape_trace_rank(all->t,
								 (int)r);

		for (size_t k = 1; k < i->n_regions; k++)
			if (i->regions[k])
				list[n++] = (struct named){
					NULL, i->regions[k],
					&all->rank[r].region[k] };
	}
	number_named(all, list, n, by_region);
	free(list);
}

struct blames *blames_new(const struct tape_trace *t)
{
	struct blames *all = tape_must(calloc(1, sizeof *all));

	all->t = t;
	all->rank = tape_must(calloc(tape_trace_ranks(t), sizeof *all->rank));
	number_all(all);
	all->room = 128;
	all->place = tape_must(calloc(all->room, sizeof *all->place));
	all->alpha = tape_must(calloc(all->room, sizeof *all->alpha));
	for (int i = 0; i < 2; i++)
		all->key[i] = tape_must(calloc(all->room, sizeof *all->key[i]));
	all->n = 1;
	return all;
}

void blames_free(struct blames *all)
{
	if (!all)
		return;
	for (size_t r = 0; r < tape_trace_ranks(all->t); r++) {
		free(all->rank[r].group);
		free(all->rank[r].region);
		free(all->rank[r].seen);
	}
	while (all->youngest) {
		struct block *b = all->youngest;

		all->youngest = b->older;
		free(b);
	}
	free(all->rank);
	free(all->group);
	free(all->region);
	free(all->place);
	free(all->alpha);
	free(all->key[0]);
	free(all->key[1]);
	free(all->by_key.list);
	free(all);
}

/* ---- places ---- */

static int is_used(const uint32_t *place)
{
	return *place != 0;
}

static uint64_t get_key(const struct blames *all, const uint32_t *place)
{
	return (uint64_t)all->key[0][*place] << 32 | all->key[1][*place];
}

static uint64_t hash_key(uint64_t key)
{
	return tape_spread_bits(key) >> 32;
}

static int is_equal_key(uint64_t a, uint64_t b)
{
	return a == b;
}

TAPE_SLOTS(place_slots, uint32_t, const struct blames *, uint64_t, is_used,
	   get_key, hash_key, is_equal_key)

static void grow_places(struct blames *all)
{
	all->room *= 2;
	all->place =
	    tape_must(realloc(all->place, all->room * sizeof *all->place));
	all->alpha =
	    tape_must(realloc(all->alpha, all->room * sizeof *all->alpha));
	for (int i = 0; i < 2; i++)
		all->key[i] = tape_must(
		    realloc(all->key[i], all->room * sizeof *all->key[i]));
}

static uint32_t get_place(struct blames *all, uint32_t group, uint32_t region)
{
	uint32_t at, *slot;

	if (place_slots_reserve(all, &all->by_key, SLOTS_LEAST))
		tape_die_no_memory();
	slot =
	    place_slots_find(all, &all->by_key, (uint64_t)group << 32 | region);
	if (*slot)
		return *slot;
	if (all->n == all->room)
		grow_places(all);
	at = all->n++;
	*slot = at;
	all->by_key.used++;
	all->alpha[at] = 0;
	all->key[0][at] = group;
	all->key[1][at] = region;
	all->place[at] = (struct blame_place){
		.site = group ? all->group[group] : NULL,
		.region = region ? all->region[region] : NULL };
	return at;
}

uint32_t blames_find_place(struct blames *all, int rank, uint32_t site,
			   uint32_t region)
{
	struct rank_places *q = &all->rank[rank];
	struct seen *s;

	if (site >= q->n_sites)
		return OTHERS;
	s = &q->seen[site];
	if (!s->place || s->region != region) {
		s->place = get_place(all, q->group[site], region);
		s->region = region;
	}
	return s->place;
}

uint32_t blames_find_region(const struct blames *all, int rank, uint32_t region)
{
	return region < tape_trace_rank(all->t, rank)->n_regions
		       ? all->rank[rank].region[region] : 0;
}

void blames_count_event(struct blames *all, uint32_t place, double alpha_ns)
{
	all->alpha[place] += llrint(alpha_ns * PARTS);
	all->place[place].events++;
}

static int by_reach(const void *a, const void *b)
{
	const struct blame_place *x = a, *y = b;
	int by;

	if (x->reached_ns != y->reached_ns)
		return x->reached_ns < y->reached_ns ? 1 : -1;
	if (x->alpha_ns != y->alpha_ns)
		return x->alpha_ns < y->alpha_ns ? 1 : -1;
	if (!x->site != !y->site)
		return x->site ? -1 : 1;
	by = x->site ? tape_place_order(x->site, y->site) : 0;
	return by ? by : strcmp(x->region ? x->region : "",
				y->region ? y->region : "");
}

const struct blame_place *blames_sorted(struct blames *all, size_t *n)
{
	*n = 0;
	for (uint32_t i = 0; i < all->n; i++)
		all->place[i].alpha_ns = (double)all->alpha[i] / PARTS;
	for (uint32_t i = 1; i < all->n; i++)
		if (all->place[i].events)
			all->place[1 + (*n)++] = all->place[i];
	if (all->place[OTHERS].reached_ns > 0) {
		tape_sort(all->place, ++*n, sizeof *all->place, by_reach);
		return all->place;
	}
	tape_sort(all->place + 1, *n, sizeof *all->place, by_reach);
	return all->place + 1;
}

/* ---- shares ---- */

double blame_sum(const struct blame *b)
{
	return b ? b->sum : 0;
}

struct blame *blame_keep(struct blame *b)
{
	if (b)
		b->refs++;
	return b;
}

void blame_drop(struct blames *all, struct blame *b)
{
	if (!b || --b->refs)
		return;
	b->next = all->room_of[b->room].spare;
	all->room_of[b->room].spare = b;
}

static void new_block(struct blames *all, struct room *r)
{
	struct block *b = tape_must(malloc(sizeof *b + BLOCK_BYTES));

	b->older = all->youngest;
	all->youngest = b;
	r->rest = (char *)b->aligned;
	r->left = BLOCK_BYTES;
}

/* One that has room for n shares, and none. */
static struct blame *new_shares(struct blames *all, uint32_t n)
{
	unsigned room = n > ROOM_LEAST
				? 31 - (unsigned)__builtin_clz(n - 1)
				: 0;
	struct room *r = &all->room_of[room];
	struct blame *b = r->spare;
	size_t bytes = sizeof *b + ((size_t)ROOM_LEAST << room) * sizeof *b->s;

	if (b) {
		r->spare = b->next;
	} else {
		if (r->left < bytes)
			new_block(all, r);
		b = (struct blame *)(void *)r->rest;
		r->rest += bytes;
		r->left -= bytes;
		b->room = (uint8_t)room;
	}
	b->refs = 1;
	b->n = b->last = 0;
	b->sum = 0;
	return b;
}

/* Another one with the same shares, and room for n. */
static struct blame *copy_shares(struct blames *all, struct blame *b,
				 uint32_t n)
{
	struct blame *c = new_shares(all, n);

	if (!b)
		return c;
	c->n = b->n;
	c->last = b->last;
	c->sum = b->sum;
	memcpy(c->s, b->s, b->n * sizeof *c->s);
	blame_drop(all, b);
	return c;
}

/* One that nobody else has, with the same shares. */
static struct blame *own_shares(struct blames *all, struct blame *b)
{
	return b && b->refs == 1 ? b : copy_shares(all, b, b ? b->n : 0);
}

/* The least share becomes one of the others. */
static void merge_least_share(struct blame *b)
{
	uint32_t least = SHARES, others = SHARES;

	for (uint32_t i = 0; i < b->n; i++)
		if (b->s[i].place == OTHERS)
			others = i;
		else if (least == SHARES || b->s[i].ns < b->s[least].ns)
			least = i;
	if (others == SHARES) {
		b->s[least].place = OTHERS;
		return;
	}
	b->s[others].ns += b->s[least].ns;
	b->s[least] = b->s[--b->n];
	b->last = 0;
}

struct blame *blame_add(struct blames *all, struct blame *b, uint32_t place,
			double ns)
{
	if (ns == 0)
		return b;
	b = own_shares(all, b);
	b->sum += ns;
	if (b->last < b->n && b->s[b->last].place == place) {
		b->s[b->last].ns += ns;
		return b;
	}
	for (b->last = 0; b->last < b->n; b->last++)
		if (b->s[b->last].place == place) {
			b->s[b->last].ns += ns;
			return b;
		}
	while (b->n == SHARES)
		merge_least_share(b);
	if (b->n == ROOM_LEAST << b->room)
		b = copy_shares(all, b, b->n + 1u);
	b->last = b->n;
	b->s[b->n++] = (struct share){ place, ns };
	return b;
}

struct blame *blame_fit(struct blames *all, struct blame *b, double p)
{
	double by;

	if (!b || !(b->sum > 0) || fabs(b->sum - p) < 0.5)
		return b;
	b = own_shares(all, b);
	by = fmax(p, 0) / b->sum;
	b->sum *= by;
	for (uint32_t i = 0; i < b->n; i++)
		b->s[i].ns *= by;
	return b;
}

void blames_set_reached(struct blames *all, const struct blame *b)
{
	for (uint32_t i = 0; i < all->n; i++)
		all->place[i].reached_ns = 0;
	for (uint32_t i = 0; b && i < b->n; i++)
		all->place[b->s[i].place].reached_ns = b->s[i].ns;
}

/* ---- other processes ---- */

/* In front of shares; these as group, region and ns. */
struct head {
	double sum;
	uint32_t n, last;
};

struct packed {
	uint32_t group, region;
	double ns;
};
_Static_assert(sizeof(struct head) + SHARES * sizeof(struct packed) ==
		   BLAME_BYTES,
	       "see blame.h");

static uint32_t place_from_key(struct blames *all, uint32_t group,
			       uint32_t region)
{
	return group == UINT32_MAX ? OTHERS : get_place(all, group, region);
}

size_t blame_bytes(const struct blame *b)
{
	return b ? sizeof(struct head) + b->n * sizeof(struct packed) : 0;
}

size_t blame_pack(const struct blames *all, const struct blame *b, void *to)
{
	char *at = to;

	if (!b)
		return 0;
	memcpy(at, &(struct head){b->sum, b->n, b->last}, sizeof(struct head));
	at += sizeof(struct head);
	for (uint32_t i = 0; i < b->n; i++) {
		uint32_t k = b->s[i].place;
		struct packed p = {k == OTHERS ? UINT32_MAX : all->key[0][k],
				   all->key[1][k], b->s[i].ns};

		memcpy(at, &p, sizeof p);
		at += sizeof p;
	}
	return (size_t)(at - (char *)to);
}

struct blame *blame_unpack(struct blames *all, const void *from, size_t bytes)
{
	const char *at = from;
	struct blame *b;
	struct head h;

	if (bytes < sizeof h)
		return NULL;
	memcpy(&h, at, sizeof h);
	at += sizeof h;
	b = new_shares(all, h.n);
	b->sum = h.sum;
	b->n = (uint8_t)h.n;
	b->last = (uint8_t)h.last;
	for (uint32_t i = 0; i < h.n; i++) {
		struct packed p;

		memcpy(&p, at, sizeof p);
		at += sizeof p;
		b->s[i] = (struct share){place_from_key(all, p.group, p.region),
					 p.ns};
	}
	return b;
}

int blames_get_record(const struct blames *all, uint32_t i,
		      struct blame_record *r)
{
	if (i >= all->n)
		return 0;
	*r = (struct blame_record){
	    i == OTHERS ? UINT32_MAX : all->key[0][i], all->key[1][i],
	    all->alpha[i], all->place[i].events, all->place[i].reached_ns};
	return 1;
}

void blames_add_record(struct blames *all, const struct blame_record *r,
		       int counts_reached)
{
	uint32_t i = place_from_key(all, r->group, r->region);

	all->alpha[i] += r->alpha;
	all->place[i].events += r->events;
	if (counts_reached)
		all->place[i].reached_ns = r->reached_ns;
}
