/* Clocks, ranks and flows of the joined trace; see joined_jobs.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "number_text.h"
#include "joined_jobs.h"
#include "record.h"
#include "tape_files.h"
#include "tool.h"

static void write_clock_samples(const struct join *j, struct tape_output *o)
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
				k->clocks[s->domain], s->s_ref, s->r_j, s->s_j,
				s->r_ref, k->clocks[s->by]);
		}
	}
	if (f)
		tape_output_end(o, f, "clocks");
}

/* ---- ranks ---- */

/*
 * The identity of a communicator in the joined trace. Each job has an
 * MPI_COMM_WORLD (1) and MPI_COMM_SELFs (2 + rank) of its own; all others have
 * identities that no other communicator of the jobs has.
 */
static uint64_t joined_comm_id(const struct join_job *k, uint64_t id)
{
	if (!k->first || id > 1 + tape_trace_ranks(k->t))
		return id;
	if (id > 1)
		return id + (uint64_t)k->first;
	return (k->id & ~(UINT64_C(3) << 62)) | UINT64_C(1) << 62;
}

/*
 * Writes ranks of the job as ranks of the joined trace. Numbers that are no
 * ranks of the job stand for a process without a trace: -1, as the reader has
 * them.
 */
static void put_ranks(FILE *f, const struct join_job *k, char *rest)
{
	int64_t n = (int64_t)tape_trace_ranks(k->t), r;
	char *word;

	while ((word = strsep(&rest, " "))) {
		if (tape_parse_whole(word, 0, n - 1, &r, NULL))
			fputs(" -1", f);
		else
			fprintf(f, " %" PRId64, r + k->first);
	}
	putc('\n', f);
}

/* Writes a line that the reader has accepted. */
static void write_rank_line(FILE *f, const struct join_job *k, char *line)
{
	char *rest = line, *key = strsep(&rest, " "), *index, *id;

	if (!rest) {
		fprintf(f, "%s\n", key);
	} else if (!strcmp(key, "rank") || !strcmp(key, "calibrated_by")) {
		fputs(key, f);
		put_ranks(f, k, rest);
	} else if (!strcmp(key, "domain")) {
		size_t d = tape_leading_number(rest, 10);

		if (d >= tape_trace_domains(k->t))
			d = 0;
		fprintf(f, "domain %" PRIu32 "\n", k->clocks[d]);
	} else if (!strcmp(key, "group")) {
		index = strsep(&rest, " ");
		fprintf(f, "group %s", index);
		put_ranks(f, k, rest);
	} else if (!strcmp(key, "comm")) {
		index = strsep(&rest, " ");
		id = strsep(&rest, " ");
		fprintf(f, "comm %s %" PRIx64 " %s\n", index,
			joined_comm_id(k, tape_leading_number(id, 16)),
			rest ? rest : "");
	} else {
		fprintf(f, "%s %s\n", key, rest);
	}
}

static void write_rank_file(const struct join *j, const struct join_job *k,
			    struct tape_output *o, int r)
{
	char name[64], to[64], *line;
	struct join_text x;
	FILE *f;

	snprintf(name, sizeof name, "rank.%d", r);
	if (join_text_open(&x, k->t, name, TEXT_BYTES_MAX)) {
		if (errno == ENOENT) /* the rank has left no file */
			return;
		tape_die(TAPE_FAILED, "%s/%s: %s", tape_trace_path(k->t), name,
			 strerror(errno));
	}
	snprintf(to, sizeof to, "rank.%d", k->first + r);
	f = tape_output_stream(o, to);
	while ((line = join_text_line(&x))) {
		int is_rank = !strncmp(line, "rank ", 5);

		write_rank_line(f, k, line);
		if (is_rank && k->root >= 0)
			fprintf(f, "spawned %d %" PRIx64 "\n",
				j->jobs[k->parent].first + k->root, k->id);
	}
	tape_output_end(o, f, to);
	join_text_close(&x);
}

/* ---- flows ---- */

/* Each chunk has the number of its rank. */
static void set_chunk_ranks(unsigned char *slots, size_t n, uint32_t rank)
{
	for (size_t at = 0; at + TAPE_CHUNK_HEADER <= n;
	     at += TAPE_CHUNK_BYTES)
		if (tape_get32(slots + at) == TAPE_CHUNK_MAGIC)
			tape_put32(slots + at + 8, rank);
}

/* The file that is written. */
struct destination {
	int fd;
	const char *path;
};

static void write_bytes(const struct destination *d, const unsigned char *bytes,
			size_t n)
{
	while (n) {
		ssize_t done = write(d->fd, bytes, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			tape_die(TAPE_FAILED, "%s: %s", d->path,
				 strerror(errno));
		bytes += done;
		n -= (size_t)done;
	}
}

/* Copies the bytes of a flow. Its container may end before them: says so. */
static void copy_flow(const struct join_job *k, const char *name,
		      uint64_t bytes, uint32_t rank,
		      const struct destination *d)
{
	static unsigned char slots[16 * TAPE_CHUNK_BYTES];
	uint64_t at = 0;

	while (at < bytes) {
		size_t n = bytes - at < sizeof slots ? (size_t)(bytes - at)
						     : sizeof slots;
		ssize_t got = tape_trace_bytes(k->t, name, at, slots, n);

		if (got < 0)
			tape_die(TAPE_FAILED, "%s/%s: %s",
				 tape_trace_path(k->t), name, strerror(errno));
		set_chunk_ranks(slots, (size_t)got, rank);
		write_bytes(d, slots, (size_t)got);
		at += (uint64_t)got;
		if ((size_t)got < n)
			break;
	}
	if (at < bytes)
		tape_warn("%s/%s: ends after %" PRIu64 " of %" PRIu64 " bytes",
			  tape_trace_path(k->t), name, at, bytes);
}

static void write_flow(const struct join_job *k, struct tape_output *o,
		       size_t flow)
{
	const struct tape_flow_info *i = tape_trace_flow(k->t, flow);
	uint64_t bytes = tape_trace_flow_bytes(k->t, flow);
	struct destination d;
	char name[64], to[64];

	snprintf(name, sizeof name, "flow.%d.%d", i->rank, i->thread);
	snprintf(to, sizeof to, "flow.%d.%d", k->first + i->rank, i->thread);
	if (!k->first && !tape_trace_in_containers(k->t)) {
		tape_output_take(o, k->t, name, bytes);
		return;
	}
	d.fd = tape_output_file(o, to);
	d.path = tape_output_path(o, to);
	copy_flow(k, name, bytes, (uint32_t)(k->first + i->rank), &d);
	if (close(d.fd))
		tape_die(TAPE_FAILED, "%s: %s", d.path, strerror(errno));
}

void join_write(const struct join *j, struct tape_output *o)
{
	join_write_meta(j, o);
	write_clock_samples(j, o);
	for (size_t i = 0; i < j->n; i++) {
		const struct join_job *k = &j->jobs[i];

		for (size_t r = 0; r < tape_trace_ranks(k->t); r++)
			write_rank_file(j, k, o, (int)r);
		for (size_t f = 0; f < tape_trace_flows(k->t); f++)
			write_flow(k, o, f);
	}
}
