/*
 * The blackboard of plug-ins: random graphs of knowledge sources against a
 * model that only counts. Each job is done once, each entry freed once.
 */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "board.h"
#include "tap.h"

enum { TYPES = 6, SOURCES = 10, LEVELS = 2, ENTRIES = 200000, OUTSIDE = 60 };

static uint64_t state;

static unsigned random_below(unsigned n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state >> 33) % n;
}

/* An entry: its number, and the how-manyth of who submitted it. */
struct payload {
	uint32_t serial, from, k, fill;
};

/* A knowledge source; those of type t submit to later types only. */
struct source {
	struct graph *g;
	unsigned number, level, how, n, type[3];
	unsigned out; /* so many entries for each job */
	unsigned to[2];
	unsigned stops; /* removes itself after so many; 0: never */
	struct tape_ks *ks;
	_Atomic uint64_t jobs, inside, wrong;
	uint32_t k;
	int64_t last[SOURCES + 1][TYPES];
	_Atomic unsigned char *seen;
};

struct graph {
	struct tape_board *b;
	struct source *source[SOURCES];
	unsigned n;
	uint32_t type[LEVELS + 1][TYPES];
	uint64_t count[LEVELS + 1][TYPES]; /* of the model */
	_Atomic uint32_t serial;
};

static const char *const names[TYPES] = {"a", "b", "c", "d", "e", "f"};

static void submit(struct graph *g, unsigned level, unsigned type,
		   uint32_t from, uint32_t k)
{
	struct payload p = {.serial = g->serial++, .from = from, .k = k};

	if (tape_ks_submit(g->b, g->type[level][type], &p, sizeof p))
		abort();
}

/* Once each; and in order, where both the giver and the taker are. */
static void check(struct source *s, const struct tape_entry *e)
{
	const struct payload *p = e->data;
	unsigned type = 0;

	while (type < TYPES && s->g->type[s->level][type] != e->type)
		type++;
	if (type == TYPES || e->level != s->level || e->size != sizeof *p ||
	    p->serial >= ENTRIES || s->seen[p->serial]++) {
		s->wrong++;
		return;
	}
	if (s->how & TAPE_KS_PARALLEL ||
	    (p->from < SOURCES &&
	     s->g->source[p->from]->how & TAPE_KS_PARALLEL))
		return;
	if (s->last[p->from][type] >= (int64_t)p->k)
		s->wrong++;
	s->last[p->from][type] = p->k;
}

static void operation(struct tape_ks *ks, const struct tape_entry *const *e,
		      void *own)
{
	struct source *s = own;
	unsigned n = s->how & TAPE_KS_ANY ? 1 : s->n;

	if (s->inside++ && !(s->how & TAPE_KS_PARALLEL))
		s->wrong++;
	for (unsigned i = 0; i < n; i++)
		check(s, e[i]);
	for (unsigned i = 0; i < s->out; i++)
		submit(s->g, s->level, s->to[i], s->number,
		       s->how & TAPE_KS_PARALLEL ? 0 : s->k++);
	if (++s->jobs == s->stops)
		tape_ks_remove(ks);
	s->inside--;
}

/* Types from first on, of which none comes twice. */
static void choose(struct source *s, unsigned first, unsigned most)
{
	unsigned at = first;

	while (s->n < most && at < TYPES - 1) {
		s->type[s->n++] = at;
		at += 1 + random_below(2);
	}
	s->out = random_below(3);
	for (unsigned i = 0; i < 2; i++)
		s->to[i] = s->type[s->n - 1] + 1 +
			   random_below(TYPES - 1 - s->type[s->n - 1]);
}

static void add(struct graph *g)
{
	struct source *s = calloc(1, sizeof *s);
	const char *name[4] = {NULL};

	if (!s)
		abort();
	s->g = g;
	s->number = g->n;
	s->level = random_below(LEVELS + 1);
	s->how = random_below(4);
	choose(s, random_below(TYPES - 1), 1 + random_below(3));
	if (!(s->how & TAPE_KS_PARALLEL) && !random_below(4))
		s->stops = 1 + random_below(OUTSIDE);
	s->seen = calloc(ENTRIES, 1);
	memset(s->last, -1, sizeof s->last);
	for (unsigned i = 0; i < s->n; i++)
		name[i] = names[s->type[i]];
	s->ks = tape_ks_add(g->b, s->level, s->how, operation, s, name[0],
			    name[1], name[2], NULL);
	if (!s->ks || !s->seen)
		abort();
	g->source[g->n++] = s;
}

