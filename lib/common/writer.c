/* Writes flows and definitions; see writer.h. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chunk_out.h"
#include "escape.h"
#include "growing_array.h"
#include "position.h"
#include "tool.h"
#include "tape_codec.h"
#include "tape_vm_host.h"
#include "writer.h"

struct site_state {
	union tape_fields last;
	int seen;
};

struct tape_flow_writer {
	struct tape_chunk_out out;
	int rank, thread, raw;
	uint32_t records;
	uint64_t last, start; /* ticks */
	uint64_t requests, start_requests;
	int64_t earlier, later; /* as written last: good until others are */
	struct tape_anchor anchor, last_anchor;
	int anchored;
	int probe_at[TAPE_CLASS_COUNT];
	struct site_state *sites, no_site;
	size_t n_sites;
};

/* What is written of an event, in ticks; its bounds in ns. */
struct spans {
	uint64_t gap, spent, inside, before, after;
	int64_t earlier, later;
};

/* ---- definitions ---- */

void tape_write_word(FILE *f, const char *s)
{
	if (!s || !*s) {
		fputs(" %", f);
		return;
	}
	fputc(' ', f);
	tape_put_line(f, s, 1);
}

static void write_rank_list(FILE *f, const char *what, size_t id,
			    const int *list, size_t n)
{
	if (!n)
		return;
	fprintf(f, "%s %zu", what, id);
	for (size_t i = 0; i < n; i++)
		fprintf(f, " %d", list[i]);
	fputc('\n', f);
}

void tape_write_module(FILE *f, const struct tape_module_info *m)
{
	tape_write_word(f, m->path);
	tape_write_word(f, m->build_id);
	fprintf(f, " %" PRIu64 " %" PRId64 "\n", m->size, m->mtime);
}

/* Addresses after the line of their module's build; one line is enough. */
static void write_sites(FILE *f, const struct tape_rank_info *r)
{
	const struct tape_module_info **last =
	    tape_must(calloc(r->n_sites + 1, sizeof *last));
	size_t n = 0, k;

	for (size_t i = 0; i < r->n_sites; i++) {
		const struct tape_site_info *s = &r->sites[i];

		if (!s->call)
			continue;
		for (k = n; s->from && k-- > 0;)
			if (last[k]->path == s->from->path)
				break;
		if (s->from && (k >= n || last[k] != s->from)) {
			fputs("module", f);
			tape_write_module(f, s->from);
			last[k < n ? k : n++] = s->from;
		}
		if (s->module) {
			fprintf(f, "address %u %u %llx", s->id, s->call,
				(unsigned long long)s->address);
			tape_write_word(f, s->module);
			tape_write_word(f, s->symbol);
		} else {
			fprintf(f, "site %u %u %d", s->id, s->call, s->line);
			tape_write_word(f, s->file);
			tape_write_word(f, s->function);
		}
		fputc('\n', f);
	}
	free(last);
}

/* Where it was, unless that says no more than its host does. */
static void write_position(FILE *f, const struct tape_rank_info *r)
{
	char usual[TAPE_POSITION_MAX] = TAPE_LEVEL_CLUSTER;

	tape_position_add(usual, TAPE_LEVEL_MACHINE, r->host);
	if (r->position && strcmp(r->position, usual) != 0)
		fprintf(f, "position %s\n", r->position);
}

/* "processors 0-3,8" */
static void write_processors(FILE *f, const uint64_t *may_use)
{
	const char *before = "processors ";
	int from = -1;

	for (int i = 0; i <= TAPE_PROCESSORS_MAX; i++) {
		int is_used = i < TAPE_PROCESSORS_MAX &&
			      may_use[i / 64] >> i % 64 & 1;

		if (is_used && from < 0)
			from = i;
		if (is_used || from < 0)
			continue;
		fprintf(f, "%s%d", before, from);
		if (i - 1 > from)
			fprintf(f, "-%d", i - 1);
		before = ",";
		from = -1;
	}
	if (*before == ',')
		fputc('\n', f);
}

