/* Are these dates possible? See causality.h. */
#include "causality.h"
#include "item_state.h"

static void add_violations(struct violations *a, const struct violations *b)
{
	a->n += b->n;
	if (b->worst_ns > a->worst_ns)
		a->worst_ns = b->worst_ns;
}

void causality_add(struct causality *a, const struct causality *b)
{
	add_violations(&a->before, &b->before);
	add_violations(&a->messages, &b->messages);
	add_violations(&a->meetings, &b->meetings);
	add_violations(&a->inside, &b->inside);
	add_violations(&a->order, &b->order);
	a->n_messages += b->n_messages;
	a->n_meetings += b->n_meetings;
}

struct violations causality_sum_after(const struct causality *c)
{
	struct violations all = c->messages;

	add_violations(&all, &c->meetings);
	add_violations(&all, &c->inside);
	add_violations(&all, &c->order);
	return all;
}

void causality_add_message(struct causality *c, enum tape_distance d,
			   struct dates sent, struct dates end)
{
	int64_t took = end.measured - sent.measured, least = c->least_ns[d];

	if (took < least)
		least = took < 0 ? 0 : took;
	causality_count(&c->before, -took);
	causality_count(&c->messages, sent.written + least - end.written);
	c->n_messages++;
}

void causality_add_meeting(struct causality *c, struct dates other,
			   struct dates end)
{
	causality_count(&c->before, other.measured - end.measured);
	causality_count(&c->meetings, other.written - end.written);
	c->n_meetings++;
}

/* The exit that is looked at, and the latest entry that it depends on. */
struct exit {
	const struct tape_round *q;
	int (*refuted)(const void *self, int member);
	const void *self;
	struct dates last;
};

/* The entry of member i, if the exit may have waited for it. */
static void include_entry(struct exit *x, int i)
{
	const struct tape_round *q = x->q;

	if (i < 0 || i >= q->size || q->start_ns[i] == INT64_MIN ||
	    x->refuted(x->self, i))
		return;
	if (q->start_ns[i] > x->last.measured)
		x->last.measured = q->start_ns[i];
	if (member_state(q, i)->written_ns > x->last.written)
		x->last.written = member_state(q, i)->written_ns;
}

void causality_add_exit(struct causality *c, const struct tape_round *q,
			const struct tape_request *r, struct dates end,
			int (*refuted)(const void *self, int member),
			const void *self)
{
	struct exit x = { q, refuted, self, { INT64_MIN, INT64_MIN } };
	int first = 0, last = q->size;

	if (r->shape == TAPE_SHAPE_SCAN)
		last = r->rank;
	else if (r->shape == TAPE_SHAPE_TO)
		first = r->first, last = r->root == r->rank ? r->last : 0;
	else if (r->shape == TAPE_SHAPE_FROM)
		first = r->root, last = r->root < 0 ? 0 : r->root + 1;
	else if (r->shape == TAPE_SHAPE_NEAR)
		last = 0;
	if (!first && last == q->size && q->latest_ns <= end.measured)
		x.last = (struct dates){q->latest_ns,
					collective_state(q)->latest_written_ns};
	else
		for (int i = first; i < last; i++)
			include_entry(&x, i);
	for (size_t i = 0; r->shape == TAPE_SHAPE_NEAR && i < r->n_sources; i++)
		include_entry(&x, r->sources[i]);
	if (x.last.measured > INT64_MIN)
		causality_add_meeting(c, x.last, end);
}
