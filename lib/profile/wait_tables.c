/* Tables of waiting, messages and collectives; see stat.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sort.h"
#include "stat.h"
#include "tool.h"

static void add_name_cell(struct sheet *h, const struct stats *s,
			  uint32_t activity)
{
	char text[TAPE_PLACE_BYTES];

	sheet_put_text(
	    h, tape_activity_text(s->places, activity, text, sizeof text));
}

static int flow_rank(const struct stats *s, size_t flow)
{
	return tape_trace_flow(s->t, flow)->rank;
}

/* All records of a table as an array; the caller frees it. */
static void *list_records(const struct tape_table *t, size_t *n)
{
	char *list = tape_must(calloc(t->used + 1, t->bytes));
	const void *one;
	size_t at = 0;
	uint64_t key;

	*n = 0;
	while ((one = tape_table_each(t, &at, &key)))
		memcpy(list + (*n)++ * t->bytes, one, t->bytes);
	return list;
}

void stat_add_processor_columns(struct sheet *h)
{
	sheet_add_rare_column(h, "processor", SHEET_SECONDS);
	sheet_add_rare_column(h, "processor most", SHEET_SECONDS);
}

void stat_put_processor(struct sheet *h, const struct stats *s,
			const struct tape_ready *r)
{
	sheet_put_number(h, s->has_ready ? r->from_ns : NAN);
	sheet_put_number(h, s->has_ready ? r->to_ns : NAN);
}

/* ---- waits ---- */

static int by_wait(const void *a, const void *b)
{
	const struct stats_waits *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	if (x->call != y->call)
		return x->call < y->call ? -1 : 1;
	if (x->flow != y->flow)
		return x->flow < y->flow ? -1 : 1;
	if (x->late_flow != y->late_flow)
		return x->late_flow < y->late_flow ? -1 : 1;
	return x->kind < y->kind ? -1 : x->kind > y->kind;
}

struct sheet *stat_waits(struct stats *s)
{
	static const char *const spare[] = {
	    "max", "measured", "distance", "wrong order", "times",
	    "processor most", NULL};
	struct sheet *h = sheet_new("waits", "Waiting, by call site and ranks");
	struct stats_waits *list;
	char far[100];
	size_t n;

	list = list_records(&s->waits, &n);
	tape_sort(list, n, sizeof *list, by_wait);
	sheet_add_column(h, "waiting", SHEET_SECONDS);
	sheet_add_rare_column(h, "measured", SHEET_SECONDS);
	sheet_add_column(h, "times", SHEET_COUNT);
	sheet_add_column(h, "max", SHEET_MICROS);
	sheet_add_rare_column(h, "wrong order", SHEET_SECONDS);
	stat_add_processor_columns(h);
	sheet_add_column(h, "rank", SHEET_COUNT);
	sheet_add_column(h, "for rank", SHEET_COUNT);
	sheet_add_column(h, "kind", SHEET_NAME);
	sheet_add_column(h, "call site", SHEET_NAME);
	sheet_add_rare_column(h, "distance", SHEET_NAME);
	sheet_set_spare(h, spare);
	for (size_t i = 0; i < n; i++) {
		sheet_put_number(h, list[i].ns);
		sheet_put_number(h, stats_waited_as_measured(s, &list[i]));
		sheet_put_number(h, (double)list[i].n);
		sheet_put_number(h, list[i].max_ns);
		sheet_put_number(h, list[i].wrong_order_ns);
		stat_put_processor(h, s, &list[i].ready);
		sheet_put_number(h, flow_rank(s, list[i].flow));
		sheet_put_number(h, flow_rank(s, list[i].late_flow));
		sheet_put_text(
		    h, tape_wait_name((enum tape_wait_kind)list[i].kind));
		add_name_cell(h, s, list[i].call);
		/* of one level above ranks there is nothing to tell */
		if (tape_system_levels(s->system) > 2)
			sheet_put_text(h, stat_distance_text(
					      s, flow_rank(s, list[i].flow),
					      flow_rank(s, list[i].late_flow),
					      far, sizeof far));
		else
			sheet_put_none(h);
	}
	free(list);
	return h;
}

struct sheet *stat_causes(struct stats *s)
{
	struct sheet *h = sheet_new(
	    "causes", "Causes of waiting: what the late ranks were doing");
	const struct tape_delays *d = &s->delays;

