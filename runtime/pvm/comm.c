/* Contexts, groups and lists of tasks; see comm.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "comm.h"

struct tape_pvm_last tape_pvm_last;

static struct known_context {
	struct known_context *next;
	int context;
	uint32_t index;
} *contexts;

/* Never forgotten: a communicator must not be defined twice. */
static struct known_group {
	struct known_group *next;
	struct tape_pvm_group is;
	int now; /* it is that group as far as is known; else it was */
	char name[];
} *groups;

static struct known_barrier {
	struct known_barrier *next;
	int count;
	uint32_t index;
	char name[];
} *barriers;

#define CHAINS 256u

static struct known_tasks {
	struct known_tasks *next;
	uint32_t index;
	int n, tids[];
} *tasks[CHAINS];

static uint32_t n_comms, n_tasks;
static struct {
	int listening;
	uint32_t index;
} bcast;

static uint32_t out_of_memory(void)
{
	tape_process.define_error = ENOMEM;
	tape_define_failed(tape_own);
	return 0;
}

/* Since t0 something new was looked into: the tracer's time, at this event. */
static void note(uint64_t t0)
{
	tape_own->extra_after += tape_tick() - t0;
}

/* FNV-1a, 64 bits (Fowler, Noll, Vo); of h and n bytes. */
static uint64_t hash(uint64_t h, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 0x100000001b3u;
	return h;
}
#define HASH_START 0xcbf29ce484222325u

/* ---- contexts ---- */

/* Its size is not known: 0 stands for all. */
static uint32_t define_context(int context)
{
	uint32_t index = n_comms + 1;

	if (tape_define("comm %u %llx 0 %d context-%d\n", index,
			(unsigned long long)(unsigned)context + 1,
			tape_process.rank, context)) {
		tape_define_failed(tape_own);
		return 0;
	}
	return ++n_comms;
}

uint32_t tape_pvm_context_find(int context)
{
	struct known_context *k = contexts;
	uint64_t t0 = tape_tick();

	while (k && k->context != context)
		k = k->next;
	if (!k) {
		k = malloc(sizeof *k);
		if (!k)
			return out_of_memory();
		*k = (struct known_context){ contexts, context,
					     define_context(context) };
		contexts = k;
	}
	note(t0);
	tape_pvm_last = (struct tape_pvm_last){ context, k->index };
	return k->index;
}

/* ---- groups ---- */

/* Of name and n, apart from contexts, which are small numbers. */
static uint64_t identity(const char *what, const char *name, int n)
{
	uint64_t id = hash(HASH_START, what, strlen(what));

	id = hash(id, name, strlen(name) + 1);
	return hash(id, &n, sizeof n) | (uint64_t)1 << 63;
}

/*
 * Asks the group server, which must not raise an error in the program's name:
 * who is not in the group will hear of it by its own call.
 */
static struct tape_pvm_group ask(const char *name)
{
	struct tape_pvm_group g = { 0, -1, -1 };
	int said = TAPE_REAL(pvm_setopt)(PvmAutoErr, 0), e = pvm_errno;

	g.rank = TAPE_REAL(pvm_getinst)((char *)name, pvmmytid);
	if (g.rank >= 0)
		g.size = TAPE_REAL(pvm_gsize)((char *)name);
	pvm_errno = e;
	TAPE_REAL(pvm_setopt)(PvmAutoErr, said);
	return g;
}

/* Escaped, to be freed. */
static char *escaped(const char *name)
{
	size_t n = 3 * strlen(name) + 5;
	char *word = malloc(n);

	return word ? tape_escape(word, n, name) : NULL;
}

static uint32_t define_group(const char *name, const struct tape_pvm_group *g)
{
	char *word;
	int rc;

	if (g->rank < 0 || g->size <= g->rank)
		return 0;
	word = escaped(name);
	if (!word)
		return out_of_memory();
	rc = tape_define("comm %u %llx %d %d group-%s\n", n_comms + 1,
			 (unsigned long long)identity("group", name, g->size),
			 g->size, g->rank, word);
	free(word);
	if (rc)
		tape_define_failed(tape_own);
	return rc ? 0 : ++n_comms;
}

/* The group was of that size before, if k is not NULL. */
static struct tape_pvm_group known(struct known_group *k, const char *name,
				   struct tape_pvm_group g)
{
	if (k) {
		/* with another number in it no root could be found */
		if (k->is.rank != g.rank)
			return g;
		k->now = 1;
		return k->is;
	}
	g.index = define_group(name, &g);
	k = malloc(sizeof *k + strlen(name) + 1);
	if (!k) {
		out_of_memory();
		return g;
	}
	k->next = groups;
	k->is = g;
	k->now = 1;
	strcpy(k->name, name);
	groups = k;
	return g;
}

