/* The jobs of a blackboard and their workers; see board.h. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "board_state.h"
#include "growing_array.h"
#include "tool.h"

/*
 * Limits: above QUEUED_MOST queued jobs a submitter blocks; OUT_MOST: pending
 * packs of a worker.
 */
enum { QUEUED_MOST = 16384, OUT_MOST = 256 };

/* The worker of this thread; NULL: the thread is no worker. */
static _Thread_local struct worker *me;

/* ---- queues ---- */

static void push_item(struct fifo *f, struct item *i)
{
	if (f->n == f->room) {
		size_t room = f->room ? 2 * f->room : 16;
		struct item **at = tape_must(malloc(room * sizeof *at));

		for (size_t k = 0; k < f->n; k++)
			at[k] = f->at[(f->head + k) & (f->room - 1)];
		free(f->at);
		f->at = at;
		f->head = 0;
		f->room = room;
	}
	f->at[(f->head + f->n++) & (f->room - 1)] = i;
}

static struct item *pop_item(struct fifo *f)
{
	struct item *i = f->at[f->head];

	f->head = (f->head + 1) & (f->room - 1);
	f->n--;
	return i;
}

/*
 * Counts the jobs of ks: the entries that every one of its sensitivities has.
 */
static size_t count_jobs(const struct tape_ks *ks)
{
	size_t n = ks->fifo[0].n;

	for (unsigned i = 1; i < ks->fifos; i++)
		if (ks->fifo[i].n < n)
			n = ks->fifo[i].n;
	return n;
}

/* ---- sources that can start ---- */

static void list_ready(struct tape_ks *ks)
{
	struct tape_board *b = ks->b;

	ks->listed = 1;
	ks->next = NULL;
	if (b->last)
		b->last->next = ks;
	else
		b->first = ks;
	b->last = ks;
	b->busy[ks->level]++;
	pthread_cond_signal(&b->jobs);
}

static void list_if_ready(struct tape_ks *ks)
{
	if (!ks->listed && !ks->removed && count_jobs(ks) &&
	    (ks->how & TAPE_KS_PARALLEL || !ks->running))
		list_ready(ks);
}

static struct tape_ks *next_ready(struct tape_board *b)
{
	struct tape_ks *ks = b->first;

	b->first = ks->next;
	if (!b->first)
		b->last = NULL;
	ks->listed = 0;
	b->busy[ks->level]--;
	return ks;
}

static void signal_idle(struct tape_board *b, uint32_t level)
{
	if (!b->busy[level])
		pthread_cond_broadcast(&b->quiet);
}

/* ---- submission ---- */

/* Adds an entry to the queues of its subscribers. Returns their number. */
static size_t queue_entry(struct tape_board *b, struct item *i)
{
	const struct board_type *t = &b->type[i->e.type];

	for (size_t k = 0; k < t->wants; k++) {
		struct tape_ks *ks = t->want[k].ks;
		unsigned to = ks->fifos > 1 ? t->want[k].which : 0;
		size_t before = count_jobs(ks);

		push_item(&ks->fifo[to], i);
		b->queued += count_jobs(ks) - before;
		list_if_ready(ks);
	}
	return t->wants;
}

/*
 * Puts a pack on the board, and drops the creator's reference. No worker sees
 * the entries before the lock is released.
 */
static void submit_pack(struct tape_board *b, struct tape_pack *p)
{
	size_t refs = 0;

	b->entries += p->n;
	for (size_t i = 0; i < p->n; i++)
		refs += queue_entry(b, &p->item[i]);
	pack_release(p, 1 - (long)refs);
}

static void submit_pending(struct worker *w)
{
	for (size_t i = 0; i < w->n_out; i++)
		submit_pack(w->b, w->out[i]);
	w->n_out = 0;
}

/* Locks the board, and first submits the pending packs of this thread. */
static void lock_board(struct tape_board *b)
{
	pthread_mutex_lock(&b->lock);
	if (me && me->b == b)
		submit_pending(me);
}

static void unlock_board(struct tape_board *b)
{
	pthread_mutex_unlock(&b->lock);
}

void tape_board_submit(struct tape_board *b, struct tape_pack *p)
{
	lock_board(b);
	while (b->queued > QUEUED_MOST)
		pthread_cond_wait(&b->room, &b->lock);
	submit_pack(b, p);
	unlock_board(b);
}

/*
 * Finds the level of a type of the plug-in. Returns -1 for predefined and
 * unknown types.
 */
static int find_type_level(struct tape_board *b, uint32_t type, uint32_t *level)
{
	int good;

	if (type < board_known_type(b->levels + 1, 1))
		return -1;
	pthread_mutex_lock(&b->lock);
	good = type < b->types;
	if (good)
		*level = b->type[type].level;
	pthread_mutex_unlock(&b->lock);
	return good ? 0 : -1;
}

