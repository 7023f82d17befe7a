/* Writes flows and definitions; see writer.h. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "tape_codec.h"
#include "writer.h"

struct site_state {
	union tape_fields last;
	int seen;
};

struct tape_flow_writer {
	int fd, rank, thread;
	char path[4400];
	unsigned char chunk[TAPE_CHUNK_BYTES], *p;
	uint32_t sequence, records;
	int64_t last;
	uint64_t requests, start_requests;
	int64_t start;
	struct site_state *sites;
	size_t n_sites;
};

/* ---- definitions ---- */

static void word(FILE *f, const char *s)
{
	if (!s || !*s) {
		fputs(" %", f);
		return;
	}
	fputc(' ', f);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c <= ' ' || c == '%' || c == 0x7f)
			fprintf(f, "%%%02x", c);
		else
			fputc(c, f);
	}
}

void tape_write_rank(struct tape_output *o, const struct tape_trace *t,
		     int rank)
{
	const struct tape_rank_info *r = tape_trace_rank(t, rank);
	char name[32];
	const char *path;
	FILE *f;
	int bad;

	if (!r->host)
		return; /* it left no definitions */
	snprintf(name, sizeof name, "rank.%d", rank);
	path = tape_output_file(o, name);
	f = fopen(path, "wxe");
	if (!f)
		tape_die(TAPE_FAILED, "%s: %s", path, strerror(errno));
	fprintf(f, "tape-rank 1\nrank %d\nhost", rank);
	word(f, r->host);
	fprintf(f, "\npid %ld\ndomain 0\n", r->pid);
	for (size_t i = 0; i < r->n_sites; i++) {
		const struct tape_site_info *s = &r->sites[i];

		if (!s->call)
			continue;
		if (s->file) {
			fprintf(f, "site %u %u %d", s->id, s->call, s->line);
			word(f, s->file);
		} else {
			fprintf(f, "address %u %u %llx", s->id, s->call,
				(unsigned long long)s->address);
			word(f, s->module);
		}
		word(f, s->function);
		fputc('\n', f);
	}
	for (size_t i = 0; i < r->n_comms; i++)
		if (r->comms[i].index) {
			fprintf(f, "comm %u %llx %d %d", r->comms[i].index,
				(unsigned long long)r->comms[i].id,
				r->comms[i].size, r->comms[i].rank);
			word(f, r->comms[i].name);
			fputc('\n', f);
		}
	for (size_t i = 0; i < r->n_regions; i++)
		if (r->regions[i]) {
			fprintf(f, "region %zu", i);
			word(f, r->regions[i]);
			fputc('\n', f);
		}
	if (r->note)
		fprintf(f, "note %s\n", r->note);
	bad = ferror(f);
	if (fclose(f) || bad)
		tape_die(TAPE_FAILED, "%s: %s", path, strerror(errno));
}

/* ---- flows ---- */

static void begin_chunk(struct tape_flow_writer *w)
{
	memset(w->chunk, 0, sizeof w->chunk);
	w->p = w->chunk + TAPE_CHUNK_HEADER;
	w->records = 0;
	w->start = w->last;
	w->start_requests = w->requests;
}

static void seal(struct tape_flow_writer *w)
{
	uint32_t used = (uint32_t)(w->p - w->chunk - TAPE_CHUNK_HEADER);
	struct tape_chunk c = {
		.magic = TAPE_CHUNK_MAGIC,
		.version = TAPE_FORMAT_VERSION,
		.rank = (uint32_t)w->rank,
		.thread = (uint32_t)w->thread,
		.sequence = w->sequence,
		.used = used,
		.records = w->records,
		.start = (uint64_t)w->start,
		.anchor_tick = (uint64_t)w->start,
		.anchor_ns = (uint64_t)w->start,
		.requests = w->start_requests,
	};

	c.checksum = tape_chunk_checksum(w->chunk + TAPE_CHUNK_HEADER, used,
					 w->sequence);
	tape_chunk_put(w->chunk, &c);
}