/* The thread of the rank that waited longest, from 0 on. */
static void write_processor_use(FILE *f, const struct tape_rank_info *r)
{
	const struct tape_processor_info *p = &r->processor;

	write_processors(f, r->may_use);
	if (p->ns <= 0)
		return;
	fputs("processor 0 0 0 0 0 0 0\n", f);
	fprintf(f,
		"processor 0 0 %" PRId64 " %" PRId64 " %" PRId64 " %" PRIu64
		" %" PRIu64 "\n",
		p->ns, p->cpu_ns, p->waited_ns, p->voluntary, p->involuntary);
}

void tape_write_rank(struct tape_output *o, const struct tape_trace *t,
		     int rank, const char *host, int is_same_run)
{
	const struct tape_rank_info *r = tape_trace_rank(t, rank);
	char name[32];
	FILE *f;

	if (!r->host)
		return; /* it left no definitions */
	snprintf(name, sizeof name, "rank.%d", rank);
	f = tape_output_stream(o, name);
	fprintf(f, "tape-rank 1\nrank %d\nhost", rank);
	tape_write_word(f, host ? host : r->host);
	fprintf(f, "\npid %ld\ndomain 0\n", r->pid);
	if (!host) /* else it is somewhere else now */
		write_position(f, r);
	if (r->tid)
		fprintf(f, "tid %d\n", r->tid);
	if (r->parent)
		fprintf(f, "parent %d\n", r->parent);
	if (r->former >= 0)
		fprintf(f, "former %d\n", r->former);
	if (r->spawned_by >= 0)
		fprintf(f, "spawned %d %llx\n", r->spawned_by,
			(unsigned long long)r->spawned_in);
	for (size_t i = 0; i < r->n_vm_hosts; i++) {
		fprintf(f, "vm_host %d", r->vm_hosts[i].tid);
		tape_write_word(f, r->vm_hosts[i].name);
		fputc('\n', f);
	}
	write_sites(f, r);
	for (size_t i = 0; i < r->n_comms; i++)
		if (r->comms[i].index) {
			fprintf(f, "comm %u %llx %d %d", r->comms[i].index,
				(unsigned long long)r->comms[i].id,
				r->comms[i].size, r->comms[i].rank);
			tape_write_word(f, r->comms[i].name);
			fputc('\n', f);
			if (r->comms[i].side >= 0)
				fprintf(f, "inter %u %d %d\n",
					r->comms[i].index, r->comms[i].side,
					r->comms[i].own_size);
			write_rank_list(f, "sources", i, r->comms[i].sources,
					r->comms[i].n_sources);
		}
	for (size_t i = 0; i < r->n_groups; i++) {
		write_rank_list(f, "group", i, r->groups[i].ranks,
				r->groups[i].n);
		if (r->groups[i].spawned)
			fprintf(f, "started %zu\n", i);
	}
	for (size_t i = 0; i < r->n_regions; i++)
		if (r->regions[i]) {
			fprintf(f, "region %zu", i);
			tape_write_word(f, r->regions[i]);
			fputc('\n', f);
		}
	for (uint32_t i = 0; i < r->n_counters; i++) {
		fprintf(f, "counter %u", i);
		tape_write_word(f, r->counters[i].name);
		tape_write_word(f, r->counters[i].unit);
		fprintf(f, " %s %lld\n",
			r->counters[i].at_regions ? "regions" : "events",
			(long long)r->counters[i].own);
	}
	if (is_same_run)
		write_processor_use(f, r);
	if (r->note)
		fprintf(f, "note %s\n", r->note);
	tape_output_end(o, f, name);
}

/* ---- flows ---- */

static void begin_chunk(struct tape_flow_writer *w)
{
	w->records = 0;
	w->start = w->last;
	w->start_requests = w->requests;
}

