/* The files of the joined trace; see joined_jobs.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escape.h"
#include "joined_jobs.h"
#include "record.h"
#include "tape_files.h"
#include "tool.h"

/* ---- meta and clocks ---- */

/* A line that another trace has, or this one twice. */
static int is_there(const struct join *j, size_t job, const char *key, size_t n,
		    const char *value)
{
	const char *v;

	for (size_t i = 0; i <= job; i++)
		for (size_t k = 0; (i < job || k < n) &&
				   (v = tape_trace_meta(j->jobs[i].t, key, k));
		     k++)
			if (!strcmp(v, value))
				return 1;
	return 0;
}

enum { LINES_MAX = 1000 };

/* What was left out of any of them. */
static void put_all(FILE *f, const struct join *j, const char *key)
{
	const char *v;

	for (size_t i = 0; i < j->n; i++)
		if (tape_trace_meta(j->jobs[i].t, key, LINES_MAX))
			tape_die(TAPE_FAILED, "%s/meta: more than %d lines %s",
				 tape_trace_path(j->jobs[i].t), LINES_MAX, key);

	for (size_t i = 0; i < j->n; i++)
		for (size_t n = 0;
		     (v = tape_trace_meta(j->jobs[i].t, key, n)); n++)
			if (!is_there(j, i, key, n, v))
				fprintf(f, "%s %s\n", key, v);
}

/* The lines of the first trace that say how records are laid out. */
static void put_classes(FILE *f, const struct join *j)
{
	char *first = NULL, *text, *rest, *line, *own, *end;
	size_t n;

	for (size_t i = 0; i < j->n; i++) {
		text = join_text(j->jobs[i].t, "meta", &n);
		if (!text)
			tape_die(TAPE_FAILED, "%s/meta: it is gone",
				 tape_trace_path(j->jobs[i].t));
		own = end = tape_must(calloc(1, n + 2));
		rest = text;
		while ((line = strsep(&rest, "\n")))
			if (!strncmp(line, "class ", 6))
				end = stpcpy(stpcpy(end, line), "\n");
		free(text);
		if (!i) {
			first = own;
			continue;
		}
		if (strcmp(own, first))
			tape_die(TAPE_FAILED, "%s: its records are not as in "
					      "%s",
				 tape_trace_path(j->jobs[i].t),
				 tape_trace_path(j->jobs[0].t));
		free(own);
	}
	fputs(first, f);
	free(first);
}

static void write_meta(const struct join *j, struct tape_output *o)
{
	static const char *const first[] = { "program", "command", "date",
					     "library", "version", "spawned",
					     "alpha", "eager" };
	FILE *f = tape_output_stream(o, "meta");
	const char *v;

	fputs("tape-trace 1\n", f);
	for (size_t k = 0; k < sizeof first / sizeof *first; k++)
		for (size_t n = 0; (v = tape_trace_meta(j->jobs[0].t, first[k],
							n)); n++)
			fprintf(f, "%s %s\n", first[k], v);
	fprintf(f, "ranks %d\n", j->ranks);
	put_classes(f, j);
	fputs("base local\n", f);
	for (size_t d = 0; d < j->n_clocks; d++)
		fprintf(f, "domain %zu %s\n", d, j->clocks[d]);
	put_all(f, j, "filter");
	put_all(f, j, "stream");
	put_all(f, j, "history");
	fprintf(f, "history tapejoin %s\n", TAPE_VERSION);
	tape_output_end(o, f, "meta");
}

static void write_clocks(const struct join *j, struct tape_output *o)
{
	FILE *f = NULL;

	for (size_t i = 0; i < j->n; i++) {
		const struct join_job *k = &j->jobs[i];
		size_t n;
		const struct tape_sample *s = tape_trace_samples(k->t, &n);

		for (size_t r = 0; r < n; r++, s++) {
			if (!f)
				f = tape_output_stream(o, "clocks");
			fprintf(f, "sample %s %" PRIu32 " %" PRIu64 " %" PRIu64
				   " %" PRIu64 " %" PRIu64 " %" PRIu32 "\n",
				s->after ? "after" : "before",
				k->domains[s->domain], s->s_ref, s->r_j, s->s_j,
				s->r_ref, k->domains[s->by]);
		}
	}
	if (f)
		tape_output_end(o, f, "clocks");
}

/* ---- ranks ---- */

/* World and MPI_COMM_SELF have one identity in every job, all others not. */
static uint64_t identity(const struct join_job *k, uint64_t id)
{
	if (!k->first || id > 1 + tape_trace_ranks(k->t))
		return id;
	if (id > 1)
		return id + (uint64_t)k->first;
	return (k->id & ~(UINT64_C(3) << 62)) | UINT64_C(1) << 62;
}