static void put_out(struct tape_flow_writer *w, size_t n)
{
	size_t done = 0;
	ssize_t got;

	while (done < n) {
		got = pwrite(w->fd, w->chunk + done, n - done,
			     (off_t)w->sequence * TAPE_CHUNK_BYTES +
				     (off_t)done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			tape_die(TAPE_FAILED, "%s: %s", w->path,
				 strerror(errno));
		done += (size_t)got;
	}
}

static void room(struct tape_flow_writer *w)
{
	if (w->p <= w->chunk + TAPE_CHUNK_BYTES - 2 * TAPE_RECORD_MAX)
		return;
	seal(w);
	put_out(w, TAPE_CHUNK_BYTES);
	w->sequence++;
	begin_chunk(w);
}

struct tape_flow_writer *tape_flow_writer_open(struct tape_output *o, int rank,
					       int thread, int64_t start_ns)
{
	struct tape_flow_writer *w = calloc(1, sizeof *w);
	char name[64];

	if (!w)
		tape_die(TAPE_FAILED, "out of memory");
	snprintf(name, sizeof name, "flow.%d.%d", rank, thread);
	snprintf(w->path, sizeof w->path, "%s", tape_output_file(o, name));
	w->fd = open(w->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (w->fd < 0)
		tape_die(TAPE_FAILED, "%s: %s", w->path, strerror(errno));
	w->rank = rank;
	w->thread = thread;
	w->last = start_ns;
	begin_chunk(w);
	return w;
}

static struct site_state *site_of(struct tape_flow_writer *w, uint32_t site)
{
	if (site >= w->n_sites) {
		size_t n = w->n_sites ? w->n_sites : 64;
		struct site_state *s;

		while (n <= site)
			n *= 2;
		s = realloc(w->sites, n * sizeof *s);
		if (!s)
			tape_die(TAPE_FAILED, "out of memory");
		memset(s + w->n_sites, 0, (n - w->n_sites) * sizeof *s);
		w->sites = s;
		w->n_sites = n;
	}
	return &w->sites[site];
}

static unsigned char *reference(const struct tape_flow_writer *w,
				unsigned char *p, uint64_t request)
{
	uint64_t thread = request >> TAPE_REQUEST_SHIFT;
	uint64_t n = request & (((uint64_t)1 << TAPE_REQUEST_SHIFT) - 1);

	if (!request)
		return tape_put_varint(p, 0);
	if (thread == (uint64_t)w->thread && n <= w->requests)
		return tape_put_varint(p, 2 * (w->requests - n + 1));
	p = tape_put_varint(p, 2 * thread + 1);
	return tape_put_varint(p, n);
}

static void put_done(struct tape_flow_writer *w, const struct tape_done *d)
{
	room(w);
	*w->p++ = d->kind == TAPE_DONE_RECV	   ? TAPE_CODE_DONE_RECV
		  : d->kind == TAPE_DONE_CANCELLED ? TAPE_CODE_CANCELLED
						   : TAPE_CODE_DONE;
	w->p = reference(w, w->p, d->request);
	if (d->kind == TAPE_DONE_RECV) {
		w->p = tape_put_varint(w->p, tape_zigzag(d->peer));
		w->p = tape_put_varint(w->p, tape_zigzag(d->tag));
		w->p = tape_put_varint(w->p, d->bytes);
		w->p = tape_put_varint(w->p, d->arrived);
	}
	w->records++;
}

static void put_pair(struct tape_flow_writer *w, enum tape_code code,
		     uint64_t a, uint64_t b)
{
	room(w);
	*w->p++ = (unsigned char)code;
	w->p = tape_put_varint(w->p, a);
	w->p = tape_put_varint(w->p, b);
	w->records++;
}

static void put_event(struct tape_flow_writer *w, const struct tape_event *e,
		      uint64_t gap, uint64_t spent)
{
	struct site_state *s = site_of(w, e->site);
	int same = s->seen && tape_same_fields(e->class_, &s->last, &e->u);

	if (e->polls != 1) {
		*w->p++ = TAPE_CODE_POLL;
		w->p = tape_put_varint(w->p, e->polls);
		w->p = tape_put_varint(w->p, (uint64_t)e->inside_ns);
	}
	w->p = tape_put_varint(w->p, TAPE_CODE_SITE + 2 * (uint64_t)e->site +
					     (unsigned)same);
	w->p = tape_put_varint(w->p, gap);
	w->p = tape_put_varint(w->p, spent);
	w->p = tape_encode_fields(e->class_, w->p, &e->u, same);
	s->last = e->u;
	s->seen = 1;
	w->requests += e->request != 0;
}

int tape_flow_writer_put(struct tape_flow_writer *w, const struct tape_event *e)
{
	int64_t start = e->start_ns < w->last ? w->last : e->start_ns;
	int64_t end = e->end_ns < start ? start : e->end_ns;
	uint64_t gap = (uint64_t)(start - w->last);

	room(w);
	switch ((enum tape_class)e->class_) {
	case TAPE_CLASS_ENTER:
	case TAPE_CLASS_LEAVE:
		*w->p++ = e->class_ == TAPE_CLASS_ENTER ? TAPE_CODE_ENTER
							: TAPE_CODE_LEAVE;
		w->p = tape_put_varint(w->p, gap);
		w->p = tape_put_varint(w->p, e->region);
		end = start;
		break;
	case TAPE_CLASS_OFF:
	case TAPE_CLASS_ON:
		*w->p++ = e->class_ == TAPE_CLASS_OFF ? TAPE_CODE_OFF
						      : TAPE_CODE_ON;
		w->p = tape_put_varint(w->p, gap);
		end = start;
		break;
	case TAPE_CLASS_LOCAL:
	case TAPE_CLASS_ABORT:
	case TAPE_CLASS_SEND:
	case TAPE_CLASS_ISEND:
	case TAPE_CLASS_RECV:
	case TAPE_CLASS_IRECV:
	case TAPE_CLASS_SENDRECV:
	case TAPE_CLASS_PROBE:
	case TAPE_CLASS_IPROBE:
	case TAPE_CLASS_MPROBE:
	case TAPE_CLASS_IMPROBE:
	case TAPE_CLASS_MRECV:
	case TAPE_CLASS_IMRECV:
	case TAPE_CLASS_START:
	case TAPE_CLASS_WAIT:
	case TAPE_CLASS_TEST:
	case TAPE_CLASS_REQ:
	case TAPE_CLASS_COLL:
	case TAPE_CLASS_ICOLL:
	case TAPE_CLASS_COMM_NEW:
	case TAPE_CLASS_COMM_INEW:
	case TAPE_CLASS_COMM_FREE:
		put_event(w, e, gap, (uint64_t)(end - start));
		break;
	case TAPE_CLASS_COUNT:
		break;
	}
	w->records++;
	w->last = end;
	for (uint32_t i = 0; i < e->n_done; i++)
		put_done(w, &e->done[i]);
	if (e->alpha_before_ns > 0.5 || e->alpha_after_ns > 0.5)
		put_pair(w, TAPE_CODE_ALPHA,
			 (uint64_t)llrint(e->alpha_before_ns),
			 (uint64_t)llrint(e->alpha_after_ns));
	if (e->earlier_ns || e->later_ns)
		put_pair(w, TAPE_CODE_BOUNDS, (uint64_t)e->earlier_ns,
			 (uint64_t)e->later_ns);
	return start != e->start_ns;
}

void tape_flow_writer_close(struct tape_flow_writer *w, enum tape_end why,
			    uint64_t lost)
{
	room(w);
	if (why != TAPE_END_NONE)
		put_pair(w, TAPE_CODE_END, why, lost);
	if (w->records) {
		seal(w);
		put_out(w, (size_t)(w->p - w->chunk));
	}
	if (close(w->fd))
		tape_die(TAPE_FAILED, "%s: %s", w->path, strerror(errno));
	free(w->sites);
	free(w);
}
