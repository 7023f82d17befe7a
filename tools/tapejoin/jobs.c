/* Which jobs are joined, and in which order; see joined_jobs.h. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "joined_jobs.h"
#include "sort.h"
#include "tape_files.h"
#include "tool.h"

enum { JOBS_MAX = 65536, TEXT_MAX = 1 << 28 };

char *join_text(const struct tape_trace *t, const char *name, size_t *n)
{
	size_t room = 1 << 16;
	char *text = tape_must(malloc(room + 1));
	ssize_t got;

	*n = 0;
	while ((got = tape_trace_bytes(t, name, *n, text + *n, room - *n)) >
	       0) {
		*n += (size_t)got;
		if (*n > TEXT_MAX)
			tape_die(TAPE_FAILED, "%s/%s: more than 256 MiB",
				 tape_trace_path(t), name);
		if (*n == room)
			text = tape_must(realloc(text, (room *= 2) + 1));
	}
	if (got < 0) {
		free(text);
		return NULL;
	}
	text[*n] = '\0';
	return text;
}

/* Undoes the escapes of a word, in place. */
static char *unescape(char *word)
{
	unsigned byte;
	char *to = word;
	int used;

	for (char *p = word; *p; to++) {
		used = 0;
		if (*p == '%' && sscanf(p + 1, "%2x%n", &byte, &used) == 1 &&
		    used == 2) {
			*to = (char)byte;
			p += 3;
		} else {
			*to = *p++;
		}
	}
	*to = '\0';
	return word;
}

static int is_same_place(const struct tape_trace *t, const char *path)
{
	struct stat a, b;

	return !stat(tape_trace_path(t), &a) && !stat(path, &b) &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/*
 * Opens one more, unless it is there already. id: what another trace knows of
 * it, which may be of a run that has been removed since; 0: the user names it.
 */
static void add_job(struct join *j, const char *path, uint64_t id)
{
	struct join_job *k;
	const char *spawned;

	for (size_t i = 0; i < j->n; i++)
		if (is_same_place(j->jobs[i].t, path))
			return;
	if (j->n == JOBS_MAX)
		tape_die(TAPE_FAILED, "more than %d traces", JOBS_MAX);
	j->jobs = tape_must(realloc(j->jobs, (j->n + 1) * sizeof *j->jobs));
	k = &j->jobs[j->n++];
	memset(k, 0, sizeof *k);
	k->parent = -1;
	if (tape_trace_open(path, &k->t))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(k->t));
	if (tape_trace_base(k->t) != TAPE_BASE_LOCAL)
		tape_die(TAPE_FAILED, "%s is in global time already: join the "
				      "traces first", path);
	if (!tape_trace_meta(k->t, "ranks", 0) || tape_trace_rank(k->t, 0)->tid)
		tape_die(TAPE_FAILED, "%s is of PVM, whose tasks share a "
				      "trace", path);
	for (size_t r = 0; r < tape_trace_ranks(k->t); r++)
		if (tape_trace_rank(k->t, (int)r)->spawned_by >= 0)
			tape_die(TAPE_FAILED, "%s has been joined already: "
					      "join what it was made of", path);
	spawned = tape_trace_meta(k->t, "spawned", 0);
	k->id = spawned ? strtoull(spawned, NULL, 16) : 0;
	if (!id || k->id == id)
		return;
	tape_warn("%s: is not of the job that left its trace there: left out",
		  path);
	tape_trace_close(k->t);
	j->n--;
}

/*
 * A trace that is named in a file of its parent's: where it was made or, if
 * both were moved, beside the parent.
 */
static void add_child(struct join *j, size_t parent, uint64_t id,
		      const char *path)
{
	const char *of = tape_trace_path(j->jobs[parent].t);
	const char *name = strrchr(path, '/');
	size_t n = strlen(of);
	char beside[8192];

	while (n > 1 && of[n - 1] == '/')
		n--;
	while (n && of[n - 1] != '/')
		n--;
	snprintf(beside, sizeof beside, "%.*s%s", (int)n, of,
		 name ? name + 1 : path);
	if (!access(beside, F_OK))
		add_job(j, beside, id);
	else if (!access(path, F_OK))
		add_job(j, path, id);
	else
		tape_warn("%s: a job that it spawned has left its trace in "
			  "%s, which is not there", of, path);
}

/* The lines "child" of a file spawn.ID. */
static void read_spawn(struct join *j, size_t i, const char *name)
{
	size_t n;
	char *text = join_text(j->jobs[i].t, name, &n), *rest = text, *line;

	while (text && (line = strsep(&rest, "\n")))
		if (!strncmp(line, "child ", 6))
			add_child(j, i, strtoull(name + 6, NULL, 16),
				  unescape(line + 6));
	free(text);
}

static void add_children(struct join *j, size_t i)
{
	DIR *dir = opendir(tape_trace_path(j->jobs[i].t));
	char **names = NULL;
	struct dirent *e;
	size_t n = 0;

	while (dir && (e = readdir(dir)))
		if (!strncmp(e->d_name, "spawn.", 6)) {
			names = tape_must(
			    realloc(names, (n + 1) * sizeof *names));
			names[n++] = tape_must(strdup(e->d_name));
		}
	if (dir)
		closedir(dir);
	while (n) {
		read_spawn(j, i, names[--n]);
		free(names[n]);
	}
	free(names);
}

/* Has a rank of the job the communicator of that identity? */
static int has_comm(const struct tape_trace *t, uint64_t id)
{
	for (size_t r = 0; r < tape_trace_ranks(t); r++) {
		const struct tape_rank_info *k = tape_trace_rank(t, (int)r);

		for (size_t i = 1; i < k->n_comms; i++)
			if (k->comms[i].id == id)
				return 1;
	}
	return 0;
}

