/* The critical path, backwards; see path.h. */
#include <stdlib.h>

#include "path.h"

struct walk {
	struct tape_path *path;
	struct tape_path_place *of; /* by activity */
	void (*piece)(void *, const struct tape_path_piece *);
	void *own;
	struct tape_path_piece now; /* to_ns is known, from_ns not yet */
	uint64_t calls; /* of all flows */
};

static void spend_all(struct walk *w, const struct tape_spent *list, size_t n,
		      int on_path)
{
	for (size_t i = 0; i < n; i++)
		if (on_path)
			w->of[list[i].activity].path_ns += list[i].ns;
		else
			w->of[list[i].activity].all_ns += list[i].ns;
}

/* The piece in progress began at ns. */
static void end_piece(struct walk *w, int64_t ns)
{
	w->now.from_ns = ns;
	if (ns >= w->now.to_ns)
		return;
	w->path->flow_ns[w->now.flow] += w->now.to_ns - ns;
	if (w->piece)
		w->piece(w->own, &w->now);
}

/* The call s is on the path to its end, or where its wait ended. */
static struct tape_sync *follow_call(struct walk *w, struct tape_sync *s)
{
	int64_t from = s->begun_ns, to = s->ended_ns;
	struct tape_sync *late = s->wait_ns ? s->late : NULL;

	if (late && late->begun_ns <= to && late->flow != s->flow) {
		if (s->cause_ns > from)
			from = s->cause_ns < to ? s->cause_ns : to;
	} else {
		late = NULL;
	}
	w->of[s->call].path_ns += to - from;
	if (!late)
		return s;
	end_piece(w, from);
	w->path->moves++;
	w->now.flow = late->flow;
	w->now.to_ns = from;
	return late;
}

static int is_start(const struct tape_sync *s)
{
	return s->round == 1;
}

static void walk_back(struct walk *w, struct tape_history *h,
		      const struct tape_span *span)
{
	const struct tape_spent *rest;
	struct tape_sync *s = tape_history_last_call(h, w->now.flow);
	size_t n = tape_history_open_times(h, w->now.flow, &rest);
	int64_t from = span[w->now.flow].from_ns;
	int64_t moves = 0;

	/* the end of the span is in front of MPI_Finalize, or after all */
	if (s && s->begun_ns >= w->now.to_ns)
		spend_all(w, s->spent, s->n_spent, 1);
	else
		spend_all(w, rest, n, 1);
	if (s && s->begun_ns >= w->now.to_ns)
		s = s->before;
	/* no call is met twice, unless the dates contradict each other */
	while (s && !is_start(s) && w->calls--) {
		s = follow_call(w, s);
		if (w->path->moves != moves)
			tape_history_count_jump(h);
		moves = w->path->moves;
		tape_history_count_read(h, s);
		spend_all(w, s->spent, s->n_spent, 1);
		from = span[s->flow].from_ns;
		s = s->before;
	}
	end_piece(w, from);
	w->path->from_ns = from;
}

/* Sums the time of every activity over all flows. */
static void sum_all(struct walk *w, struct tape_history *h,
		    const struct tape_span *span, size_t flows)
{
	const struct tape_spent *rest;

	for (size_t i = 0; i < flows; i++) {
		size_t n = tape_history_open_times(h, i, &rest);

		spend_all(w, rest, n, 0);
		for (const struct tape_sync *s = tape_history_last_call(h, i);
		     s; s = s->before) {
			w->calls++;
			tape_history_count_read(h, s);
			spend_all(w, s->spent, s->n_spent, 0);
			if (!is_start(s) && s->begun_ns < span[i].to_ns)
				w->of[s->call].all_ns += s->ended_ns -
							 s->begun_ns -
							 s->wait_ns;
		}
	}
}

static int by_path(const void *a, const void *b, void *places)
{
	const struct tape_path_place *x = a, *y = b;

	if (x->path_ns != y->path_ns)
		return x->path_ns < y->path_ns ? 1 : -1;
	return tape_place_compare(places, x->activity, y->activity);
}

/* Those that took any time, and their imbalance. */
static void collect_places(struct walk *w, size_t activities, size_t flows,
			   struct tape_places *places)
{
	struct tape_path *p = w->path;

	for (size_t i = 0; i < activities; i++) {
		struct tape_path_place *c = &w->of[i];
		double more = (double)c->path_ns -
			      (double)c->all_ns / (double)flows;

		if (!c->path_ns && !c->all_ns)
			continue;
		c->activity = (uint32_t)i;
		c->imbalance_ns = more > 0 ? more : 0;
		p->place[p->n++] = *c;
	}
	qsort_r(p->place, p->n, sizeof *p->place, by_path, places);
}

int tape_path_find(struct tape_analysis *a,
		   void (*piece)(void *, const struct tape_path_piece *),
		   void *own, struct tape_path *p)
{
	struct tape_history *h = tape_analysis_history(a);
	size_t n = tape_places_count(tape_analysis_places(a));
	size_t flows = tape_history_flows(h), seen = 0;
	struct walk w = { .path = p, .piece = piece, .own = own };
	struct tape_span *span = calloc(flows + 1, sizeof *span);
	int rc = TAPE_ENOMEM;

	*p = (struct tape_path){ .flows = flows };
	w.of = calloc(n + 1, sizeof *w.of);
	p->place = calloc(n + 1, sizeof *p->place);
	p->flow_ns = calloc(flows + 1, sizeof *p->flow_ns);
	if (!span || !w.of || !p->place || !p->flow_ns)
		goto out;
	for (size_t i = 0; i < flows; i++) {
		span[i] = tape_analysis_span(a, i);
		if (!span[i].seen)
			continue;
		if (!seen++ || span[i].to_ns > span[p->last].to_ns)
			p->last = i;
	}
	rc = 0;
	if (!seen)
		goto out;
	p->to_ns = span[p->last].to_ns;
	w.now = (struct tape_path_piece){ .flow = p->last, .to_ns = p->to_ns };
	sum_all(&w, h, span, flows);
	walk_back(&w, h, span);
	collect_places(&w, n, seen, tape_analysis_places(a));
out:
	free(span);
	free(w.of);
	return rc;
}

void tape_path_free(struct tape_path *p)
{
	free(p->place);
	free(p->flow_ns);
	*p = (struct tape_path){ 0 };
}
