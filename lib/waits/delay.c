/*
 * Delay costs; see delay.h. Waits are gone through from the last to the first,
 * so that what each is blamed for at second hand is known when its turn comes.
 * That is its length times a number which all waits of its flow between two
 * calls share: it is kept up to date on the way back (cover, uncover).
 */
#include <math.h>
#include <stdlib.h>

#include "hash_bits.h"
#include "delay.h"
#include "first_steps.h"
#include "spent_times.h"
#include "table.h"
#include "turns.h"

/*
 * How far back it is looked for where two flows were in step. Beyond that the
 * interval begins there: activities of before have no part.
 */
enum { FARTHEST = 1 << 16, ROUNDS = 64 };

/* What makes a wait: activities that took the late flow longer. */
struct reason {
	uint32_t activity;
	uint16_t ready_from, ready_to; /* of ns, in TAPE_READY_UNITS */
	double ns;
};

/* Since two flows were in step. */
struct since {
	struct tape_times late, waiter;
	struct reason *list; /* room for all activities */
	size_t n;
	double all; /* of these, and what the late one waited itself */
	struct tape_sync *stop; /* it did so after this call; NULL: ever */
};

/* On the way back. */
struct way {
	struct tape_sync *at;   /* not looked at yet; NULL: it is over */
	struct tape_sync *wait; /* the next one that waited */
	double cover;           /* blamed for so much of each ns waited */
};

struct state {
	struct tape_history *history;
	struct tape_places *places;
	struct way *ways;
	struct tape_turns turns;
	struct since since;
	struct tape_table costs, blames;
	/* of the wait before: many have the same reason as others had */
	struct tape_cost *cost;
	struct tape_blame *blame;
	struct tape_delays *result;
};

/* ---- since when were they in step? ---- */

struct seen {
	struct tape_sync *of[ROUNDS];
	size_t n;
};

static struct tape_sync *find_seen_round(struct seen *s, uint64_t round)
{
	size_t least = s->n > ROUNDS ? s->n - ROUNDS : 0;

	for (size_t i = s->n; i-- > least;)
		if (s->of[i % ROUNDS]->round == round)
			return s->of[i % ROUNDS];
	return NULL;
}

static void remember_round(struct seen *s, struct tape_sync *r)
{
	if (r->round)
		s->of[s->n++ % ROUNDS] = r;
}

/* Did r, a call of one flow before x, wait for the other, before y? */
static int waited_before(const struct tape_sync *r, const struct tape_sync *y)
{
	return r->wait_ns && r->late && r->late->flow == y->flow &&
	       r->late->event < y->event;
}

/*
 * Where the flows of x and y were in step before these: *sx, *sy; both NULL:
 * never.
 */
static void find_last_sync(struct tape_history *h, const struct tape_sync *x,
			   const struct tape_sync *y, struct tape_sync **sx,
			   struct tape_sync **sy)
{
	struct tape_sync *p[2] = { x->before, y->before };
	const struct tape_sync *const end[2] = { x, y };
	struct tape_sync *found[2] = { NULL, NULL }, *r;
	struct seen kept[2] = { { .n = 0 }, { .n = 0 } };

	for (int far = 0; (p[0] || p[1]) && far < FARTHEST; far++) {
		int k = !p[0] || (p[1] && p[1]->ended_ns > p[0]->ended_ns);

		r = p[k];
		p[k] = r->before;
		tape_history_count_read(h, r);
		if (waited_before(r, end[!k]))
			found[!k] = r->late;
		else if (r->round)
			found[!k] = find_seen_round(&kept[!k], r->round);
		if (found[!k]) {
			found[k] = r;
			break;
		}
		remember_round(&kept[k], r);
		if (far == FARTHEST - 1) {
			found[0] = p[0];
			found[1] = p[1];
		}
	}
	*sx = found[0];
	*sy = found[1];
}

/* ---- what they did since ---- */