/* ---- the model ---- */

static uint64_t jobs_of(const struct graph *g, const struct source *s)
{
	const uint64_t *count = g->count[s->level];
	uint64_t n = count[s->type[0]];

	for (unsigned i = 1; i < s->n; i++)
		if (s->how & TAPE_KS_ANY)
			n += count[s->type[i]];
		else if (count[s->type[i]] < n)
			n = count[s->type[i]];
	return s->stops && n > s->stops ? s->stops : n;
}

/* By last type: all that it consumes is known then. */
static int count(struct graph *g)
{
	int wrong = 0;

	for (unsigned t = 0; t < TYPES; t++)
		for (unsigned i = 0; i < g->n; i++) {
			struct source *s = g->source[i];
			uint64_t n;

			if (s->type[s->n - 1] != t)
				continue;
			n = jobs_of(g, s);
			wrong += n != s->jobs || s->wrong;
			for (unsigned k = 0; k < s->out; k++)
				g->count[s->level][s->to[k]] += n;
		}
	return wrong;
}

/* Entries that wait for others that never come: the last ones of a type. */
static uint64_t left_of(const struct graph *g, unsigned level, unsigned type)
{
	uint64_t all = g->count[level][type], used = all;

	for (unsigned i = 0; i < g->n; i++) {
		const struct source *s = g->source[i];

		if (s->level != level || s->how & TAPE_KS_ANY ||
		    (s->stops && s->jobs == s->stops))
			continue;
		for (unsigned k = 0; k < s->n; k++)
			if (s->type[k] == type && jobs_of(g, s) < used)
				used = jobs_of(g, s);
	}
	return all - used;
}

static int one_graph(unsigned workers)
{
	struct graph g = {.b = tape_board_new(workers, LEVELS)};
	unsigned n = 1 + random_below(SOURCES - 1), k = 0;
	struct tape_board_counts c;
	uint64_t left = 0, all = 0;
	int wrong;

	for (unsigned l = 0; l <= LEVELS; l++)
		for (unsigned t = 0; t < TYPES; t++)
			g.type[l][t] = tape_ks_type(g.b, l, names[t]);
	while (g.n < n)
		add(&g);
	for (unsigned i = random_below(OUTSIDE) * 3; i; i--) {
		unsigned l = random_below(LEVELS + 1);
		unsigned t = random_below(TYPES);

		submit(&g, l, t, SOURCES, k++);
		g.count[l][t]++;
	}
	for (uint32_t l = 0; l <= LEVELS; l++)
		tape_board_wait_idle(g.b, l);
	wrong = count(&g);
	c = tape_board_counts(g.b);
	for (unsigned l = 0; l <= LEVELS; l++)
		for (unsigned t = 0; t < TYPES; t++) {
			left += left_of(&g, l, t);
			all += g.count[l][t];
		}
	wrong += c.entries != all || c.entries - c.freed != left;
	tape_board_free(g.b);
	for (unsigned i = 0; i < g.n; i++) {
		free((void *)(uintptr_t)g.source[i]->seen);
		free(g.source[i]);
	}
	return wrong;
}

/* ---- one thing after the other ---- */

static struct tape_board *board;
static uint32_t mine;
static int seen, sums, kept_right;
static const struct tape_entry *kept;

static void count_one(struct tape_ks *ks, const struct tape_entry *const *e,
		      void *own)
{
	(void)ks;
	(void)own;
	seen += *(const int *)e[0]->data;
}

/* Submits, adds who sees what is submitted behind that, and goes. */
static void adds(struct tape_ks *ks, const struct tape_entry *const *e,
		 void *own)
{
	const int value[] = {1, 10, 100};

	(void)e;
	(void)own;
	tape_ks_submit(board, mine, &value[0], sizeof value[0]);
	tape_ks_add(board, 1, 0, count_one, NULL, "mine", NULL);
	tape_ks_submit(board, mine, &value[1], sizeof value[1]);
	tape_ks_submit(board, mine, &value[2], sizeof value[2]);
	tape_ks_remove(ks);
}

/* In place of the plug-in's end. */
static jmp_buf failed;
static char failure[200];

void tape_ks_fail(struct tape_board *b, const char *format, ...)
{
	va_list ap;

	(void)b;
	va_start(ap, format);
	vsnprintf(failure, sizeof failure, format, ap);
	va_end(ap);
	longjmp(failed, 1);
}

#define FAILS(CALL) (setjmp(failed) ? 1 : ((void)(CALL), 0))