void tape_board_check_level(struct tape_board *b, uint32_t level,
			    const char *function)
{
	if (level > b->levels)
		tape_ks_fail(b, "%s: there is no level %u: level 0 is common, "
			     "and there %s %u", function, level,
			     b->levels == 1 ? "is level" : "are levels 1 to",
			     b->levels);
}

int tape_ks_submit(struct tape_board *b, uint32_t type, const void *data,
		   size_t size)
{
	int mine = me && me->b == b;
	struct tape_pack *p;
	uint32_t level;

	if (mine && me->last_type == type)
		level = me->last_level;
	else if (find_type_level(b, type, &level))
		tape_ks_fail(b,
			     "tape_ks_submit: %u is no type of the plug-in's "
			     "own",
			     type);
	p = pack_new_entry(b, level, type, data, size);
	if (!mine) {
		lock_board(b);
		submit_pack(b, p);
		unlock_board(b);
		return 0;
	}
	me->last_type = type;
	me->last_level = level;
	me->out = tape_must(tape_grow_array(me->out, &me->out_room,
					    me->n_out + 1, sizeof *me->out));
	me->out[me->n_out++] = p;
	if (me->n_out == OUT_MOST) {
		lock_board(b);
		unlock_board(b);
	}
	return 0;
}

/* ---- workers ---- */

/* Takes jobs of ks for worker w. Returns their number. */
static size_t take_jobs(struct worker *w, struct tape_ks *ks)
{
	size_t n = count_jobs(ks), at = 0;

	if (ks->how & TAPE_KS_PARALLEL)
		n = n / w->b->workers + (n % w->b->workers != 0);
	if (n > BOARD_RUN)
		n = BOARD_RUN;
	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < ks->fifos; k++)
			w->entry[at++] = &pop_item(&ks->fifo[k])->e;
	w->b->queued -= n;
	return n;
}

static void drop_entries(const struct worker *w, size_t n)
{
	for (size_t i = 0, same; i < n; i += same) {
		const struct item *k = (const void *)w->entry[i];

		for (same = 1; i + same < n; same++)
			if (((const struct item *)(const void *)
				 w->entry[i + same])
				->pack != k->pack)
				break;
		pack_release(k->pack, (long)same);
	}
}

/*
 * Runs n jobs of ks, unless it was removed. Returns the number of jobs that
 * were run.
 */
static size_t run_jobs(struct worker *w, struct tape_ks *ks, size_t n)
{
	size_t i;

	for (i = 0; i < n && !ks->removed; i++)
		ks->run(ks, &w->entry[i * ks->fifos], ks->own);
	drop_entries(w, n * ks->fifos);
	return i;
}

static void ks_free(struct tape_ks *ks)
{
	*(ks->before ? &ks->before->after : &ks->b->all) = ks->after;
	if (ks->after)
		ks->after->before = ks->before;
	for (unsigned i = 0; i < ks->fifos; i++)
		free(ks->fifo[i].at);
	free(ks);
}

/* Runs the jobs, or a share of them, of the first source that can start. */
static void run_next(struct worker *w)
{
	struct tape_board *b = w->b;
	struct tape_ks *ks = next_ready(b);
	uint32_t level = ks->level;
	size_t n = take_jobs(w, ks);

	b->busy[level]++;
	ks->running++;
	/* a parallel source leaves the rest to other workers */
	list_if_ready(ks);
	if (b->queued <= QUEUED_MOST)
		pthread_cond_broadcast(&b->room);
	unlock_board(b);
	n = run_jobs(w, ks, n);
	lock_board(b);
	b->jobs_done += n;
	ks->running--;
	list_if_ready(ks);
	if (ks->removed && !ks->running && !ks->listed)
		ks_free(ks);
	b->busy[level]--;
	signal_idle(b, level);
}

static void *run_worker(void *self)
{
	struct worker *w = self;
	struct tape_board *b = w->b;

	me = w;
	lock_board(b);
	for (;;) {
		while (!b->first && !b->over)
			pthread_cond_wait(&b->jobs, &b->lock);
		if (!b->first)
			break;
		run_next(w);
	}
	unlock_board(b);
	return NULL;
}

/* ---- knowledge sources ---- */

/* Adds ks, whose sensitivities are set, to the board. */
static struct tape_ks *ks_add(struct tape_ks *ks)
{
	struct tape_board *b = ks->b;

	ks->fifos = ks->how & TAPE_KS_ANY ? 1 : ks->n;
	ks->after = b->all;
	if (b->all)
		b->all->before = ks;
	b->all = ks;
	board_subscribe(ks);
	return ks;
}

