/*
 * Threads of a process: what their creation and their end say of their
 * perturbations; see engine_parts.h.
 *
 * A thread begins with the perturbation of its creator at the creation. What
 * follows a join is not before the end of the joined thread. Locks and
 * conditions are not recorded: while several threads run, each may hold up any
 * other one, and each may wait for any other one. So their bounds are common:
 * no perturbation is more than hi, which grows by the alphas of all of them, or
 * less than lo, which alphas do not raise. A thread runs from its creation on,
 * with and without events. One that waits in a join holds up nobody. Events of
 * a rank begin in the order of their starts, so all that threads did before an
 * event is known when it begins.
 */
#include <stdlib.h>

#include "engine_parts.h"
#include "growing_array.h"
#include "tool.h"

/* Threads whose ends are kept; of more, those created first are forgotten. */
enum { LIVES = 1024 };

/* A join that took longer than this waited for a thread without events, ns. */
enum { JOIN_NS = 5000 };

enum life_state { UNUSED, CREATED, BEGUN, ENDED };

/* A thread that was created, and has not been joined yet. */
struct life {
	uint64_t which;
	enum life_state state;
	int64_t ns; /* when it was created, or ended, */
	struct tape_delay p; /* and the perturbation then */
	struct blame *blame;
};

struct thread_lives {
	struct life *life;
	size_t n, room, next; /* the next one to be forgotten */
	int n_running; /* threads; also those without events so far */
	double lo, hi; /* of all threads that run */
	double most;   /* the greatest hi so far */
};

void engine_free_threads(struct engine *g, struct flow *f)
{
	struct thread_lives *all = f->lives;

	for (size_t i = 0; all && i < all->n; i++)
		blame_drop(g->blames, all->life[i].blame);
	if (all)
		free(all->life);
	free(all);
	f->lives = NULL;
}

static struct life *find_life(const struct thread_lives *all, uint64_t which)
{
	for (size_t i = 0; which && i < all->n; i++)
		if (all->life[i].which == which && all->life[i].state != UNUSED)
			return &all->life[i];
	return NULL;
}

static void forget_life(struct engine *g, struct life *l)
{
	blame_drop(g->blames, l->blame);
	*l = (struct life){0};
}

/* A place for a new thread, empty. */
static struct life *new_life(struct engine *g, struct thread_lives *all)
{
	size_t i = 0;

	while (i < all->n && all->life[i].state != UNUSED)
		i++;
	if (i == LIVES) {
		i = all->next++ % LIVES;
		forget_life(g, &all->life[i]);
	} else if (i == all->n) {
		all->life = tape_must(tape_grow_array(
		    all->life, &all->room, ++all->n, sizeof *all->life));
		all->life[i] = (struct life){0};
	}
	return &all->life[i];
}

/* The event of f is a step of that kind. */
static int is_step(const struct flow *f, enum tape_thread_step step)
{
	return f->e->class_ == TAPE_CLASS_PTHREAD &&
	       f->e->u.pthread.step == step;
}

/* The event of f is the first of a thread other than the rank's first. */
static int begins_thread(const struct flow *f)
{
	if (f->e->class_ == TAPE_CLASS_THREAD)
		return !f->has_just_begun;
	return is_step(f, TAPE_THREAD_BEGINS) ||
	       (!f->has_events && f != f->threads);
}

/* ---- common bounds ---- */

static void contain_bounds(struct thread_lives *all, double lo, double hi)
{
	all->lo = tape_min(all->lo, lo);
	all->hi = tape_max(all->hi, hi);
	all->most = tape_max(all->most, hi);
}

/*
 * A thread of the rank of f runs from here on, with perturbation p. From now on
 * the threads that run may delay each other.
 */
static void add_running(struct flow *f, const struct tape_delay *p)
{
	struct thread_lives *all = f->threads->lives;

	if (!all->n_running++) {
		all->lo = p->lo;
		all->hi = p->hi;
	}
	contain_bounds(all, p->lo, p->hi);
	for (int i = 0; all->n_running > 1 && i < f->threads->n_threads; i++)
		f->threads[i].is_held |= f->threads[i].runs;
}

static void start_running(struct flow *f, const struct tape_delay *p)
{
	f->runs = 1;
	add_running(f, p);
}

static void stop_running(struct flow *f)
{
	f->threads->lives->n_running -= f->runs;
	f->runs = f->is_held = 0;
}