	sheet_add_column(h, "caused", SHEET_SECONDS);
	sheet_add_column(h, "directly", SHEET_SECONDS);
	stat_add_processor_columns(h);
	sheet_add_column(h, "rank", SHEET_COUNT);
	sheet_add_column(h, "what it did", SHEET_NAME);
	for (size_t i = 0; i < d->n; i++) {
		sheet_put_number(h,
				 d->delay[i].direct_ns + d->delay[i].spread_ns);
		sheet_put_number(h, d->delay[i].direct_ns);
		stat_put_processor(h, s, &d->delay[i].ready);
		sheet_put_number(h, flow_rank(s, d->delay[i].flow));
		add_name_cell(h, s, d->delay[i].activity);
	}
	if (d->rest_ns >= 1) {
		sheet_put_number(h, d->rest_ns);
		sheet_put_number(h, d->rest_ns);
		stat_put_processor(h, s, &(struct tape_ready){0, d->rest_ns});
		sheet_put_none(h);
		sheet_put_text(h, "no cause found: the delay began before the "
				  "last synchronisation of the two ranks");
	}
	return h;
}

struct sheet *stat_path(struct stats *s)
{
	struct sheet *h =
	    sheet_new("path", "Critical path: how much shorter the run would "
			      "be, at most, without each activity");
	double all = (double)(s->path.to_ns - s->path.from_ns);

	sheet_add_column(h, "on path", SHEET_SECONDS);
	sheet_add_column(h, "share", SHEET_PERCENT);
	sheet_add_column(h, "imbalance", SHEET_SECONDS);
	sheet_add_column(h, "all ranks", SHEET_SECONDS);
	sheet_add_column(h, "what", SHEET_NAME);
	for (size_t i = 0; i < s->path.n; i++) {
		const struct tape_path_place *p = &s->path.place[i];

		sheet_put_number(h, (double)p->path_ns);
		sheet_put_number(h, all > 0 ? (double)p->path_ns / all : NAN);
		sheet_put_number(h, p->imbalance_ns);
		sheet_put_number(h, (double)p->all_ns);
		add_name_cell(h, s, p->activity);
	}
	return h;
}

/* ---- messages ---- */

struct sheet *stat_sizes(struct stats *s)
{
	struct sheet *h = sheet_new("sizes", "Messages by size");

	sheet_add_column(h, "from", SHEET_BYTES);
	sheet_add_column(h, "to", SHEET_BYTES);
	sheet_add_column(h, "messages", SHEET_COUNT);
	sheet_add_column(h, "share", SHEET_PERCENT);
	sheet_add_column(h, "bytes", SHEET_BYTES);
	for (int i = 0; i < 65; i++) {
		if (!s->size[i].messages)
			continue;
		sheet_put_number(h, i ? ldexp(1, i - 1) : 0);
		sheet_put_number(h, i ? ldexp(1, i) - 1 : 0);
		sheet_put_number(h, (double)s->size[i].messages);
		sheet_put_number(h, (double)s->size[i].messages /
					(double)s->messages);
		sheet_put_number(h, s->size[i].bytes);
	}
	return h;
}

struct sheet *stat_collectives(struct stats *s)
{
	struct sheet *h = sheet_new("collectives", "Collectives");

	sheet_add_column(h, "total", SHEET_SECONDS);
	sheet_add_column(h, "waiting", SHEET_SECONDS);
	stat_add_processor_columns(h);
	sheet_add_column(h, "times", SHEET_COUNT);
	sheet_add_column(h, "members", SHEET_RATIO);
	sheet_add_column(h, "bytes", SHEET_BYTES);
	sheet_add_column(h, "call", SHEET_NAME);
	for (unsigned i = 0; i < TAPE_CALL_COUNT; i++) {
		const struct stats_coll *c = &s->coll[i];

		if (!c->rounds)
			continue;
		sheet_put_number(h, c->total_ns);
		if (s->comparable)
			sheet_put_number(h, c->waiting_ns);
		else
			sheet_put_none(h);
		stat_put_processor(h, s, &c->ready);
		sheet_put_number(h, (double)c->rounds);
		sheet_put_number(h, (double)c->members / (double)c->rounds);
		sheet_put_number(h, c->bytes);
		sheet_put_text(h, tape_call_name(i));
	}
	return h;
}
