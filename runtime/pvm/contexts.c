/* Contexts, groups and lists of tasks; see contexts.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hash_bits.h"
#include "call_sites.h"
#include "contexts.h"
#include "define.h"

struct tape_pvm_last tape_pvm_last;

static struct known_context {
	struct known_context *next;
	int context;
	uint32_t index;
} *contexts;

/* A group's collectives with one root, or its barriers of one count. */
static struct known_group {
	struct known_group *next;
	unsigned call; /* 0: barriers */
	int n;         /* the root; the count */
	uint32_t index;
	char name[];
} *groups;

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
static void add_extra_time(uint64_t t0)
{
	tape_own->extra_after += tape_tick() - t0;
}

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
	add_extra_time(t0);
	tape_pvm_last = (struct tape_pvm_last){ context, k->index };
	return k->index;
}

/* ---- groups ---- */

/* Of all of these, apart from contexts, which are small numbers. */
static uint64_t hash_identity(const char *what, const char *name, int n,
			      unsigned call)
{
	uint64_t id = tape_hash_bytes(TAPE_HASH_START, what, strlen(what));

	id = tape_hash_bytes(id, name, strlen(name) + 1);
	id = tape_hash_bytes(id, &n, sizeof n);
	return tape_hash_bytes(id, &call, sizeof call) | (uint64_t)1 << 63;
}

/* Escaped, to be freed. */
static char *escape_name(const char *name)
{
	size_t n = 3 * strlen(name) + 5;
	char *word = malloc(n);

	return word ? tape_escape(word, n, name) : NULL;
}

/*
 * Whoever is in a group is told by its name, of which it may be another. The
 * size is not said, for the numbers of those who come to a barrier may be
 * beyond their count: it is of those who define it.
 */
static uint32_t define_group(const struct known_group *k)
{
	uint64_t id = hash_identity(k->call ? "group" : "barrier", k->name,
				    k->n, k->call);
	char *word = escape_name(k->name), kind[32] = "group-";
	int rc;

	if (!word)
		return out_of_memory();
	if (!k->call)
		snprintf(kind, sizeof kind, "barrier-%d-", k->n);
	rc = tape_define("comm %u %llx 0 %d %s%s\n", n_comms + 1,
			 (unsigned long long)id, tape_process.rank, kind, word);
	free(word);
	if (rc)
		tape_define_failed(tape_own);
	return rc ? 0 : ++n_comms;
}

static uint32_t known_group(unsigned call, const char *name, int n)
{
	struct known_group *k = groups;
	uint64_t t0;

	while (k && (k->call != call || k->n != n || strcmp(k->name, name)))
		k = k->next;
	if (k)
		return k->index;
	t0 = tape_tick();
	k = malloc(sizeof *k + strlen(name) + 1);
	if (!k)
		return out_of_memory();
	k->next = groups;
	k->call = call;
	k->n = n;
	strcpy(k->name, name);
	k->index = define_group(k);
	groups = k;
	add_extra_time(t0);
	return k->index;
}

uint32_t tape_pvm_group(unsigned call, const char *name, int root)
{
	return known_group(call, name, root);
}

uint32_t tape_pvm_barrier_of(const char *name, int count)
{
	return known_group(0, name, count);
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
	chain = &tasks[tape_hash_bytes(TAPE_HASH_START, tids, bytes) % CHAINS];
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
	add_extra_time(t0);
	return k->index;
}

void tape_pvm_forget(void)
{
	struct known_context *c;
	struct known_group *g;
	struct known_tasks *t;

	for (; (c = contexts); free(c))
		contexts = c->next;
	for (; (g = groups); free(g))
		groups = g->next;
	for (uint32_t i = 0; i < CHAINS; i++)
		for (; (t = tasks[i]); free(t))
			tasks[i] = t->next;
	n_comms = n_tasks = 0;
	tape_pvm_last = (struct tape_pvm_last){ 0 };
}

uint32_t tape_pvm_spawned(const int *tids, int n)
{
	uint32_t group = tape_pvm_task_list(tids, n);
	uint64_t t0 = tape_tick();

	if (group && tape_define("started %u\n", group))
		tape_define_failed(tape_own);
	add_extra_time(t0);
	return group;
}

void tape_pvm_bcast_begin(void)
{
	bcast.listening = 1;
	bcast.index = 0;
}

void tape_pvm_bcast_list(const int *tids, int n)
{
	if (bcast.listening && tape_process.state == TAPE_RUNNING)
		bcast.index = tape_pvm_task_list(tids, n);
}

uint32_t tape_pvm_bcast_group(void)
{
	return bcast.index;
}

void tape_pvm_bcast_end(void)
{
	bcast.listening = 0;
}