/* Widens the bounds at the start of the event of f to those of all threads. */
static void apply_common_bounds(struct flow *f)
{
	struct thread_lives *all = f->threads->lives;

	if (f->is_held) {
		f->p.lo = tape_min(f->p.lo, all->lo);
		f->p.hi = tape_max(f->p.hi, all->hi);
		f->p_start = engine_start_delay(f);
		f->is_held = all->n_running > 1;
	}
	if (!f->is_held) {
		all->lo = f->p_start.lo;
		all->hi = f->p_start.hi;
	}
	contain_bounds(all, all->lo, f->p_start.hi);
}

void engine_note_thread_delay(struct flow *f, const struct tape_delay *p_end)
{
	struct thread_lives *all = f->threads->lives;

	if (!all || !f->runs)
		return;
	if (!f->is_held && all->n_running < 2) {
		all->lo = f->p.lo;
		all->hi = f->p.hi;
	}
	contain_bounds(all, tape_min(p_end->lo, f->p.lo), f->p.hi);
}

/* ---- the steps ---- */

/* What the event of f follows, as perturbation p and its shares. */
static void set_delay(struct engine *g, struct flow *f,
		      const struct tape_delay *p, struct blame *by)
{
	struct blame *before = f->blame;

	f->blame = blame_keep(by);
	blame_drop(g->blames, before);
	f->p = *p;
	f->p_start = engine_start_delay(f);
}

/*
 * The creation is not known, or is one of several calls in progress. The bounds
 * contain each possible one.
 */
static void begin_unknown(struct engine *g, struct flow *f)
{
	const struct thread_lives *all = f->threads->lives;
	struct tape_delay p = {0};
	int n = 0;

	for (int i = 0; i < f->threads->n_threads; i++) {
		const struct flow *h = &f->threads[i];

		if (!h->is_creating)
			continue;
		p = n++ ? (struct tape_delay){p.p,
					      tape_min(p.lo, h->call_p.lo),
					      tape_max(p.hi, h->call_p.hi)}
			: h->call_p;
	}
	f->has_unknown_thread = !n;
	if (!n)
		p.hi = tape_max(all->most, 0);
	set_delay(g, f, &p, NULL);
}

static void begin_thread(struct engine *g, struct flow *f)
{
	struct life *l = NULL;

	if (is_step(f, TAPE_THREAD_BEGINS))
		l = find_life(f->threads->lives, f->e->u.pthread.which);
	f->has_unknown_thread = 0;
	if (l && l->state == CREATED) {
		set_delay(g, f, &l->p, l->blame);
		l->state = BEGUN;
		f->runs = f->is_held = 1; /* since its creation */
	} else {
		begin_unknown(g, f);
		start_running(f, &f->p);
	}
	f->thread_ns = f->e->start_ns;
	f->thread_id = is_step(f, TAPE_THREAD_BEGINS) ? f->e->u.pthread.which
						      : 0;
}

/*
 * The event of f is over: a call of pthread_create or pthread_join begins, or
 * the thread ends.
 */
static void note_step_time(struct flow *f)
{
	double after = tape_event_alpha_after(f->e);

	f->call_ns = f->e->start_ns + (int64_t)after;
	f->call_p = engine_delay_after(f, f->p_start, after);
}

static void end_thread(struct engine *g, struct flow *f)
{
	struct thread_lives *all = f->threads->lives;
	uint64_t which = f->e->u.pthread.which;
	struct life *l = find_life(all, which);

	note_step_time(f);
	stop_running(f);
	if (!which)
		return;
	if (!l)
		l = new_life(g, all);
	blame_drop(g->blames, l->blame);
	*l = (struct life){which, ENDED, f->call_ns, f->call_p,
			   blame_keep(f->blame)};
}

/* The flow of the rank of f whose thread that is now; NULL: none. */
static struct flow *find_thread(struct flow *f, uint64_t which)
{
	for (int i = 0; i < f->threads->n_threads; i++)
		if (f->threads[i].runs && f->threads[i].thread_id == which)
			return &f->threads[i];
	return NULL;
}