/* The share of d, in TAPE_READY_UNITS, at least or at most. */
static uint16_t ready_units(double ns, double d, int is_most)
{
	double units = TAPE_READY_UNITS * ns / d;

	return (uint16_t)(is_most ? ceil(units) : floor(units));
}

/* That activity took the late flow d longer. */
static struct reason make_reason(const struct since *s, uint32_t activity,
				 double d)
{
	struct tape_ready r;

	tape_processor_bound_delay(&r, d, &s->late.ready[activity],
				   &s->waiter.ready[activity]);
	return (struct reason){activity, ready_units(r.from_ns, d, 0),
			       ready_units(r.to_ns, d, 1), d};
}

/*
 * x waited for l, and both were in step then: did l itself wait in that call
 * after that? As a call does that sends first and then receives.
 */
static int waited_after(const struct tape_sync *x, const struct tape_sync *l)
{
	return x && l && x->late == l && x->wait_ns && l->wait_ns > 0 &&
	       x->cause_ns <= l->begun_ns;
}

/* Why did x wait, for a call that is known? */
static void explain_wait(struct since *s, struct tape_history *h,
			 const struct tape_sync *x)
{
	struct tape_sync *stop, *late = x->late, *of_late;

	find_last_sync(h, x, late, &stop, &of_late);
	tape_times_clear(&s->late);
	tape_times_clear(&s->waiter);
	tape_times_sum(&s->waiter, h, x, stop);
	s->all = tape_times_sum(&s->late, h, late, of_late);
	s->stop = of_late;
	if (waited_after(stop, of_late)) {
		s->all += (double)of_late->wait_ns;
		s->stop = of_late->before;
	}
	if (of_late && stop && tape_sync_is_start(of_late) &&
	    tape_sync_is_start(stop))
		tape_times_add(&s->late, of_late->call,
			       (double)(of_late->ended_ns - stop->ended_ns));
	s->n = 0;
	for (size_t i = 0; i < s->late.n; i++) {
		uint32_t c = s->late.list[i];
		double d = s->late.ns[c] - s->waiter.ns[c];

		if (d > 0)
			s->list[s->n++] = make_reason(s, c, d);
		if (d > 0)
			s->all += d;
	}
}

static int since_new(struct since *s, size_t activities, size_t flows)
{
	int rc = tape_times_new(&s->late, activities, flows);

	if (tape_times_new(&s->waiter, activities, flows))
		rc = TAPE_ENOMEM;
	s->list = calloc(activities + 1, sizeof *s->list);
	return s->list ? rc : TAPE_ENOMEM;
}

static void since_free(struct since *s)
{
	tape_times_free(&s->late);
	tape_times_free(&s->waiter);
	free(s->list);
}

static int is_wait(const struct tape_sync *s)
{
	return s->wait_ns > 0 && s->late != NULL;
}

/* ---- found by one process for another ---- */

/* As it stands after what a call spent: all, the event of stop, and reasons */
enum { ALL, STOP, REASONS, MOST = 1023 };

struct tape_why {
	struct tape_history *history;
	struct since since;
	struct tape_spent list[MOST];
};

struct tape_why *tape_why_new(struct tape_analysis *a)
{
	struct tape_why *w = calloc(1, sizeof *w);
	size_t n = tape_places_count(tape_analysis_places(a));

	if (w)
		w->history = tape_analysis_history(a);
	if (!w ||
	    !since_new(&w->since, n, tape_history_flows(w->history)))
		return w;
	tape_why_free(w);
	return NULL;
}

void tape_why_free(struct tape_why *w)
{
	if (!w)
		return;
	since_free(&w->since);
	free(w);
}

unsigned tape_why_find(struct tape_why *w, const struct tape_sync *s,
		       const struct tape_spent **list)
{
	const struct since *i = &w->since;

	*list = w->list;
	if (!is_wait(s))
		return 0;
	explain_wait(&w->since, w->history, s);
	/* whole numbers up to 2^53; more only a damaged trace says */
	if (i->n > MOST - REASONS || i->all > 9e15)
		return 0;
	w->list[ALL].ns = (int64_t)i->all;
	w->list[STOP].ns = i->stop ? (int64_t)i->stop->event : 0;
	for (size_t k = 0; k < i->n; k++)
		w->list[REASONS + k] = (struct tape_spent){
		    i->list[k].activity, i->list[k].ready_from,
		    i->list[k].ready_to, (int64_t)i->list[k].ns};
	return (unsigned)(REASONS + i->n);
}

