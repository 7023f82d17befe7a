/*
 * Runs whose processes come one by one, as PVM's tasks do. Their number and
 * clocks are not known at the start, so meta has neither "ranks" nor "domain";
 * both are derived here from the rank files.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sort.h"
#include "tape_follow.h"
#include "tape_vm_host.h"
#include "trace.h"

/* Hosts that a tid can tell. */
enum { VM_HOSTS = 4096 };

/* The clock domain and the host that a rank file names. */
struct saying {
	char domain[512], host[1024]; /* escaped; "": not there */
};

static void copy_word(char *to, size_t n, const char *word)
{
	if (word)
		snprintf(to, n, "%s", word);
}

/* 0, 1 where there is no such file, or a negative code. */
static int scan_rank_file(struct tape_trace *t, size_t rank, struct saying *s)
{
	char name[32], *line;
	struct tape_text x;
	int rc;

	memset(s, 0, sizeof *s);
	snprintf(name, sizeof name, "rank.%zu", rank);
	rc = tape_text_open(t, name, 1, &x);
	while (!rc && (!*s->domain || !*s->host) && tape_text_line(&x, &line)) {
		char *rest = line, *key = tape_text_word(&rest);

		if (key && !strcmp(key, "domain"))
			copy_word(s->domain, sizeof s->domain,
				  tape_text_word(&rest));
		else if (key && !strcmp(key, "host"))
			copy_word(s->host, sizeof s->host,
				  tape_text_word(&rest));
	}
	tape_text_close(&x);
	return rc;
}

/* Its clock is a domain of its own unless a rank before it has the same. */
static int add_task(struct tape_trace *t, const struct tape_text *x,
		    const struct saying *s)
{
	char text[1600], name[sizeof s->domain];

	strcpy(name, s->domain);
	if (!*name || tape_trace_find_domain(t, tape_text_unescape(name)))
		return 0;
	snprintf(text, sizeof text, "%zu %s %s", t->n_domains, s->domain,
		 s->host);
	return tape_trace_add_domain(t, x, text);
}

/* One more than the highest R of the files rank.R. */
static int find_last(struct tape_trace *t, size_t *n)
{
	DIR *dir = tape_trace_list(t);
	struct dirent *e;
	unsigned rank;
	char name[32];

	*n = 0;
	if (!dir)
		return tape_trace_fail(t, TAPE_EIO, "%s: %s", t->path,
				       strerror(errno));
	while ((e = readdir(dir))) {
		if (sscanf(e->d_name, "rank.%9u", &rank) != 1)
			continue;
		snprintf(name, sizeof name, "rank.%u", rank);
		if (!strcmp(name, e->d_name) && rank >= *n)
			*n = (size_t)rank + 1;
	}
	closedir(dir);
	return 0;
}

int tape_trace_find_tasks(struct tape_trace *t, const struct tape_text *x)
{
	struct saying s;
	char number[24];
	size_t n;
	int rc = find_last(t, &n);

	if (rc || !n)
		return rc;
	snprintf(number, sizeof number, "%zu", n);
	/* more tasks may appear; their number is not known in advance */
	if (t->follow)
		n = n < TAPE_FOLLOW_TASKS ? TAPE_FOLLOW_TASKS : n;
	rc = t->follow ? tape_trace_make_ranks(t, n)
		       : tape_trace_set_ranks(t, x, number);
	for (size_t r = 0; r < n && !rc; r++) {
		t->ranks[r].to_come =
		    t->follow && !tape_follow_has_record(t, (int)r, 0);
		if (t->ranks[r].to_come)
			continue;
		rc = scan_rank_file(t, r, &s);
		if (!rc)
			rc = add_task(t, x, &s);
		else if (rc > 0)
			rc = 0; /* lost; those after it are there */
	}
	return rc;
}

