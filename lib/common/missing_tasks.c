/* Tasks of PVM that were started and left nothing; see damage.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "damage.h"
#include "escape.h"
#include "growing_array.h"
#include "sort.h"
#include "tape_vm_host.h"
#include "tool.h"

/* Hosts that are named. */
enum { HOSTS = 8 };

struct tasks {
	int *tids;
	size_t n, room;
};

static void add_tid(struct tasks *l, int tid)
{
	l->tids = tape_must(
	    tape_grow_array(l->tids, &l->room, l->n + 1, sizeof *l->tids));
	l->tids[l->n++] = tid;
}

static int compare_tids(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void sort_tids(struct tasks *l)
{
	if (l->n)
		tape_sort(l->tids, l->n, sizeof *l->tids, compare_tids);
}

/* Those that are ranks, and those that ranks have started. */
static void list_tids(const struct tape_trace *t, struct tasks *there,
		      struct tasks *started)
{
	for (size_t i = 0; i < tape_trace_ranks(t); i++) {
		const struct tape_rank_info *r = tape_trace_rank(t, (int)i);

		if (r->tid)
			add_tid(there, r->tid);
		for (size_t g = 0; g < r->n_groups; g++)
			for (size_t k = 0; r->groups[g].spawned &&
					   k < r->groups[g].n;
			     k++)
				add_tid(started, r->groups[g].ranks[k]);
	}
	sort_tids(there);
	sort_tids(started);
}

/* The name of that task's host, as rank 0 knew it or a rank says. */
static void host_name(const struct tape_trace *t, int tid, char *text,
		      size_t n)
{
	int host = tid & TAPE_VM_HOST_BITS;
	const char *name = NULL;

	for (size_t i = 0; i < tape_trace_ranks(t) && !name; i++) {
		const struct tape_rank_info *r = tape_trace_rank(t, (int)i);

		for (size_t k = 0; k < r->n_vm_hosts && !name; k++)
			if ((r->vm_hosts[k].tid & TAPE_VM_HOST_BITS) == host)
				name = r->vm_hosts[k].name;
		if (!name && r->host && r->tid &&
		    (r->tid & TAPE_VM_HOST_BITS) == host)
			name = r->host;
	}
	if (name)
		tape_clean(name, text, n);
	else
		snprintf(text, n, "PVM's host %d", host >> 18);
}

static void name_hosts(const struct tape_trace *t, const struct tasks *l,
		       char *text, size_t n)
{
	size_t used = 0, hosts = 0;

	*text = '\0';
	for (size_t i = 0, k; i < l->n && used < n; i = k) {
		char name[100];

		for (k = i; k < l->n && !((l->tids[k] ^ l->tids[i]) &
					  TAPE_VM_HOST_BITS);)
			k++;
		if (hosts++ == HOSTS) {
			snprintf(text + used, n - used, ", ...");
			return;
		}
		host_name(t, l->tids[i], name, sizeof name);
		used += (size_t)snprintf(text + used, n - used,
					 "%s%zu on %s", i ? ", " : "", k - i,
					 name);
	}
}

size_t tape_tasks_missing(const struct tape_trace *t, char *text, size_t n)
{
	struct tasks there = {0}, started = {0};
	size_t kept = 0;

	list_tids(t, &there, &started);
	for (size_t i = 0; i < started.n; i++) {
		int tid = started.tids[i];

		if (!(i && tid == started.tids[i - 1]) &&
		    !(there.n && tape_search(&tid, there.tids, there.n,
					     sizeof *there.tids, compare_tids)))
			started.tids[kept++] = tid;
	}
	started.n = kept;
	if (n)
		name_hosts(t, &started, text, n);
	free(there.tids);
	free(started.tids);
	return kept;
}