/* What another has found. */
static void load_since(struct since *s, const struct tape_history *h,
		       const struct tape_sync *x)
{
	const struct tape_spent *list = x->spent + x->n_spent;
	uint64_t stop = (uint64_t)list[STOP].ns;

	s->all = (double)list[ALL].ns;
	s->stop = stop ? x->late : NULL;
	/* it is near, most often */
	for (int i = 0; i < 8 && s->stop && s->stop->event > stop; i++)
		s->stop = s->stop->before;
	if (stop && (!s->stop || s->stop->event != stop))
		s->stop = tape_history_find_call(h, x->late->flow, stop);
	s->n = x->n_why - REASONS;
	for (size_t i = 0; i < s->n; i++)
		s->list[i] = (struct reason){
		    list[REASONS + i].activity, list[REASONS + i].ready_from,
		    list[REASONS + i].ready_to, (double)list[REASONS + i].ns};
}

/* ---- costs ---- */

static uint64_t cost_key(size_t flow, uint32_t activity)
{
	return ((uint64_t)flow << 32 | activity) + 1;
}

static struct tape_cost *cost_of(struct state *s, uint32_t flow,
				 uint32_t activity)
{
	struct tape_cost *c = s->cost;

	if (c && c->delay.flow == flow && c->delay.activity == activity)
		return c;
	c = tape_table_get(&s->costs, cost_key(flow, activity));
	s->cost = c;
	if (c) {
		c->delay.flow = flow;
		c->delay.activity = activity;
	}
	return c;
}

static struct tape_blame *blame_of(struct state *s, uint32_t call,
				   uint32_t flow, uint32_t activity)
{
	uint64_t key =
	    (tape_spread_bits(call) ^ flow) * 0xc2b2ae3d27d4eb4fu ^ activity;
	struct tape_blame *b = s->blame;

	if (b && b->call == call && b->flow == flow && b->activity == activity)
		return b;
	/* another of the same key has the next one */
	for (;; key++) {
		b = tape_table_get(&s->blames, key ? key : ++key);
		if (!b || (b->ns == 0 && !b->call))
			break;
		if (b->call == call && b->flow == flow &&
		    b->activity == activity)
			return s->blame = b;
	}
	if (b)
		*b = (struct tape_blame){ call, flow, activity, 0 };
	return s->blame = b;
}

/* Of waiting that is factor times the reason. */
static void add_ready(struct tape_ready *sum, const struct reason *r,
		      double factor)
{
	double unit = factor * r->ns / TAPE_READY_UNITS;

	sum->from_ns += unit * r->ready_from;
	sum->to_ns += unit * r->ready_to;
}

static int distribute_cost(struct state *s, const struct tape_sync *x, double k,
			   double q)
{
	for (size_t i = 0; i < s->since.n; i++) {
		uint32_t c = s->since.list[i].activity;
		double d = s->since.list[i].ns;
		struct tape_cost *cost = cost_of(s, x->late->flow, c);
		struct tape_blame *b;

		if (!cost)
			return TAPE_ENOMEM;
		cost->delay.direct_ns += k * d;
		cost->delay.spread_ns += q * d;
		add_ready(&cost->delay.ready, &s->since.list[i], k + q);
		tape_cost_add_late_call(cost, x->late, (k + q) * d);
		b = blame_of(s, x->call, x->late->flow, c);
		if (!b)
			return TAPE_ENOMEM;
		b->ns += k * d;
	}
	return 0;
}

/* Does a wait of that kind end with a message, not a collective? */
static int by_message(uint32_t kind)
{
	return kind == TAPE_WAIT_LATE_SENDER ||
	       kind == TAPE_WAIT_LATE_RECEIVER || kind == TAPE_WAIT_LOCK;
}

