/* Columns to arrays; see events.h. */
#include <stdlib.h>

#include "events.h"

static void read_flow_columns(const struct view *v, int base, size_t i,
			      struct view_events *e)
{
	const struct view_times *x = &v->base[base].flow[i];
	struct view_cursor gap = view_cursor(&x->gap);
	struct view_cursor length = view_cursor(&x->length);
	struct view_cursor place = view_cursor(&v->flow[i].place);
	int64_t now = 0;

	for (size_t k = e->first[i]; k < e->first[i + 1]; k++) {
		e->start_ns[k] = now + view_get_signed(&gap);
		e->end_ns[k] = now = e->start_ns[k] + view_get_signed(&length);
		e->place[k] = (uint32_t)view_get(&place);
	}
	gap = view_cursor(&x->region_gap);
	length = view_cursor(&x->region_length);
	place = view_cursor(&v->flow[i].region);
	struct view_cursor depth = view_cursor(&v->flow[i].depth);

	now = 0;
	for (size_t k = e->first_span[i]; k < e->first_span[i + 1]; k++) {
		e->span_end_ns[k] = now += view_get_signed(&gap);
		e->span_start_ns[k] = now - view_get_signed(&length);
		e->region[k] = (uint32_t)view_get(&place);
		e->depth[k] = (uint32_t)view_get(&depth);
		if (e->depth[k] >= e->deepest)
			e->deepest = e->depth[k] + 1;
	}
}

/* Decodes one side of the messages into numbers of events over all flows. */
static void read_message_side(const struct view *v,
			      const struct view_column *flow,
			      const struct view_column *step,
			      const size_t *first, uint32_t *out)
{
	struct view_cursor f = view_cursor(flow), s = view_cursor(step);
	int64_t *last = view_alloc(v->flows, sizeof *last);

	for (size_t m = 0; m < v->single; m++) {
		size_t i = (size_t)view_get(&f);

		last[i] += view_get_signed(&s);
		out[m] = (uint32_t)(first[i] + (size_t)last[i]);
	}
	free(last);
}

void view_events_read(const struct view *v, int base, struct view_events *e)
{
	size_t n = 0, spans = 0;

	*e = (struct view_events){ .messages = v->single };
	e->first = view_alloc(v->flows + 1, sizeof *e->first);
	e->first_span = view_alloc(v->flows + 1, sizeof *e->first_span);
	for (size_t i = 0; i < v->flows; i++) {
		e->first[i + 1] = n += v->flow[i].kept;
		e->first_span[i + 1] = spans += v->flow[i].n_spans;
	}
	e->start_ns = view_alloc(n, sizeof *e->start_ns);
	e->end_ns = view_alloc(n, sizeof *e->end_ns);
	e->place = view_alloc(n, sizeof *e->place);
	e->span_start_ns = view_alloc(spans, sizeof *e->span_start_ns);
	e->span_end_ns = view_alloc(spans, sizeof *e->span_end_ns);
	e->region = view_alloc(spans, sizeof *e->region);
	e->depth = view_alloc(spans, sizeof *e->depth);
	for (size_t i = 0; i < v->flows; i++)
		read_flow_columns(v, base, i, e);
	e->from = view_alloc(v->single, sizeof *e->from);
	e->to = view_alloc(v->single, sizeof *e->to);
	read_message_side(v, &v->from_flow, &v->from_event, e->first, e->from);
	read_message_side(v, &v->to_flow, &v->to_event, e->first, e->to);
}

void view_events_free(struct view_events *e)
{
	free(e->first);
	free(e->first_span);
	free(e->start_ns);
	free(e->end_ns);
	free(e->place);
	free(e->span_start_ns);
	free(e->span_end_ns);
	free(e->region);
	free(e->depth);
	free(e->from);
	free(e->to);
}

static int is_start_or_end(const struct view *v, const struct view_events *e,
			   size_t k)
{
	const struct view_place *p = &v->names->places[e->place[k]];

	return p->site && view_group_of(p->site->call) == VIEW_LIFE;
}

void view_events_program_time(const struct view *v, int base,
			      const struct view_events *e, int64_t *from,
			      int64_t *to)
{
	*from = INT64_MAX;
	*to = INT64_MIN;
	for (size_t i = 0; i < v->flows; i++) {
		size_t a = e->first[i], z = e->first[i + 1];

		while (a < z && !is_start_or_end(v, e, a))
			a++;
		if (a < z && e->end_ns[a] < *from)
			*from = e->end_ns[a];
		while (z > a + 1 && !is_start_or_end(v, e, z - 1))
			z--;
		if (z > a + 1 && e->start_ns[z - 1] > *to)
			*to = e->start_ns[z - 1];
	}
	if (*from < *to)
		return;
	*from = 0;
	*to = v->base[base].length_ns;
}