/* open: as of a process that was killed. */
static void end_chunk(struct tape_flow_writer *w, int open)
{
	struct tape_chunk c = {
	    .magic = TAPE_CHUNK_MAGIC,
	    .version = TAPE_FORMAT_VERSION,
	    .rank = (uint32_t)w->rank,
	    .thread = (uint32_t)w->thread,
	    .records = w->records,
	    .start = w->start,
	    .anchor_tick = w->anchored ? w->anchor.tick : w->start,
	    .anchor_ns = w->anchored ? w->anchor.ns : w->start,
	    .slack = w->anchor.slack,
	    .requests = w->start_requests,
	};

	tape_chunk_out_end(&w->out, &c, open);
	begin_chunk(w);
}

void tape_flow_writer_check(const struct tape_flow_writer *w)
{
	if (w->out.error)
		tape_die(TAPE_FAILED, "%s: %s", tape_chunk_out_path(&w->out),
			 strerror(w->out.error));
}

static void reserve_record(struct tape_flow_writer *w)
{
	if (!tape_chunk_out_room(&w->out))
		end_chunk(w, 0);
}

static struct tape_flow_writer *
alloc_flow_writer(struct tape_output *o, int rank, int thread, uint64_t start)
{
	struct tape_flow_writer *w = tape_must(calloc(1, sizeof *w));
	struct tape_field field;
	char name[64];

	snprintf(name, sizeof name, "flow.%d.%d", rank, thread);
	tape_chunk_out_open(&w->out, o, name);
	w->rank = rank;
	w->thread = thread;
	w->last = start;
	for (unsigned c = 0; c < TAPE_CLASS_COUNT; c++) {
		w->probe_at[c] = -1;
		for (unsigned i = 0; tape_class_field(c, i, &field); i++)
			if (!strcmp(field.name, "probe"))
				w->probe_at[c] = (int)field.offset;
	}
	begin_chunk(w);
	return w;
}

struct tape_flow_writer *tape_flow_writer_open(struct tape_output *o, int rank,
					       int thread, int64_t start_ns)
{
	return alloc_flow_writer(o, rank, thread, (uint64_t)start_ns);
}

struct tape_flow_writer *
tape_flow_writer_raw(struct tape_output *o, int rank, int thread,
		     uint64_t start_tick, const struct tape_anchor *first,
		     const struct tape_anchor *last)
{
	struct tape_flow_writer *w =
	    alloc_flow_writer(o, rank, thread, start_tick);

	w->raw = 1;
	w->anchored = first && last;
	if (w->anchored) {
		w->anchor = *first;
		w->last_anchor = *last;
	}
	return w;
}

/* The site's; without memory one that was never seen. */
static struct site_state *find_written_site(struct tape_flow_writer *w,
					    uint32_t site)
{
	if (site >= w->n_sites) {
		size_t n = w->n_sites;
		struct site_state *s =
		    tape_grow_array(w->sites, &n, (size_t)site + 1, sizeof *s);

		if (!s) {
			w->out.error = ENOMEM;
			w->no_site.seen = 0;
			return &w->no_site;
		}
		memset(s + w->n_sites, 0, (n - w->n_sites) * sizeof *s);
		w->sites = s;
		w->n_sites = n;
	}
	return &w->sites[site];
}

static unsigned char *put_request(const struct tape_flow_writer *w,
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
	reserve_record(w);
	*w->out.p++ = d->kind == TAPE_DONE_RECV	       ? TAPE_CODE_DONE_RECV
		      : d->kind == TAPE_DONE_CANCELLED ? TAPE_CODE_CANCELLED
						       : TAPE_CODE_DONE;
	w->out.p = put_request(w, w->out.p, d->request);
	if (d->kind == TAPE_DONE_RECV) {
		w->out.p = tape_put_varint(w->out.p, tape_zigzag(d->peer));
		w->out.p = tape_put_varint(w->out.p, tape_zigzag(d->tag));
		w->out.p = tape_put_varint(w->out.p, d->bytes);
		w->out.p = tape_put_varint(w->out.p, d->arrived);
	}
	w->records++;
}

static void put_pair(struct tape_flow_writer *w, enum tape_code code,
		     uint64_t a, uint64_t b)
{
	reserve_record(w);
	*w->out.p++ = (unsigned char)code;
	w->out.p = tape_put_varint(w->out.p, a);
	w->out.p = tape_put_varint(w->out.p, b);
	w->records++;
}