static void find_reasons(struct since *s, struct tape_history *h,
			 const struct tape_sync *x)
{
	if (x->n_why)
		load_since(s, h, x);
	else
		explain_wait(s, h, x);
}

int tape_why_sum(struct tape_why *w, const struct tape_sync *s,
		 struct tape_wait_reasons *r)
{
	if (!is_wait(s))
		return 0;
	find_reasons(&w->since, w->history, s);
	*r = (struct tape_wait_reasons){
	    .all_ns = w->since.all,
	    .most_factor = by_message(s->kind) ? 1 : INFINITY,
	    .stop = w->since.stop};
	for (size_t i = 0; i < w->since.n; i++)
		add_ready(&r->ready, &w->since.list[i], 1);
	return 1;
}

/*
 * What flow l waited up to the call l is blamed for so much more of each ns, or
 * less. The wait of l itself may have had its turn, as that of a call that sent
 * first and waited afterwards.
 */
static void add_cover(struct state *s, struct tape_sync *l, double share)
{
	struct way *w = &s->ways[l->flow];
	int passed = !w->at || w->at->event < l->event;

	if (passed)
		w->cover += share;
	else if (share < 0)
		l->uncover -= share;
	else
		l->cover += share;
}

/* x waited; cover: it is blamed for so much of each ns of that. */
static int attribute_wait(struct state *s, struct tape_sync *x, double cover)
{
	double all, k, q, wait = (double)x->wait_ns;
	struct tape_sync *l = x->late;
	int rc;

	find_reasons(&s->since, s->history, x);
	all = s->since.all;
	/* without a cause for this wait there is none for those it caused */
	if (all <= 0) {
		s->result->rest_ns += wait + cover * wait;
		return 0;
	}
	k = wait / all;
	if (k > 1 && by_message(x->kind)) {
		s->result->rest_ns += wait - all;
		k = 1;
	}
	q = cover * wait / all;
	rc = distribute_cost(s, x, k, q);
	add_cover(s, l, k + q);
	if (s->since.stop)
		add_cover(s, s->since.stop, -(k + q));
	return rc;
}

/* ---- the way back ---- */

/* Finds the next wait of a flow, and when it has its turn. For whom others
 * waited may not be known. */
static void find_next_wait(struct state *s, size_t flow)
{
	struct tape_sync *w = s->ways[flow].at;

	for (; w && !is_wait(w); w = w->before) {
		s->result->rest_ns += (double)w->wait_ns;
		tape_history_count_read(s->history, w);
	}
	s->ways[flow].wait = w;
}

static struct tape_turn wait_turn(const struct way *w, size_t flow)
{
	return (struct tape_turn){ -w->wait->ended_ns, 0, (uint32_t)flow };
}

static int walk_to_wait(struct state *s, size_t flow)
{
	struct way *w = &s->ways[flow];
	struct tape_sync *r;
	int rc = 0;

	do {
		r = w->at;
		tape_history_count_read(s->history, r);
		w->cover -= r->uncover;
		if (r == w->wait)
			rc = attribute_wait(s, r, w->cover > 0 ? w->cover : 0);
		else if (w->cover > 0) /* the late flow is not known */
			s->result->rest_ns += w->cover * (double)r->wait_ns;
		w->cover += r->cover;
		w->at = r->before;
	} while (r != w->wait);
	find_next_wait(s, flow);
	return rc;
}

static int attribute_waits(struct state *s, size_t flows)
{
	int rc = 0;

	for (size_t i = 0; i < flows; i++) {
		s->ways[i].at = tape_history_last_call(s->history, i);
		find_next_wait(s, i);
		if (s->ways[i].wait)
			tape_turns_push(&s->turns, wait_turn(&s->ways[i], i));
	}
	while (!rc && s->turns.n) {
		size_t flow = s->turns.heap[0].flow;

		rc = walk_to_wait(s, flow);
		if (s->ways[flow].wait)
			tape_turns_replace(&s->turns,
					   wait_turn(&s->ways[flow], flow));
		else
			tape_turns_pop(&s->turns);
	}
	return rc;
}

