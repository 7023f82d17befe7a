/* Finds the traces of the jobs; see joined_jobs.h. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "number_text.h"
#include "joined_jobs.h"
#include "tape_files.h"
#include "tool.h"

/* A directory that was examined. */
struct place {
	dev_t dev;
	ino_t ino;
	uint64_t id; /* of the job whose trace it is */
	enum { JOINED, OTHER_JOB, NOT_USABLE } state;
};

/* The search for traces. */
struct search {
	struct join *j;
	struct place *places;
	size_t n_places, n_children;
};

/* A line "child" of a trace's file spawn.ID. */
struct child {
	const char *parent; /* path of that trace */
	const char *path;
	uint64_t id;
};

/* ---- places ---- */

static struct place *find_known_directory(const struct search *s,
					  const struct stat *st)
{
	for (size_t i = 0; i < s->n_places; i++)
		if (s->places[i].ino == st->st_ino &&
		    s->places[i].dev == st->st_dev)
			return &s->places[i];
	return NULL;
}

static struct place *add_known_directory(struct search *s,
					 const struct stat *st)
{
	struct place *p;

	if (s->n_places == JOBS_MAX)
		tape_die(TAPE_FAILED, "more than %d traces", JOBS_MAX);
	s->places =
	    tape_must(realloc(s->places, (s->n_places + 1) * sizeof *p));
	p = &s->places[s->n_places++];
	*p = (struct place){st->st_dev, st->st_ino, 0, NOT_USABLE};
	return p;
}

/* ---- jobs ---- */

/* Why the trace cannot be a part of a joined one; NULL: it can. */
static const char *find_fault(const struct tape_trace *t)
{
	if (tape_trace_base(t) != TAPE_BASE_LOCAL)
		return "in global time already: join the traces before sba";
	if (!tape_trace_meta(t, "ranks", 0) || tape_trace_rank(t, 0)->tid)
		return "of PVM, whose tasks share one trace";
	for (size_t r = 0; r < tape_trace_ranks(t); r++)
		if (tape_trace_rank(t, (int)r)->spawned_by >= 0)
			return "a joined trace: join the traces that it was "
			       "made of";
	return NULL;
}

static uint64_t spawned_comm_id(const struct tape_trace *t)
{
	return tape_leading_number(tape_trace_meta(t, "spawned", 0), 16);
}

static struct join_job *find_job(const struct join *j, uint64_t id)
{
	for (size_t i = 0; id && i < j->n; i++)
		if (j->jobs[i].id == id)
			return &j->jobs[i];
	return NULL;
}

static void add_job(struct join *j, struct tape_trace *t)
{
	const char *date = tape_trace_meta(t, "date", 0);

	j->jobs = tape_must(realloc(j->jobs, (j->n + 1) * sizeof *j->jobs));
	j->jobs[j->n++] =
	    (struct join_job){.t = t,
			      .id = spawned_comm_id(t),
			      .date_s = (int64_t)tape_leading_number(date, 10),
			      .parent = -1,
			      .root = -1};
}

/* A trace that the user names. */
static void add_named(struct search *s, const char *path)
{
	const struct join_job *same;
	struct tape_trace *t;
	struct place *p;
	const char *fault;
	struct stat st;

	if (!stat(path, &st) && find_known_directory(s, &st))
		return;
	if (tape_trace_open(path, &t) || stat(path, &st))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	fault = find_fault(t);
	if (fault)
		tape_die(TAPE_FAILED, "%s is %s", path, fault);
	same = find_job(s->j, spawned_comm_id(t));
	if (same)
		tape_die(TAPE_FAILED, "%s and %s are traces of one job",
			 tape_trace_path(same->t), path);
	p = add_known_directory(s, &st);
	p->id = spawned_comm_id(t);
	p->state = JOINED;
	add_job(s->j, t);
}

/*
 * Opens the trace at p if it is of that child and can be joined. Its place may
 * have another trace by now: that of a later run, or a result of a tool.
 */
static void open_child(struct search *s, struct place *p, const char *path,
		       const struct child *c)
{
	struct tape_trace *t;
	const char *fault;

	if (tape_trace_open(path, &t)) {
		tape_warn("%s; left out", tape_trace_error(t));
		tape_trace_close(t);
		p->state = NOT_USABLE;
		return;
	}
	p->id = spawned_comm_id(t);
	p->state = OTHER_JOB;
	if (p->id == c->id) {
		fault = find_fault(t);
		if (!fault) {
			p->state = JOINED;
			add_job(s->j, t);
			return;
		}
		tape_warn("%s is %s; left out", path, fault);
		p->state = NOT_USABLE;
	}
	tape_trace_close(t);
}