static void put_counts(struct tape_flow_writer *w, const struct tape_event *e)
{
	unsigned char *end, code = 0;

	for (uint32_t k = 0; k < e->n_counts; k += TAPE_COUNTS_RECORD) {
		reserve_record(w);
		end =
		    tape_put_counts(w->out.p, &code, e->counts, k, e->n_counts);
		if (end == w->out.p)
			continue;
		*w->out.p = code;
		w->out.p = end;
		w->records++;
	}
}

/* From the start of the event to that of its receive, within what is left. */
static uint64_t behind_send(const struct tape_event *e, const struct spans *t)
{
	uint64_t ns = (uint64_t)e->sr_ns - (uint64_t)e->start_ns;

	return e->sr_ns < e->start_ns || ns > t->spent ? t->spent : ns;
}

static void put_event(struct tape_flow_writer *w, const struct tape_event *e,
		      const struct spans *t)
{
	struct site_state *s = find_written_site(w, e->site);
	union tape_fields u = e->u;
	int same;

	if (!w->raw && w->probe_at[e->class_] >= 0)
		memset((char *)&u + w->probe_at[e->class_], 0,
		       sizeof(uint64_t));
	if (!w->raw && e->class_ == TAPE_CLASS_SENDRECV)
		u.sendrecv.sr = behind_send(e, t);
	same = s->seen && tape_same_fields(e->class_, &s->last, &u);
	if (e->polls != 1 || t->inside != t->spent) {
		*w->out.p++ = TAPE_CODE_POLL;
		w->out.p = tape_put_varint(w->out.p, e->polls);
		w->out.p = tape_put_varint(w->out.p, t->inside);
	}
	w->out.p = tape_put_varint(
	    w->out.p, TAPE_CODE_SITE + 2 * (uint64_t)e->site + (unsigned)same);
	w->out.p = tape_put_varint(w->out.p, t->gap);
	w->out.p = tape_put_varint(w->out.p, t->spent);
	w->out.p = tape_encode_fields(e->class_, w->out.p, &u, same);
	s->last = u;
	s->seen = 1;
	w->requests += (uint64_t)tape_event_creates(e->class_, &u);
}

/* The second call site of a run of failed tests. */
static void put_also(struct tape_flow_writer *w, const struct tape_event *e)
{
	struct site_state *s;
	int same;

	if (!e->also_polls)
		return;
	s = find_written_site(w, e->also_site);
	same = s->seen && tape_same_fields(e->also_class, &s->last, &e->also);
	*w->out.p++ = TAPE_CODE_ALSO;
	w->out.p = tape_put_varint(w->out.p,
				   2 * (uint64_t)e->also_site + (unsigned)same);
	w->out.p = tape_put_varint(w->out.p, e->also_polls);
	w->out.p = tape_encode_fields(e->also_class, w->out.p, &e->also, same);
	s->last = e->also;
	s->seen = 1;
	w->records++;
}

static void put_marker(struct tape_flow_writer *w, enum tape_code code,
		       uint64_t gap, const uint32_t *what)
{
	*w->out.p++ = (unsigned char)code;
	w->out.p = tape_put_varint(w->out.p, gap);
	if (what)
		w->out.p = tape_put_varint(w->out.p, *what);
}

static void put_counted(struct tape_flow_writer *w, uint64_t gap,
			const struct tape_counted *u)
{
	*w->out.p++ = TAPE_CODE_COUNTED;
	w->out.p = tape_put_varint(w->out.p, gap);
	w->out.p =
	    tape_put_varint(w->out.p, u->region ? 2 * (uint64_t)u->region + 1
						: 2 * (uint64_t)u->site);
	w->out.p = tape_put_varint(w->out.p, u->rate);
	w->out.p = tape_put_varint(w->out.p, u->calls);
	w->out.p = tape_put_varint(w->out.p, u->ticks);
}