/* ---- the first steps of loops ---- */

static int by_call(const void *a, const void *b, void *places)
{
	const struct tape_blame *x = a, *y = b;

	if (x->call != y->call)
		return x->call < y->call ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	if (x->flow != y->flow)
		return x->flow < y->flow ? -1 : 1;
	return tape_place_compare(places, x->activity, y->activity);
}

/* Moves direct reasons that are first steps to their loops. */
static int join_blames(struct state *s)
{
	struct tape_blame *list = calloc(s->blames.used + 1, sizeof *list), *b;
	size_t at = 0, n = 0, i;
	uint64_t key;

	if (!list)
		return TAPE_ENOMEM;
	while ((b = tape_table_each(&s->blames, &at, &key))) {
		const struct tape_cost *c = tape_table_find(
		    &s->costs, cost_key(b->flow, b->activity));

		if (!c || !c->loop)
			continue;
		list[n] = *b;
		list[n++].activity = c->loop;
		b->ns = 0;
	}
	qsort_r(list, n, sizeof *list, by_call, s->places);
	for (i = 0; i < n; i++) {
		b = blame_of(s, list[i].call, (uint32_t)list[i].flow,
			     list[i].activity);
		if (!b)
			break;
		b->ns += list[i].ns;
	}
	free(list);
	return i < n ? TAPE_ENOMEM : 0;
}

/* ---- results ---- */

static int collect_delays(struct state *s, struct tape_delays *d)
{
	const struct tape_cost *c;
	const struct tape_blame *b;
	size_t at = 0;
	uint64_t key;

	d->delay = calloc(s->costs.used + 1, sizeof *d->delay);
	d->blame = calloc(s->blames.used + 1, sizeof *d->blame);
	if (!d->delay || !d->blame)
		return TAPE_ENOMEM;
	while ((c = tape_table_each(&s->costs, &at, &key))) {
		if (c->loop)
			continue;
		d->delay[d->n++] = c->delay;
		d->ready.from_ns += c->delay.ready.from_ns;
		d->ready.to_ns += c->delay.ready.to_ns;
	}
	at = 0;
	while ((b = tape_table_each(&s->blames, &at, &key)))
		if (b->ns > 0)
			d->blame[d->n_blames++] = *b;
	qsort_r(d->delay, d->n, sizeof *d->delay,
		tape_delay_compare, s->places);
	qsort_r(d->blame, d->n_blames, sizeof *d->blame, by_call, s->places);
	return 0;
}

int tape_delays_find(struct tape_analysis *a, struct tape_delays *d)
{
	struct state s = {.history = tape_analysis_history(a),
			  .costs.bytes = sizeof(struct tape_cost),
			  .blames.bytes = sizeof(struct tape_blame),
			  .places = tape_analysis_places(a),
			  .result = d};
	size_t flows = tape_history_flows(s.history);
	size_t places = tape_places_count(tape_analysis_places(a));
	int rc = TAPE_ENOMEM;

	*d = (struct tape_delays){
	    .is_ready_known = tape_history_has_marks(s.history)};
	s.ways = calloc(flows + 1, sizeof *s.ways);
	s.turns.heap = calloc(flows + 1, sizeof *s.turns.heap);
	if (s.ways && s.turns.heap && !since_new(&s.since, places, flows))
		rc = attribute_waits(&s, flows);
	if (!rc)
		rc = tape_first_steps_join(&s.costs, s.places);
	if (!rc)
		rc = join_blames(&s);
	if (!rc)
		rc = collect_delays(&s, d);
	free(s.ways);
	free(s.turns.heap);
	since_free(&s.since);
	tape_table_free(&s.costs);
	tape_table_free(&s.blames);
	return rc;
}

void tape_delays_free(struct tape_delays *d)
{
	free(d->delay);
	free(d->blame);
	*d = (struct tape_delays){ 0 };
}
