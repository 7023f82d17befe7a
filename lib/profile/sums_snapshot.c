/* Sums of several processes while their trace is read; see parallel_sums.h. */
#include <stdlib.h>
#include <string.h>

#include "parallel_sums.h"
#include "tool.h"

/* The call that a rank's first flow is in. */
struct doing {
	uint32_t rank, place;
};

static void copy_doing(const struct stats *s, struct tape_bytes *to)
{
	const struct tape_replay *r = tape_analysis_replay(s->analysis);

	for (size_t i = 0; i < s->flows; i++) {
		const struct tape_flow_info *f = tape_trace_flow(s->t, i);
		struct doing d = {(uint32_t)f->rank, 0};
		const struct tape_event *e;

		if (f->thread || !tape_peers_owns_rank(s->peers, f->rank))
			continue;
		e = tape_replay_current_event(r, i);
		if (!e || !e->call)
			continue;
		d.place =
		    tape_place_from_site(s->places, e->rank, e->site, e->call);
		if (tape_bytes_put(to, STATS_DOING, &d, sizeof d))
			tape_die_no_memory();
	}
}

void stats_copy_sums(struct stats *s, struct tape_bytes *to)
{
	stats_histories_copy(s, to);
	stats_sums_send(s, to);
	copy_doing(s, to);
}

static void copy_table(struct tape_table *to, const struct tape_table *from)
{
	const void *one;
	size_t at = 0;
	uint64_t key;

	*to = (struct tape_table){.bytes = from->bytes};
	while ((one = tape_table_each(from, &at, &key)))
		memcpy(tape_must(tape_table_get(to, key)), one, from->bytes);
}

static void *copy_bytes(const void *from, size_t bytes)
{
	void *to = tape_must(malloc(bytes + 1));

	if (bytes)
		memcpy(to, from, bytes);
	return to;
}

static struct tape_unmatched *copy_unpaired(const struct tape_unmatched *from)
{
	struct tape_unmatched *to = tape_must(tape_unmatched_new());
	const struct tape_unmatched_line *l;
	uint64_t at = 0;

	while ((l = tape_unmatched_each(from, &at)))
		if (tape_unmatched_add(to, l))
			tape_die_no_memory();
	return to;
}

/* Own sums; histograms are for the end. */
static struct stats *copy_own_sums(const struct stats *s)
{
	struct stats *c = copy_bytes(s, sizeof *s);

	c->flow = copy_bytes(s->flow, s->flows * sizeof *s->flow);
	c->place = copy_bytes(s->place, s->n_places * sizeof *s->place);
	for (size_t i = 0; i < c->n_places; i++)
		c->place[i].histogram = NULL;
	copy_table(&c->parts, &s->parts);
	copy_table(&c->waits, &s->waits);
	copy_table(&c->pairs, &s->pairs);
	c->unpaired = copy_unpaired(s->unpaired);
	c->doing = tape_must(calloc(s->ranks + 1, sizeof *c->doing));
	return c;
}

static void add_copy(struct stats *c, struct stats_histories *h, int from,
		     const struct tape_bytes *copy)
{
	const void *data;
	struct doing d;
	size_t at = 0, bytes;
	unsigned kind;

	while ((data = tape_bytes_next(copy, &at, &kind, &bytes))) {
		if (kind != STATS_DOING) {
			stats_sums_receive(c, h, from, kind, data, bytes);
			continue;
		}
		memcpy(&d, data, sizeof d);
		if (d.rank < c->ranks)
			c->doing[d.rank] =
			    stats_histories_place(h, from, d.place);
	}
}

struct stats *stats_merge_copies(struct stats *s,
				 const struct tape_bytes *copies)
{
	struct stats *c = copy_own_sums(s);
	struct stats_histories *h = stats_histories_new(c);

	for (int i = 0; i < s->peers->n; i++)
		if (i != s->peers->me)
			add_copy(c, h, i, &copies[i]);
	stats_get_place(c, tape_places_count(c->places) - 1);
	stats_histories_free(h);
	stats_find_run(c);
	return c;
}

void stats_copy_free(struct stats *s)
{
	if (!s)
		return;
	free(s->flow);
	for (size_t i = 0; i < s->n_places; i++)
		free(s->place[i].histogram);
	free(s->place);
	tape_table_free(&s->parts);
	tape_table_free(&s->waits);
	tape_table_free(&s->pairs);
	tape_unmatched_free(s->unpaired);
	free(s->doing);
	free(s);
}
