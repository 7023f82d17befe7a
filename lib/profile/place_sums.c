/*
 * Sums by place: waits are found by call, kind and flows, and all move when
 * places get other numbers, those that came while a trace was followed.
 */
#include <stdlib.h>
#include <string.h>

#include "hash_bits.h"
#include "damage.h"
#include "phase_log.h"
#include "sums.h"
#include "tool.h"

struct stats_place *stats_get_place(struct stats *s, uint32_t number)
{
	if (number >= s->n_places) {
		size_t n = tape_places_count(s->places);

		n = n > number ? n : number + 1u;
		s->place = tape_must(realloc(s->place, n * sizeof *s->place));
		memset(s->place + s->n_places, 0,
		       (n - s->n_places) * sizeof *s->place);
		s->n_places = n;
	}
	return &s->place[number];
}

static uint64_t wait_key(const struct stats_waits *w)
{
	uint64_t key =
	    (tape_spread_bits((uint64_t)w->call << 8 | w->kind) + w->flow) *
		0xc2b2ae3d27d4eb4fu +
	    w->late_flow;

	return key ? key : 1;
}

static int is_same_wait(const struct stats_waits *a,
			const struct stats_waits *b)
{
	return a->call == b->call && a->kind == b->kind && a->flow == b->flow &&
	       a->late_flow == b->late_flow;
}

const struct stats_waits *stats_find_waits(const struct stats *s,
					   const struct stats_waits *key)
{
	const struct stats_waits *k;

	for (uint64_t at = wait_key(key);; at++) {
		k = tape_table_find(&s->waits, at ? at : ++at);
		if (!k || is_same_wait(k, key))
			return k;
	}
}

struct stats_waits *stats_get_waits(struct stats *s,
				    const struct stats_waits *one)
{
	struct stats_waits *k;

	for (uint64_t key = wait_key(one);; key++) {
		k = tape_must(tape_table_get(&s->waits, key ? key : ++key));
		if (!k->kind || is_same_wait(k, one))
			return k;
	}
}

static uint64_t record_key(uint32_t place, uint32_t flow)
{
	return ((uint64_t)flow << 32 | place) + 1;
}

void *stats_get_record(struct tape_table *t, uint32_t place, uint32_t flow)
{
	struct stats_key *k =
	    tape_must(tape_table_get(t, record_key(place, flow)));

	*k = (struct stats_key){place, flow};
	return k;
}

const void *stats_find_record(const struct tape_table *t, uint32_t place,
			      uint32_t flow)
{
	return tape_table_find(t, record_key(place, flow));
}

static void move_places(struct stats *s, const uint32_t *now)
{
	struct stats_place *to = tape_must(calloc(s->n_places, sizeof *to));

	for (size_t i = 0; i < s->n_places; i++)
		to[now[i]] = s->place[i];
	free(s->place);
	s->place = to;
}

/* A table of records by place and flow. */
static void move_records(struct tape_table *t, const uint32_t *now)
{
	struct tape_table old = *t;
	const struct stats_key *k;
	struct stats_key *to;
	size_t at = 0;
	uint64_t key;

	*t = (struct tape_table){.bytes = old.bytes};
	while ((k = tape_table_each(&old, &at, &key))) {
		to = stats_get_record(t, now[k->place], k->flow);
		memcpy(to, k, old.bytes);
		to->place = now[k->place];
	}
	tape_table_free(&old);
}

static void move_waits(struct stats *s, const uint32_t *now)
{
	struct tape_table old = s->waits;
	const struct stats_waits *w;
	size_t at = 0;
	uint64_t key;

	s->waits = (struct tape_table){.bytes = old.bytes};
	while ((w = tape_table_each(&old, &at, &key))) {
		struct stats_waits one = *w;

		one.call = now[w->call];
		*stats_get_waits(s, &one) = one;
	}
	tape_table_free(&old);
}

void stats_renumber(struct stats *s, const uint32_t *now)
{
	move_places(s, now);
	move_records(&s->parts, now);
	move_records(&s->counted, now);
	move_records(&s->outside, now);
	move_records(&s->within, now);
	move_records(&s->regions, now);
	move_waits(s, now);
	if (s->log)
		phase_log_renumber(s->log, now, s->n_places);
}

void stats_count_ranks(struct stats *s)
{
	size_t n = tape_ranks_there(s->t);
	const char **position;
	int rc;

	if (n == s->ranks)
		return;
	s->ranks = n;
	tape_system_free(s->system);
	position = tape_must(calloc(n + 1, sizeof(const char *)));
	for (size_t i = 0; i < n; i++)
		position[i] = tape_trace_rank(s->t, (int)i)->position;
	rc = tape_system_new(&s->system, position, (int)n);
	free(position);
	if (rc)
		tape_die_no_memory();
}

double stats_length(const struct stats *s, size_t flow)
{
	const struct stats_flow *f = &s->flow[flow];
	int64_t to = f->finalized ? s->to_ns : f->span.to_ns;

	return f->span.seen ? (double)(to - f->span.from_ns) : 0;
}

double stats_all_lengths(const struct stats *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->flows; i++)
		sum += stats_length(s, i);
	return sum;
}

double stats_computing(const struct stats *s, size_t flow)
{
	const struct stats_flow *f = &s->flow[flow];
	double ns = (double)(f->span.to_ns - f->span.from_ns) - f->mpi_ns -
		    f->tracing_ns;

	return f->span.seen && ns > 0 ? ns : 0;
}