/* f has created a thread, or could not. */
static void add_created(struct engine *g, struct flow *f)
{
	struct thread_lives *all = f->threads->lives;
	uint64_t which = f->e->u.pthread.which;
	struct life *l = find_life(all, which);
	const struct flow *h;
	int was_running;

	if (!which)
		return;
	/* the thread ended during the call: keep the perturbation of its end */
	if (l && l->state == ENDED && l->ns >= f->call_ns)
		return;
	if (!l)
		l = new_life(g, all);
	was_running = l->state == CREATED; /* and has ended since */
	blame_drop(g->blames, l->blame);
	*l = (struct life){which, CREATED, f->call_ns, f->call_p,
			   blame_keep(f->blame)};
	h = find_thread(f, which);
	if (h && h->thread_ns >= f->call_ns) {
		l->state = BEGUN;
		return;
	}
	all->n_running -= was_running;
	add_running(f, &f->call_p);
}

/* p at the event of f, which follows the join of a thread without events. */
static struct tape_delay join_silent(struct engine *g, struct flow *f,
				     const struct life *l)
{
	const struct thread_lives *all = f->threads->lives;
	int64_t took = f->e->start_ns - f->call_ns;
	struct tape_delay end = {l->p.p, tape_min(l->p.lo, all->lo),
				 tape_max(l->p.hi, all->hi)};
	struct candidate c = engine_end_after(g, f, f->call_ns, &f->call_p,
					      f->e->start_ns, &end, NULL);
	struct tape_delay p = took > JOIN_NS ? c.p : f->call_p;

	p.lo = tape_min(c.p.lo, f->call_p.lo);
	p.hi = tape_max(tape_min(c.p.hi, c.most), f->call_p.hi);
	return p;
}

/*
 * f has joined a thread, or gave up: sets the perturbation after the join. It
 * may be that of any thread where the thread began before the trace, where its
 * end is not in the trace, or where the record of the join is missing.
 */
static void apply_join(struct engine *g, struct flow *f)
{
	struct thread_lives *all = f->threads->lives;
	int is_joined = is_step(f, TAPE_THREAD_JOINED);
	uint64_t which = is_joined ? f->e->u.pthread.which : 0;
	struct life *l = find_life(all, which);
	struct tape_delay p = f->call_p;
	struct blame *by = f->blame;

	if (l && l->state == ENDED && l->ns <= f->e->start_ns) {
		struct candidate c =
		    engine_end_after(g, f, f->call_ns, &f->call_p, l->ns,
				     &l->p, l->blame);

		p = c.p;
		p.hi = tape_max(tape_min(p.hi, c.most), p.lo);
		by = c.by;
	} else if (l && l->state == CREATED) {
		p = join_silent(g, f, l);
		all->n_running--;
	} else if (which || !is_joined) {
		p.lo = tape_min(p.lo, tape_min(all->lo, 0));
		p.hi = tape_max(p.hi, all->hi);
	}
	p.p = tape_min(tape_max(p.p, p.lo), p.hi);
	set_delay(g, f, &p, by);
	f->blame = blame_fit(g->blames, f->blame, p.p);
	if (which && find_thread(f, which)) /* its end is missing */
		stop_running(find_thread(f, which));
	if (l)
		forget_life(g, l);
}

/* What the event of f says of threads, after its start is known. */
static void take_step(struct engine *g, struct flow *f)
{
	int is_created = is_step(f, TAPE_THREAD_CREATED);

	if (is_created && f->is_creating)
		add_created(g, f);
	f->is_creating = is_step(f, TAPE_THREAD_CREATES);
	f->is_joining = is_step(f, TAPE_THREAD_JOINS);
	if (f->is_creating || f->is_joining)
		note_step_time(f);
	if (f->is_joining)
		stop_running(f);
	if (is_step(f, TAPE_THREAD_ENDS))
		end_thread(g, f);
	f->has_just_begun = is_step(f, TAPE_THREAD_BEGINS);
}

int engine_follow_threads(struct engine *g, struct flow *f)
{
	int is_changed = f->is_held || f->is_joining;

	if (f->threads->n_threads < 2 && f->e->class_ != TAPE_CLASS_PTHREAD)
		return 0;
	if (!f->threads->lives)
		f->threads->lives =
		    tape_must(calloc(1, sizeof *f->threads->lives));
	if (f->is_joining)
		apply_join(g, f);
	if (begins_thread(f)) {
		stop_running(f);
		begin_thread(g, f);
		is_changed = 1;
	} else if (!f->runs) {
		start_running(f, &f->p);
	}
	apply_common_bounds(f);
	take_step(g, f);
	return is_changed;
}