int tape_trace_new_task(struct tape_trace *t, int rank)
{
	struct tape_text x = {.path = "rank"};
	size_t domains = t->n_domains;
	struct saying s;
	int rc = scan_rank_file(t, (size_t)rank, &s);

	t->ranks[rank].to_come = 0;
	if (!rc)
		rc = add_task(t, &x, &s);
	if (!rc && t->n_domains > domains) {
		struct tape_domain *d = &t->domains[domains];

		tape_trace_read_anchors(t, d, rank);
		rc = tape_trace_read_rank(t, rank);
		d->hz = t->ranks[rank].tick_hz;
		rc = rc ? rc : tape_trace_anchor_domain(t, d);
	} else if (!rc) {
		rc = tape_trace_read_rank(t, rank);
	}
	return rc < 0 ? rc : tape_trace_sort_tasks(t);
}

/* ---- lines of rank files ---- */

/* A number, or the name where no rank knew of the others. */
int tape_trace_read_domain(struct tape_trace *t, struct tape_rank *r,
			   const struct tape_text *x, char *rest)
{
	const struct tape_domain *d = NULL;
	char *word = tape_text_word(&rest);
	uint64_t n;

	if (word && tape_text_u64(word, 10, &n))
		d = tape_trace_find_domain(t, tape_text_unescape(word));
	else if (word && n < t->n_domains)
		d = &t->domains[n];
	if (!d)
		return bad_line(t, x, "unknown clock domain");
	r->info.domain = d->info.index;
	return 0;
}

int tape_trace_read_tid(struct tape_trace *t, const struct tape_text *x,
			char *rest, int *tid)
{
	uint64_t n;

	if (*tid || tape_text_u64(tape_text_word(&rest), 10, &n) || !n ||
	    n > INT_MAX)
		return bad_line(t, x, "bad task");
	*tid = (int)n;
	return 0;
}

/* ---- tids ---- */

static int by_tid(const void *a, const void *b)
{
	const struct tape_task *x = a, *y = b;

	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

int tape_trace_sort_tasks(struct tape_trace *t)
{
	free(t->tasks);
	t->n_tasks = 0;
	t->tasks = calloc(t->n_ranks + 1, sizeof *t->tasks);
	if (!t->tasks)
		return tape_trace_no_memory(t);
	for (size_t r = 0; r < t->n_ranks; r++)
		if (t->ranks[r].info.tid)
			t->tasks[t->n_tasks++] = (struct tape_task){
				t->ranks[r].info.tid, (int)r };
	tape_sort(t->tasks, t->n_tasks, sizeof *t->tasks, by_tid);
	return 0;
}

/* A group that was defined before is what a pvm_spawn started. */
int tape_trace_read_spawned(struct tape_trace *t, struct tape_rank *r,
			    const struct tape_text *x, char *rest)
{
	uint64_t id;

	if (tape_text_u64(tape_text_word(&rest), 10, &id) ||
	    id >= r->info.n_groups || !r->groups[id].n)
		return bad_line(t, x, "bad group of spawned tasks");
	r->groups[id].spawned = 1;
	return 0;
}

int tape_trace_read_vm_host(struct tape_trace *t, struct tape_rank *r,
			    const struct tape_text *x, char *rest)
{
	struct tape_vm_host *list = (struct tape_vm_host *)r->info.vm_hosts;
	size_t n = r->info.n_vm_hosts;
	uint64_t tid;
	char *name;

	if (tape_text_u64(tape_text_word(&rest), 10, &tid) || tid > INT_MAX ||
	    !(name = tape_text_word(&rest)) || n == VM_HOSTS)
		return bad_line(t, x, "bad host");
	list = realloc(list, (n + 1) * sizeof *list);
	if (list)
		r->info.vm_hosts = list;
	name = list ? strdup(tape_text_unescape(name)) : NULL;
	if (!name)
		return tape_trace_no_memory(t);
	list[n] = (struct tape_vm_host){ (int)tid, name };
	r->info.n_vm_hosts++;
	return 0;
}

void tape_trace_free_vm_hosts(struct tape_rank *r)
{
	for (size_t i = 0; i < r->info.n_vm_hosts; i++)
		free((char *)r->info.vm_hosts[i].name);
	free((struct tape_vm_host *)r->info.vm_hosts);
}

int tape_trace_task(const struct tape_trace *t, int tid)
{
	struct tape_task key = { tid, -1 }, *found;

	found =
	    tape_search(&key, t->tasks, t->n_tasks, sizeof *t->tasks, by_tid);
	return found ? found->rank : -1;
}