static void adding(void)
{
	int zero = 0;
	uint32_t start;

	board = tape_board_new(4, 1);
	mine = tape_ks_type(board, 1, "mine");
	start = tape_ks_type(board, 1, "start");
	ok(mine && start && mine != start &&
	       mine == tape_ks_type(board, 1, "mine") &&
	       mine != tape_ks_type(board, 0, "mine"),
	   "a type is its level and its name");
	tape_ks_add(board, 1, 0, adds, NULL, "start", NULL);
	for (int i = 0; i < 5; i++)
		tape_ks_submit(board, start, &zero, sizeof zero);
	tape_board_wait_idle(board, 1);
	ok(seen == 110, "one that is added gets what comes behind: %d", seen);
	ok(FAILS(tape_ks_submit(board, TAPE_BOARD_EVENT, &zero, sizeof zero)) &&
	       FAILS(tape_ks_submit(board, 999, &zero, sizeof zero)) &&
	       FAILS(tape_ks_submit(board, 0, &zero, sizeof zero)),
	   "only own types can be submitted");
	ok(FAILS(tape_ks_add(board, 2, 0, adds, NULL, "start", NULL)) &&
	       FAILS(tape_ks_type(board, 2, "start")),
	   "there is no such level: %s", failure);
	ok(FAILS(tape_ks_add(board, 0, 0, adds, NULL, "wait", NULL)),
	   "nothing of a program is on level 0");
	ok(FAILS(tape_ks_add(board, 1, 0, adds, NULL, "x", "x", NULL)) &&
	       FAILS(tape_ks_add(board, 1, 0, adds, NULL, NULL)) &&
	       FAILS(tape_ks_add(board, 1, 0, NULL, NULL, "start", NULL)),
	   "a type twice, none, no operation");
	ok(tape_ks_add(board, 1, 0, count_one, NULL, "mine", NULL) != NULL,
	   "what is right is still taken");
	tape_board_free(board);
}

static void keep(struct tape_ks *ks, const struct tape_entry *const *e,
		 void *own)
{
	(void)ks;
	(void)own;
	if (kept) {
		kept_right = kept->tick->k == 0;
		tape_entry_drop(kept);
	}
	if (!e[0]->tick->k) {
		kept = e[0];
		tape_entry_keep(kept);
	} else {
		kept = NULL;
	}
	sums += (int)e[0]->tick->k;
}

static uint32_t wanted;

static void note_wanted(void *self, uint32_t level, uint32_t types)
{
	(void)self;
	if (level == 1)
		wanted = types;
}

static void packs(void)
{
	struct tape_board_counts c;
	struct tape_ks *ks;

	board = tape_board_new(2, 1);
	tape_board_watch(board, note_wanted, NULL);
	ks = tape_ks_add(board, 1, 0, keep, NULL, "tick", NULL);
	ok(wanted == 1u << TAPE_BOARD_TICK, "which types are wanted");
	for (uint64_t i = 0; i < 100; i += 10) {
		struct tape_pack *p =
		    tape_pack_new(board, 10, 10 * sizeof(struct tape_ks_tick));

		for (uint64_t k = i; k < i + 10; k++)
			*(struct tape_ks_tick *)tape_pack_add(
			    p, 1, TAPE_BOARD_TICK,
			    sizeof(struct tape_ks_tick)) =
			    (struct tape_ks_tick){.k = k};
		tape_board_submit(board, p);
	}
	tape_board_wait_idle(board, 1);
	c = tape_board_counts(board);
	ok(sums == 4950 && kept_right && !kept,
	   "entries of packs, and one that is kept longer");
	ok(c.entries == 100 && c.freed == 100 && c.jobs == 100,
	   "all are freed when all are done");
	tape_ks_remove(ks);
	ok(!wanted, "nothing is wanted any more");
	tape_board_free(board);
}

int main(void)
{
	const char *seed = getenv("SEED"), *graphs = getenv("GRAPHS");
	int n = graphs ? atoi(graphs) : 150;

	adding();
	packs();
	state = seed ? strtoull(seed, NULL, 10) : 18;
	printf("# SEED=%llu\n", (unsigned long long)state);
	for (unsigned workers = 1; workers <= 8; workers++) {
		int wrong = 0;

		for (int i = 0; i < n; i++)
			wrong += one_graph(workers) != 0;
		ok(!wrong, "%d graphs, workers: %u: %d wrong", n, workers,
		   wrong);
	}
	return done();
}
