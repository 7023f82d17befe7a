/* Sums of races by call site; see race_sums.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "message_order.h"
#include "place.h"
#include "race_sums.h"
#include "sort.h"
#include "tool.h"

/* While sums are made: the row of each call site of each rank, from 1 on. */
struct making {
	struct race_sums *s;
	uint32_t **row; /* by rank, by number of the site; or NULL */
};

static struct race_site *find_row(struct race_sums *s,
				  const struct tape_site_info *site)
{
	struct race_site *r;

	for (size_t i = 0; i < s->n_sites; i++)
		if (!tape_place_order(s->site[i].site, site))
			return &s->site[i];
	s->site =
	    tape_must(tape_grow_list(s->site, s->n_sites, sizeof *s->site));
	r = &s->site[s->n_sites++];
	*r = (struct race_site){.site = site};
	return r;
}

static void add_rank(struct race_site *r, int rank)
{
	size_t i = r->n_ranks;

	r->rank =
	    tape_must(tape_grow_list(r->rank, r->n_ranks, sizeof *r->rank));
	for (; i > 0 && r->rank[i - 1] > rank; i--)
		r->rank[i] = r->rank[i - 1];
	r->rank[i] = rank;
	r->n_ranks++;
}

/* NULL: the rank does not define the site. */
static struct race_site *get_row(struct making *m, int rank, uint32_t number)
{
	const struct tape_site_info *site = tape_site_of(m->s->t, rank, number);
	struct race_site *r;
	uint32_t **row = &m->row[rank];

	if (!site)
		return NULL;
	if (!*row)
		*row = tape_must(calloc(tape_trace_rank(m->s->t, rank)->n_sites,
					sizeof **row));
	if ((*row)[number])
		return &m->s->site[(*row)[number] - 1];
	r = find_row(m->s, site);
	(*row)[number] = (uint32_t)(r - m->s->site) + 1;
	if (!r->n_ranks || r->rank[r->n_ranks - 1] != rank)
		add_rank(r, rank);
	return r;
}

static void restart_sums(void *own)
{
	struct making *m = own;

	for (size_t i = 0; i < m->s->n_sites; i++) {
		struct race_site *r = &m->s->site[i];

		r->calls = r->racing = 0;
		r->has_example = 0;
	}
	m->s->calls = m->s->racing = 0;
}

static void count_call(void *own, int rank, uint32_t site)
{
	struct making *m = own;
	struct race_site *r = get_row(m, rank, site);

	m->s->calls++;
	if (r)
		r->calls++;
}

static void set_example(struct race_site *r, const struct race_call *c,
			const struct race_message *rival, int is_first)
{
	if (r->has_example && r->is_first >= is_first)
		return;
	r->has_example = 1;
	r->is_first = is_first;
	r->call = *c;
	r->rival = *rival;
}

static void add_race(void *own, const struct race_call *c,
		     const struct race_message *rival)
{
	struct making *m = own;
	struct race_site *r = get_row(m, c->rank, c->site);

	m->s->racing++;
	if (!r)
		return;
	r->racing++;
	set_example(r, c, rival, 0);
}

static void add_first(void *own, const struct race_call *c,
		      const struct race_message *rival)
{
	struct making *m = own;
	struct race_site *r = get_row(m, c->rank, c->site);

	m->s->first++;
	if (!r)
		return;
	r->first++;
	set_example(r, c, rival, 1);
}

/* What tico found (lines order and order_at of meta), as far as it is known. */
static void read_classes(struct making *m)
{
	struct tape_message_order o;
	const char *line;
	uint64_t open, turned;
	uint32_t site;
	int rank;

	m->s->is_classified = tape_message_order_read(&o, m->s->t);
	m->s->open = o.open;
	m->s->turned = o.turned;
	for (size_t i = 0; m->s->is_classified &&
			   (line = tape_trace_meta(m->s->t, "order_at", i));
	     i++) {
		struct race_site *r = NULL;

		if (sscanf(line, "%d %" SCNu32 " %" SCNu64 " %" SCNu64, &rank,
			   &site, &open, &turned) == 4 &&
		    rank >= 0 && (size_t)rank < tape_trace_ranks(m->s->t))
			r = get_row(m, rank, site);
		if (r) {
			r->open += open;
			r->turned += turned;
		}
	}
}

static int compare_sites(const void *a, const void *b)
{
	const struct race_site *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? 1 : -1;
	if (x->racing != y->racing)
		return x->racing < y->racing ? 1 : -1;
	return tape_place_order(x->site, y->site);
}

/* The start of the first event of all. */
static int64_t find_start(struct tape_trace *t)
{
	const struct tape_event *e;
	struct tape_merge *m = NULL;
	int64_t ns = 0;

	if (tape_merge_open(t, &m))
		tape_die_no_memory();
	if (tape_merge_next(m, &e) == 1)
		ns = e->start_ns;
	tape_merge_close(m);
	return ns;
}

struct race_sums *race_sums_new(struct tape_trace *t)
{
	struct making m = {.s = tape_must(calloc(1, sizeof *m.s))};
	struct race_visitor v = {&m, restart_sums, count_call, add_race,
				 add_first};
	size_t n = tape_trace_ranks(t);

	m.s->t = t;
	m.row = tape_must(calloc(n + 1, sizeof *m.row));
	m.s->start_ns = find_start(t);
	m.s->limits = race_search(t, &v);
	read_classes(&m);
	for (size_t i = 0; i < n; i++)
		free(m.row[i]);
	free(m.row);
	tape_sort(m.s->site, m.s->n_sites, sizeof *m.s->site, compare_sites);
	return m.s;
}

void race_sums_free(struct race_sums *s)
{
	for (size_t i = 0; i < s->n_sites; i++)
		free(s->site[i].rank);
	free(s->site);
	free(s);
}