/* Numbers of ranks behind each other; those that stand for nobody stay. */
static void put_ranks(FILE *f, const struct join_job *k, char *rest)
{
	char *word;

	while ((word = strsep(&rest, " "))) {
		long long r = atoll(word);

		fprintf(f, " %lld", r < 0 ? r : r + k->first);
	}
	putc('\n', f);
}

/* A line that the reader has accepted. */
static void put_line(FILE *f, const struct join_job *k, char *line)
{
	char *rest = line, *key = strsep(&rest, " "), *index, *id;

	if (!rest) {
		fprintf(f, "%s\n", key);
	} else if (!strcmp(key, "rank") || !strcmp(key, "calibrated_by")) {
		fputs(key, f);
		put_ranks(f, k, rest);
	} else if (!strcmp(key, "domain")) {
		size_t d = strtoul(rest, NULL, 10);

		if (d >= tape_trace_domains(k->t))
			d = 0;
		fprintf(f, "domain %" PRIu32 "\n", k->domains[d]);
	} else if (!strcmp(key, "group")) {
		index = strsep(&rest, " ");
		fprintf(f, "group %s", index);
		put_ranks(f, k, rest);
	} else if (!strcmp(key, "comm")) {
		index = strsep(&rest, " ");
		id = strsep(&rest, " ");
		fprintf(f, "comm %s %" PRIx64 " %s\n", index,
			identity(k, id ? strtoull(id, NULL, 16) : 0),
			rest ? rest : "");
	} else {
		fprintf(f, "%s %s\n", key, rest);
	}
}

static void write_rank(const struct join *j, const struct join_job *k,
		       struct tape_output *o, int r)
{
	char name[64], to[64], *text, *rest, *line;
	size_t n;
	FILE *f;

	snprintf(name, sizeof name, "rank.%d", r);
	text = join_text(k->t, name, &n);
	if (!text) /* lost */
		return;
	snprintf(to, sizeof to, "rank.%d", k->first + r);
	f = tape_output_stream(o, to);
	rest = text;
	/* a last line without an end was not written in full */
	while ((line = strsep(&rest, "\n")) && rest) {
		int own = !strncmp(line, "rank ", 5);

		put_line(f, k, line);
		if (own && k->root >= 0)
			fprintf(f, "spawned %d %" PRIx64 "\n",
				j->jobs[k->parent].first + k->root, k->id);
	}
	tape_output_end(o, f, to);
	free(text);
}

/* ---- flows ---- */

/* Each chunk says whose it is. */
static void renumber(unsigned char *slots, size_t n, uint32_t rank)
{
	for (size_t at = 0; at + TAPE_CHUNK_HEADER <= n;
	     at += TAPE_CHUNK_BYTES)
		if (tape_get32(slots + at) == TAPE_CHUNK_MAGIC)
			tape_put32(slots + at + 8, rank);
}

static void write_flow(const struct join_job *k, struct tape_output *o,
		       size_t flow)
{
	static unsigned char slots[16 * TAPE_CHUNK_BYTES];
	const struct tape_flow_info *i = tape_trace_flow(k->t, flow);
	uint64_t left = tape_trace_flow_bytes(k->t, flow), at = 0;
	char name[64], to[64];
	int fd;

	snprintf(name, sizeof name, "flow.%d.%d", i->rank, i->thread);
	snprintf(to, sizeof to, "flow.%d.%d", k->first + i->rank, i->thread);
	if (!k->first) {
		tape_output_take(o, k->t, name, left);
		return;
	}
	fd = tape_output_file(o, to);
	while (left) {
		size_t n = left < sizeof slots ? (size_t)left : sizeof slots;
		ssize_t got = tape_trace_bytes(k->t, name, at, slots, n);

		if (got <= 0)
			break;
		renumber(slots, (size_t)got,
			 (uint32_t)(k->first + i->rank));
		if (write(fd, slots, (size_t)got) != got)
			tape_die(TAPE_FAILED, "%s: %s",
				 tape_output_path(o, to), strerror(errno));
		at += (uint64_t)got;
		left -= (uint64_t)got;
	}
	if (close(fd))
		tape_die(TAPE_FAILED, "%s: %s", tape_output_path(o, to),
			 strerror(errno));
}

void join_write(const struct join *j, struct tape_output *o)
{
	write_meta(j, o);
	write_clocks(j, o);
	for (size_t i = 0; i < j->n; i++) {
		const struct join_job *k = &j->jobs[i];

		for (size_t r = 0; r < tape_trace_ranks(k->t); r++)
			write_rank(j, k, o, (int)r);
		for (size_t f = 0; f < tape_trace_flows(k->t); f++)
			write_flow(k, o, f);
	}
}
