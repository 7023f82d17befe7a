/* Times of activities between two calls; see spent_times.h. */
#include <math.h>
#include <stdlib.h>

#include "spent_times.h"
#include "tape_reader.h"

int tape_times_new(struct tape_times *t, size_t activities, size_t flows)
{
	*t = (struct tape_times){
	    .ns = calloc(activities + 1, sizeof *t->ns),
	    .ready = calloc(activities + 1, sizeof *t->ready),
	    .list = calloc(activities + 1, sizeof *t->list),
	    .part_ns = calloc(activities + 1, sizeof *t->part_ns),
	    .parts = calloc(activities + 1, sizeof *t->parts),
	    .range = calloc(flows + 1, sizeof *t->range),
	};
	return t->ns && t->ready && t->list && t->part_ns && t->parts &&
		       t->range
		   ? 0
		   : TAPE_ENOMEM;
}

void tape_times_free(struct tape_times *t)
{
	free(t->ns);
	free(t->ready);
	free(t->list);
	free(t->part_ns);
	free(t->parts);
	free(t->range);
}

void tape_times_clear(struct tape_times *t)
{
	while (t->n) {
		uint32_t activity = t->list[--t->n];

		t->ns[activity] = 0;
		t->ready[activity] = (struct tape_ready){0, 0};
	}
}

static void add_time(struct tape_times *t, uint32_t activity, double ns)
{
	if (t->ns[activity] == 0)
		t->list[t->n++] = activity;
	t->ns[activity] += ns;
}

void tape_times_add(struct tape_times *t, uint32_t activity, double ns)
{
	if (ns <= 0)
		return;
	add_time(t, activity, ns);
	t->ready[activity].to_ns += ns;
}

/* Time in the window that is not known yet. */
static void add_part(struct tape_times *t, uint32_t activity, double ns)
{
	if (ns <= 0)
		return;
	add_time(t, activity, ns);
	if (t->part_ns[activity] == 0)
		t->parts[t->n_parts++] = activity;
	t->part_ns[activity] += ns;
}

/* The window began with that mark; NULL: nothing is known of it. */
static void end_parts(struct tape_times *t, const struct tape_sync *mark)
{
	struct tape_ready_window none = tape_processor_ready_window(NULL);

	while (t->n_parts) {
		uint32_t activity = t->parts[--t->n_parts];

		tape_processor_add_ready(&t->ready[activity],
					 mark ? &mark->window : &none,
					 t->part_ns[activity]);
		t->part_ns[activity] = 0;
	}
}

/*
 * The last mark up to the call s; NULL: none. Calls between that one and one
 * that was asked for before are not looked at again.
 */
static const struct tape_sync *find_mark(struct tape_times *t,
					 struct tape_history *h,
					 const struct tape_sync *s)
{
	struct tape_mark_range *r = &t->range[s->flow];
	const struct tape_sync *p = s, *mark = NULL;

	for (; p && !mark; p = p->before) {
		tape_history_count_read(h, p);
		if (p->kind == TAPE_SYNC_MARK)
			mark = p;
		else if (p->event >= r->from_event && p->event <= r->to_event) {
			mark = r->mark;
			break;
		}
	}
	*r = (struct tape_mark_range){mark ? mark->event : 0, s->event, mark};
	return mark;
}

int tape_sync_is_start(const struct tape_sync *s)
{
	return s->round == 1;
}

/* The same; *first is the first call whose time before it was added. */
static double sum_parts(struct tape_times *t, const struct tape_sync *s,
			const struct tape_sync *stop,
			const struct tape_sync **first)
{
	double waited_ns = 0;

	for (;;) {
		*first = s;
		for (uint32_t i = 0; i < s->n_spent; i++)
			add_part(t, s->spent[i].activity,
				 (double)s->spent[i].ns);
		s = s->before;
		if (!s || (s == stop && tape_sync_is_start(s)))
			return waited_ns;
		if (s->kind == TAPE_SYNC_MARK)
			end_parts(t, s);
		add_part(t, s->call,
			 (double)(s->ended_ns - s->begun_ns - s->wait_ns));
		if (s == stop)
			return waited_ns;
		waited_ns += (double)s->wait_ns;
	}
}

double tape_times_sum(struct tape_times *t, struct tape_history *h,
		      const struct tape_sync *s, const struct tape_sync *stop)
{
	const struct tape_sync *first;
	double waited_ns = sum_parts(t, s, stop, &first);

	if (tape_history_has_marks(h) && first->before && t->n_parts)
		end_parts(t, find_mark(t, h, first->before));
	end_parts(t, NULL);
	return waited_ns;
}