/* Sets the types of ks. Returns an error message, or NULL. */
static const char *set_types(struct tape_ks *ks, va_list names)
{
	const char *name;

	while ((name = va_arg(names, const char *))) {
		uint32_t type = board_find_type(ks->b, ks->level, name);

		if (!ks->level && type < board_known_type(1, 1))
			return "what happens in a program is not on level 0, "
			       "which is common, but on the program's level";
		for (unsigned i = 0; i < ks->n; i++)
			if (ks->type[i] == type)
				return "one type is named twice";
		if (ks->n == BOARD_SENSITIVITIES)
			return "more than 16 types are named";
		ks->type[ks->n++] = type;
	}
	return ks->n ? NULL : "no type is named";
}

struct tape_ks *tape_ks_add(struct tape_board *b, uint32_t level, unsigned how,
			    tape_ks_operation *operation, void *own, ...)
{
	struct tape_ks *ks = tape_must(calloc(1, sizeof *ks));
	const char *wrong;
	va_list names;

	tape_board_check_level(b, level, "tape_ks_add");
	*ks = (struct tape_ks){
	    .b = b, .level = level, .how = how, .run = operation, .own = own};
	va_start(names, own);
	lock_board(b);
	wrong = operation ? set_types(ks, names) : "there is no operation";
	if (!wrong)
		ks_add(ks);
	unlock_board(b);
	va_end(names);
	if (wrong)
		tape_ks_fail(b, "tape_ks_add: %s", wrong);
	return ks;
}

void tape_ks_remove(struct tape_ks *ks)
{
	struct tape_board *b = ks->b;

	lock_board(b);
	b->queued -= count_jobs(ks);
	ks->removed = 1;
	board_unsubscribe(ks);
	for (unsigned i = 0; i < ks->fifos; i++)
		while (ks->fifo[i].n)
			pack_release(pop_item(&ks->fifo[i])->pack, 1);
	if (b->queued <= QUEUED_MOST)
		pthread_cond_broadcast(&b->room);
	if (!ks->running && !ks->listed)
		/*
		 * otherwise the worker that runs it, or dequeues it, frees it
		 */
		ks_free(ks);
	unlock_board(b);
}

struct tape_board *tape_ks_board(const struct tape_ks *ks)
{
	return ks->b;
}

uint32_t tape_ks_type(struct tape_board *b, uint32_t level, const char *name)
{
	uint32_t type;

	tape_board_check_level(b, level, "tape_ks_type");
	lock_board(b);
	type = board_find_type(b, level, name);
	unlock_board(b);
	return type;
}

/* ---- the board ---- */

struct tape_board *tape_board_new(unsigned workers, uint32_t levels)
{
	struct tape_board *b = tape_must(calloc(1, sizeof *b));

	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->jobs, NULL);
	pthread_cond_init(&b->room, NULL);
	pthread_cond_init(&b->quiet, NULL);
	b->levels = levels;
	b->busy = tape_must(calloc(levels + 1, sizeof *b->busy));
	board_types_init(b);
	b->workers = workers;
	b->worker = tape_must(calloc(workers, sizeof *b->worker));
	for (unsigned i = 0; i < workers; i++) {
		b->worker[i].b = b;
		if (pthread_create(&b->worker[i].thread, NULL, run_worker,
				   &b->worker[i]))
			tape_die(TAPE_FAILED, "no thread can be started");
	}
	return b;
}

void tape_board_free(struct tape_board *b)
{
	lock_board(b);
	b->over = 1;
	pthread_cond_broadcast(&b->jobs);
	unlock_board(b);
	for (unsigned i = 0; i < b->workers; i++) {
		pthread_join(b->worker[i].thread, NULL);
		free(b->worker[i].out);
	}
	while (b->all)
		tape_ks_remove(b->all);
	board_types_free(b);
	pthread_mutex_destroy(&b->lock);
	pthread_cond_destroy(&b->jobs);
	pthread_cond_destroy(&b->room);
	pthread_cond_destroy(&b->quiet);
	free(b->worker);
	free(b->busy);
	free(b);
}

void tape_board_watch(struct tape_board *b,
		      void (*wants)(void *self, uint32_t level, uint32_t types),
		      void *self)
{
	b->wants = wants;
	b->wants_self = self;
}

void tape_board_set_context(struct tape_board *b, void *own)
{
	b->own = own;
}

void *tape_board_context(const struct tape_board *b)
{
	return b->own;
}

uint32_t tape_board_levels(const struct tape_board *b)
{
	return b->levels;
}

void tape_board_wait_idle(struct tape_board *b, uint32_t level)
{
	lock_board(b);
	while (b->busy[level])
		pthread_cond_wait(&b->quiet, &b->lock);
	unlock_board(b);
}

struct tape_board_counts tape_board_counts(struct tape_board *b)
{
	struct tape_board_counts c;

	lock_board(b);
	c = (struct tape_board_counts){b->entries, b->freed, b->jobs_done};
	unlock_board(b);
	return c;
}