static int find_parent(const struct join *j, size_t i)
{
	for (size_t k = 0; j->jobs[i].id && k < j->n; k++)
		if (k != i && j->jobs[k].id != j->jobs[i].id &&
		    has_comm(j->jobs[k].t, j->jobs[i].id))
			return (int)k;
	return -1;
}

/* By the date of the start, then by name: the same whatever the order given. */
static int by_start(const void *a, const void *b)
{
	const struct join_job *x = a, *y = b;
	const char *v = tape_trace_meta(x->t, "date", 0);
	const char *w = tape_trace_meta(y->t, "date", 0);
	long long d = (v ? atoll(v) : 0) - (w ? atoll(w) : 0);

	return d ? (d < 0 ? -1 : 1)
		 : strcmp(tape_trace_path(x->t), tape_trace_path(y->t));
}

/* Each behind its parent; there is one that has none. */
static void sort_jobs(struct join *j)
{
	struct join_job *sorted = tape_must(calloc(j->n, sizeof *sorted));
	size_t n = 0, before;

	tape_sort(j->jobs, j->n, sizeof *j->jobs, by_start);
	for (size_t i = 0; i < j->n; i++)
		j->jobs[i].parent = find_parent(j, i);
	do {
		before = n;
		for (size_t i = 0; i < j->n; i++) {
			struct join_job *k = &j->jobs[i];
			int p = -1;

			if (!k->t || (k->parent < 0 && n))
				continue;
			for (size_t s = 0; k->parent >= 0 && s < n; s++)
				if (sorted[s].t && sorted[s].first == k->parent)
					p = (int)s;
			if (k->parent >= 0 && p < 0)
				continue;
			sorted[n] = *k;
			sorted[n].parent = p;
			sorted[n++].first = (int)i; /* until all are there */
			k->t = NULL;
		}
	} while (n > before);
	for (size_t i = 0; i < j->n; i++)
		if (j->jobs[i].t)
			tape_die(TAPE_FAILED,
				 "%s: no job of the other traces spawned it",
				 tape_trace_path(j->jobs[i].t));
	free(j->jobs);
	j->jobs = sorted;
}

/* What holds for the whole of a trace is the same in all. */
static void check_same(const struct join *j, const char *key)
{
	const char *v = tape_trace_meta(j->jobs[0].t, key, 0), *w;

	for (size_t i = 1; i < j->n; i++) {
		w = tape_trace_meta(j->jobs[i].t, key, 0);
		if (!v != !w || (v && strcmp(v, w)))
			tape_die(TAPE_FAILED,
				 "%s: %s %s, and %s in %s: they cannot be one "
				 "trace", tape_trace_path(j->jobs[i].t), key,
				 w ? w : "missing", v ? v : "missing",
				 tape_trace_path(j->jobs[0].t));
	}
}

/* Numbers of ranks and clocks; a clock that several jobs read is one. */
static void number(struct join *j)
{
	for (size_t i = 0; i < j->n; i++) {
		struct join_job *k = &j->jobs[i];
		size_t n = tape_trace_domains(k->t), at;

		k->first = j->ranks;
		j->ranks += (int)tape_trace_ranks(k->t);
		k->domains = tape_must(calloc(n + 1, sizeof *k->domains));
		for (size_t d = 0; d < n; d++) {
			const char *line = tape_trace_meta(k->t, "domain", d);

			line = line ? strchr(line, ' ') : NULL;
			line = line ? line + 1 : "";
			for (at = 0; at < j->n_clocks; at++)
				if (!strcmp(j->clocks[at], line))
					break;
			k->domains[d] = (uint32_t)at;
			if (at < j->n_clocks)
				continue;
			j->clocks = tape_must(realloc(
			    j->clocks, (at + 1) * sizeof *j->clocks));
			j->clocks[j->n_clocks++] = line;
		}
	}
}

/* The rank of the job that was the root of that spawn. */
static int find_root(const struct tape_trace *t, uint64_t id)
{
	char name[64], *text, *rest, *line;
	int root = -1;
	size_t n;

	for (size_t r = 0; root < 0 && r < tape_trace_ranks(t); r++) {
		snprintf(name, sizeof name, "rank.%zu", r);
		rest = text = join_text(t, name, &n);
		while (root < 0 && text && (line = strsep(&rest, "\n")))
			if (!strncmp(line, "spawn ", 6) &&
			    strtoull(line + 6, NULL, 16) == id)
				root = (int)r;
		free(text);
	}
	return root;
}

void join_open(struct join *j, char **paths, size_t n)
{
	memset(j, 0, sizeof *j);
	for (size_t i = 0; i < n; i++)
		add_job(j, paths[i], 0);
	for (size_t i = 0; i < j->n; i++)
		add_children(j, i);
	if (j->n == 1)
		tape_die(TAPE_FAILED, "%s: it spawned no job that was traced",
			 *paths);
	sort_jobs(j);
	check_same(j, "version");
	check_same(j, "alpha");
	number(j);
	for (size_t i = 0; i < j->n; i++)
		j->jobs[i].root =
		    j->jobs[i].parent < 0
			? -1
			: find_root(j->jobs[j->jobs[i].parent].t,
				    j->jobs[i].id);
}

void join_close(struct join *j)
{
	for (size_t i = 0; i < j->n; i++) {
		tape_trace_close(j->jobs[i].t);
		free(j->jobs[i].domains);
	}
	free(j->clocks);
	free(j->jobs);
}