struct tape_pvm_group tape_pvm_group(const char *name)
{
	struct known_group *k = groups;
	struct tape_pvm_group g;
	uint64_t t0;

	while (k && (!k->now || strcmp(k->name, name)))
		k = k->next;
	if (k)
		return k->is;
	t0 = tape_tick();
	g = ask(name);
	k = groups;
	while (k && (k->is.size != g.size || strcmp(k->name, name)))
		k = k->next;
	g = known(k, name, g);
	note(t0);
	return g;
}

/* Unless it has that many members. */
static void forget(const char *name, int size)
{
	for (struct known_group *k = groups; k; k = k->next)
		if (k->is.size != size && !strcmp(k->name, name))
			k->now = 0;
}

void tape_pvm_group_changed(const char *name)
{
	forget(name, -1);
}

/*
 * Its size is not said, for the numbers of those who come may be beyond their
 * count: it is of those who define it.
 */
static uint32_t define_barrier(const char *name, int count)
{
	char *word = escaped(name);
	int rc;

	if (!word)
		return out_of_memory();
	rc = tape_define("comm %u %llx 0 %d barrier-%d-%s\n", n_comms + 1,
			 (unsigned long long)identity("barrier", name, count),
			 tape_process.rank, count, word);
	free(word);
	if (rc)
		tape_define_failed(tape_own);
	return rc ? 0 : ++n_comms;
}

uint32_t tape_pvm_barrier_of(const char *name, int count)
{
	struct known_barrier *k = barriers;
	uint64_t t0;

	/* -1 stands for all */
	if (count > 0)
		forget(name, count);
	while (k && (k->count != count || strcmp(k->name, name)))
		k = k->next;
	if (k)
		return k->index;
	t0 = tape_tick();
	k = malloc(sizeof *k + strlen(name) + 1);
	if (!k)
		return out_of_memory();
	k->next = barriers;
	k->count = count;
	k->index = define_barrier(name, count);
	strcpy(k->name, name);
	barriers = k;
	note(t0);
	return k->index;
}

/* ---- lists of tasks ---- */

/* As many lines as it takes; each is well below what tape_define can. */
static uint32_t define_tasks(const int *tids, int n)
{
	char text[400];
	size_t at = 0;

	for (int i = 0; i < n; i++) {
		at += (size_t)snprintf(text + at, sizeof text - at, " %d",
				       tids[i]);
		if (i + 1 < n && at < sizeof text - 16)
			continue;
		if (tape_define("group %u%s\n", n_tasks + 1, text)) {
			tape_define_failed(tape_own);
			return 0;
		}
		at = 0;
	}
	return ++n_tasks;
}

uint32_t tape_pvm_task_list(const int *tids, int n)
{
	size_t bytes = n > 0 ? (size_t)n * sizeof *tids : 0;
	struct known_tasks **chain, *k;
	uint64_t t0;

	if (!bytes)
		return 0;
	chain = &tasks[hash(HASH_START, tids, bytes) % CHAINS];
	for (k = *chain; k; k = k->next)
		if (k->n == n && !memcmp(k->tids, tids, bytes))
			return k->index;
	t0 = tape_tick();
	k = malloc(sizeof *k + bytes);
	if (!k)
		return out_of_memory();
	k->next = *chain;
	k->index = define_tasks(tids, n);
	k->n = n;
	memcpy(k->tids, tids, bytes);
	*chain = k;
	note(t0);
	return k->index;
}

void tape_pvm_forget(void)
{
	struct known_context *c;
	struct known_group *g;
	struct known_barrier *b;
	struct known_tasks *t;

	for (; (c = contexts); free(c))
		contexts = c->next;
	for (; (g = groups); free(g))
		groups = g->next;
	for (; (b = barriers); free(b))
		barriers = b->next;
	for (uint32_t i = 0; i < CHAINS; i++)
		for (; (t = tasks[i]); free(t))
			tasks[i] = t->next;
	n_comms = n_tasks = 0;
	tape_pvm_last = (struct tape_pvm_last){ 0 };
}

void tape_pvm_listen(void)
{
	bcast.listening = 1;
	bcast.index = 0;
}

void tape_pvm_overhear(const int *tids, int n)
{
	if (bcast.listening && tape_process.state == TAPE_RUNNING)
		bcast.index = tape_pvm_task_list(tids, n);
}

uint32_t tape_pvm_heard(void)
{
	bcast.listening = 0;
	return bcast.index;
}