static void add_child_at(struct search *s, const char *path,
			 const struct child *c)
{
	struct place *p;
	struct stat st;

	if (stat(path, &st)) {
		tape_warn("%s: %s; left out", path, strerror(errno));
		return;
	}
	p = find_known_directory(s, &st);
	if (p && p->state == JOINED)
		return;
	/* the user has named a copy of its trace */
	if (find_job(s->j, c->id))
		return;
	if (!p)
		open_child(s, p = add_known_directory(s, &st), path, c);
	else if (p->state == OTHER_JOB && p->id == c->id)
		open_child(s, p, path, c);
	if (p->state == OTHER_JOB)
		tape_warn(
		    "%s: does not belong to the job that %s spawned; ignored",
		    path, c->parent);
}

/* ---- children ---- */

static int is_own_name(const char *name)
{
	return *name && strcmp(name, ".") && strcmp(name, "..");
}

/* The path of name in the folder that the trace is in. */
static char *path_beside(const char *trace, const char *name)
{
	int n = (int)strlen(trace), at, rc;
	char *path = NULL;

	while (n > 1 && trace[n - 1] == '/')
		n--;
	for (at = n; at && trace[at - 1] != '/';)
		at--;
	if ((n - at == 1 && trace[at] == '.') ||
	    (n - at == 2 && !strncmp(trace + at, "..", 2)))
		rc = asprintf(&path, "%.*s/../%s", n, trace, name);
	else
		rc = asprintf(&path, "%.*s%s", at, trace, name);
	return tape_must(rc < 0 ? NULL : path);
}

/*
 * The trace is looked for first next to its parent's, because both may have
 * been moved, and then where it was made.
 */
static void add_child(struct search *s, const struct child *c)
{
	const char *slash = strrchr(c->path, '/');
	const char *name = slash ? slash + 1 : c->path;
	char *beside;

	if (++s->n_children > CHILDREN_MAX)
		tape_die(TAPE_FAILED, "%s: more than %d lines child in files "
				      "spawn.*", c->parent, CHILDREN_MAX);
	if (!is_own_name(name)) {
		tape_warn("%s/spawn.%jx: %s is no name of a trace; left out",
			  c->parent, (uintmax_t)c->id, c->path);
		return;
	}
	beside = path_beside(c->parent, name);
	if (!access(beside, F_OK))
		add_child_at(s, beside, c);
	else if (!access(c->path, F_OK))
		add_child_at(s, c->path, c);
	else
		tape_warn("%s: the trace of a spawned job is missing: %s",
			  c->parent, c->path);
	free(beside);
}

/* Reads the lines "child" of a file spawn.ID. */
static void read_spawn(struct search *s, const struct tape_trace *parent,
		       const char *name)
{
	struct child c = {.parent = tape_trace_path(parent)};
	struct join_text x;
	char *line;

	if (tape_parse_unsigned(name + strlen("spawn."), 16, UINT64_MAX, &c.id,
				NULL) ||
	    !c.id)
		return;
	if (join_text_open(&x, parent, name, SPAWN_BYTES_MAX)) {
		tape_warn("%s/%s: %s; left out", c.parent, name,
			  strerror(errno));
		return;
	}
	while ((line = join_text_line(&x)))
		if (!strncmp(line, "child ", 6)) {
			c.path = tape_text_unescape(line + 6);
			add_child(s, &c);
		}
	join_text_close(&x);
}

static int is_spawn_file(const struct dirent *e)
{
	return !strncmp(e->d_name, "spawn.", 6);
}

static void add_children(struct search *s, const struct tape_trace *parent)
{
	struct dirent **list = NULL;
	int n = scandir(tape_trace_path(parent), &list, is_spawn_file,
			alphasort);

	for (int i = 0; i < n; i++) {
		read_spawn(s, parent, list[i]->d_name);
		free(list[i]);
	}
	free(list);
}

/* Each open trace has a descriptor. */
static void raise_limit(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l))
		return;
	l.rlim_cur = l.rlim_max;
	setrlimit(RLIMIT_NOFILE, &l);
}

void join_find_jobs(struct join *j, char **paths, size_t n)
{
	struct search s = {.j = j};

	raise_limit();
	for (size_t i = 0; i < n; i++)
		add_named(&s, paths[i]);
	for (size_t i = 0; i < j->n; i++)
		add_children(&s, j->jobs[i].t);
	free(s.places);
	if (j->n == 1)
		tape_die(TAPE_FAILED, "%s: no trace of a spawned job was found",
			 *paths);
}