static void put_block(struct tape_flow_writer *w, uint64_t gap,
		      const struct tape_block *u)
{
	*w->out.p++ = TAPE_CODE_BLOCK;
	w->out.p = tape_put_varint(w->out.p, gap);
	w->out.p = tape_put_varint(w->out.p, 4 * u->group + (u->kind & 3));
	w->out.p = tape_put_varint(w->out.p, u->ticks);
	w->out.p = tape_put_varint(w->out.p, u->events);
	w->out.p =
	    tape_put_varint(w->out.p, u->region ? 2 * (uint64_t)u->region + 1
						: 2 * (uint64_t)u->site);
	w->out.p = tape_put_varint(w->out.p, u->calls);
}

static void put_processor(struct tape_flow_writer *w, uint64_t gap,
			  const struct tape_processor *u)
{
	put_marker(w, TAPE_CODE_PROCESSOR, gap, NULL);
	w->out.p = tape_encode_processor(w->out.p, u, 0);
}

static void put_pthread(struct tape_flow_writer *w, uint64_t gap,
			const struct tape_pthread *u)
{
	put_marker(w, TAPE_CODE_PTHREAD, gap, NULL);
	w->out.p = tape_encode_pthread(w->out.p, u, 0);
}

/*
 * Gap and duration of an event with these dates, in the flow's ticks; 1 when
 * its start had to move.
 */
static int spans_of(struct tape_flow_writer *w, int64_t start_ns,
		    int64_t end_ns, struct spans *t)
{
	int64_t last = (int64_t)w->last;
	int64_t start = start_ns < last ? last : start_ns;
	int64_t end = end_ns < start ? start : end_ns;

	t->gap = (uint64_t)start - (uint64_t)last;
	t->spent = t->inside = (uint64_t)end - (uint64_t)start;
	t->before = t->after = 0;
	w->last = (uint64_t)end;
	return start != start_ns;
}

/* For whom room was made: a chunk begins where the event before it ended. */
static void put_spans(struct tape_flow_writer *w, const struct tape_event *e,
		      const struct spans *t)
{
	switch ((enum tape_class)e->class_) {
	case TAPE_CLASS_ENTER:
		put_marker(w, TAPE_CODE_ENTER, t->gap, &e->region);
		break;
	case TAPE_CLASS_LEAVE:
		put_marker(w, TAPE_CODE_LEAVE, t->gap, &e->region);
		break;
	case TAPE_CLASS_OFF:
		put_marker(w, TAPE_CODE_OFF, t->gap, NULL);
		break;
	case TAPE_CLASS_ON:
		put_marker(w, TAPE_CODE_ON, t->gap, NULL);
		break;
	case TAPE_CLASS_THREAD:
		put_marker(w, TAPE_CODE_THREAD, t->gap, &e->u.thread.tid);
		break;
	case TAPE_CLASS_COUNTED:
		put_counted(w, t->gap, &e->u.counted);
		break;
	case TAPE_CLASS_BLOCK:
		put_block(w, t->gap, &e->u.block);
		break;
	case TAPE_CLASS_PROCESSOR:
		put_processor(w, t->gap, &e->u.processor);
		break;
	case TAPE_CLASS_PTHREAD:
		put_pthread(w, t->gap, &e->u.pthread);
		break;
	case TAPE_CLASS_LOCAL:
	case TAPE_CLASS_SPAWN:
	case TAPE_CLASS_PACK:
	case TAPE_CLASS_MCAST:
	case TAPE_CLASS_NRECV:
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
	case TAPE_CLASS_ISENDRECV:
	case TAPE_CLASS_PSEND:
	case TAPE_CLASS_PREADY:
	case TAPE_CLASS_START:
	case TAPE_CLASS_WAIT:
	case TAPE_CLASS_TEST:
	case TAPE_CLASS_QUERY:
	case TAPE_CLASS_GREQUEST:
	case TAPE_CLASS_REQ:
	case TAPE_CLASS_COLL:
	case TAPE_CLASS_ICOLL:
	case TAPE_CLASS_COMM_NEW:
	case TAPE_CLASS_COMM_INEW:
	case TAPE_CLASS_COMM_FREE:
	case TAPE_CLASS_WIN_NEW:
	case TAPE_CLASS_FILE_NEW:
	case TAPE_CLASS_RMA:
	case TAPE_CLASS_IRMA:
	case TAPE_CLASS_EPOCH:
	case TAPE_CLASS_PSCW:
	case TAPE_CLASS_WINTEST:
	case TAPE_CLASS_IO:
	case TAPE_CLASS_IO_AT:
	case TAPE_CLASS_IIO:
	case TAPE_CLASS_IIO_AT:
		put_event(w, e, t);
		break;
	case TAPE_CLASS_COUNT:
		break;
	}
	w->records++;
	put_also(w, e);
	put_counts(w, e);
	for (uint32_t i = 0; i < e->n_done; i++)
		put_done(w, &e->done[i]);
	if (t->before || t->after)
		put_pair(w, TAPE_CODE_ALPHA, t->before, t->after);
	if (t->earlier != w->earlier || t->later != w->later)
		put_pair(w, TAPE_CODE_BOUNDS, (uint64_t)t->earlier,
			 (uint64_t)t->later);
	w->earlier = t->earlier;
	w->later = t->later;
}

/*
 * What is left of the time inside the calls of a run that now takes so long,
 * since the program takes the same between them.
 */
static uint64_t left_inside(const struct tape_event *e, uint64_t spent)
{
	double own = (double)(e->end_ns - e->start_ns) - (double)e->inside_ns -
		     tape_event_alpha_within(e);
	double inside = (double)spent - fmax(own, 0);

	return inside > 0 ? (uint64_t)llrint(inside) : 0;
}

int tape_flow_writer_dated(struct tape_flow_writer *w,
			   const struct tape_event *e, int64_t start_ns,
			   int64_t end_ns, int64_t earlier_ns,
			   int64_t later_ns)
{
	struct spans t;
	int moved;

	reserve_record(w);
	moved = spans_of(w, start_ns, end_ns, &t);
	if (e->polls + e->also_polls > 1)
		t.inside = left_inside(e, t.spent);
	t.earlier = earlier_ns;
	t.later = later_ns;
	put_spans(w, e, &t);
	return w->out.error ? TAPE_EIO : moved;
}

int tape_flow_writer_put(struct tape_flow_writer *w, const struct tape_event *e)
{
	struct spans t;
	int moved = 0;

	reserve_record(w);
	if (w->raw) {
		t = (struct spans){ e->start_tick - w->last,
				    e->end_tick - e->start_tick,
				    e->inside_ticks, e->extra_before_ticks,
				    e->extra_after_ticks, 0, 0 };
		w->last = e->end_tick;
	} else {
		moved = spans_of(w, e->start_ns, e->end_ns, &t);
		t.before = (uint64_t)llrint(fmax(e->alpha_before_ns, 0));
		t.after = (uint64_t)llrint(fmax(e->alpha_after_ns, 0));
		/* only a run of calls has times of its own inside */
		if (e->polls != 1)
			t.inside = (uint64_t)e->inside_ns;
	}
	t.earlier = e->earlier_ns;
	t.later = e->later_ns;
	put_spans(w, e, &t);
	tape_flow_writer_check(w);
	return moved;
}

/* A chunk of its own for the last anchor. */
static void end_anchored(struct tape_flow_writer *w, enum tape_end why)
{
	if (w->records)
		end_chunk(w, 0);
	w->anchor = w->last_anchor;
	if (why == TAPE_END_NONE) /* no record is left for it */
		end_chunk(w, 1);
}

void tape_flow_writer_close(struct tape_flow_writer *w, enum tape_end why,
			    uint64_t lost)
{
	reserve_record(w);
	if (w->anchored)
		end_anchored(w, why);
	if (why != TAPE_END_NONE)
		put_pair(w, TAPE_CODE_END, why, lost);
	if (w->records)
		end_chunk(w, 0);
	tape_chunk_out_close(&w->out);
	tape_flow_writer_check(w);
	free(w->sites);
	free(w);
}
