/*
 * What the writer writes, the reader gives back: random events of every class
 * with everything that can belong to one, in nanoseconds and in raw ticks.
 */
#include "folder.h"
#include "output.h"
#include "record.h"
#include "tap.h"
#include "tape_reader.h"
#include "tape_skip.h"
#include "writer.h"

enum { EVENTS = 20000, DONE = 8 };

static uint64_t state = 4711;

static uint64_t below(uint64_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 20) % n;
}

/* Mostly small, now and then any of 64 bits. */
static uint64_t some(void)
{
	return below(16) ? below(1000) : state ^ state << 32;
}

/* ---- definitions: a site of each class, numbered by class + 1 ---- */

static unsigned call_of(unsigned class_)
{
	for (unsigned c = 1; c < TAPE_CALL_COUNT; c++)
		if (strcmp(tape_call_name(c), "?") &&
		    tape_call_class(c) == class_)
			return c;
	return 0;
}

static struct tape_output *begin(const char *name, const char *meta)
{
	struct tape_output *o = tape_output_begin(folder_path(name, NULL));
	FILE *f = fopen(tape_output_path(o, "rank.0"), "w");

	if (!f)
		exit(2);
	folder_write(tape_output_path(o, "meta"), meta, strlen(meta));
	fputs("tape-rank 1\nrank 0\nhost node%25\npid 9\ndomain 0\n", f);
	for (unsigned c = 0; c < TAPE_CLASS_COUNT; c++)
		if (call_of(c))
			fprintf(f, "site %u %u %u a%%20b.c main\n", c + 1,
				call_of(c), 7 * c);
	fputs("address 60 120 1f a.out %\ncomm 1 1 1 0 WORLD\n"
	      "comm 2 2 1 0 SELF\nregion 1 first\nregion 2 a%20b\n"
	      "note it was told to\n", f);
	for (unsigned k = 0; k < TAPE_COUNTERS_MAX; k++)
		fprintf(f, "counter %u a::b%%20%u KiB %s %d\n", k, k,
			k % 2 ? "regions" : "events", 5 * (int)k - 3);
	if (fclose(f))
		exit(2);
	return o;
}

/* ---- random events ---- */

static void random_fields(struct tape_event *e)
{
	struct tape_field f;

	for (unsigned i = 0; tape_class_field(e->class_, i, &f); i++) {
		uint64_t v = below(3) ? below(4) : some();

		if (!strcmp(f.name, "comm"))
			v = below(3);
		else if (!strcmp(f.name, "flag"))
			v = below(2);
		else if (f.bytes == 4 && f.is_signed)
			v = (uint64_t)(int64_t)(int32_t)v;
		else if (f.bytes == 4)
			v = (uint32_t)v;
		tape_field_set(&e->u, &f, (int64_t)v);
	}
}

/* All counters, some, or none; increasing or not; marks only before. */
static void random_counts(struct tape_event *e)
{
	uint64_t often = 1 + below(4);

	e->n_counts = TAPE_COUNTERS_MAX;
	for (uint32_t k = 0; k < e->n_counts && often < 4; k++) {
		e->counts[k].before = below(often) ? 0 : (int64_t)some();
		if (e->call && !below(often))
			e->counts[k].inside = -(int64_t)below(5000);
	}
}

static void random_block(struct tape_block *b)
{
	b->group = below(1u << 30);
	b->kind = (uint32_t)below(4);
	b->ticks = some();
	b->events = some();
	b->calls = some();
	if (b->kind & 1)
		return;
	if (below(2))
		b->region = 1 + (uint32_t)below(2);
	else
		b->site = TAPE_CLASS_SEND + 1;
}

/* *requests: how many the flow has created, this event included. */
static void random_event(struct tape_event *e, struct tape_done *done,
			 uint64_t *requests)
{
	unsigned c = (unsigned)below(TAPE_CLASS_COUNT);

	memset(e, 0, sizeof *e);
	e->class_ = (uint16_t)c;
	e->call = (uint16_t)call_of(c);
	e->site = e->call ? c + 1 : 0;
	e->polls = 1;
	if (!e->call)
		e->region = c == TAPE_CLASS_ENTER || c == TAPE_CLASS_LEAVE
				    ? 1 + (uint32_t)below(2) : 0;
	if (e->call || c == TAPE_CLASS_THREAD || c == TAPE_CLASS_PROCESSOR ||
	    c == TAPE_CLASS_PTHREAD)
		random_fields(e);
	if (c == TAPE_CLASS_COUNTED) {
		if (below(2))
			e->u.counted.region = 1 + (uint32_t)below(2);
		else
			e->u.counted.site = TAPE_CLASS_SEND + 1;
		e->u.counted.rate = some();
		e->u.counted.calls = some();
		e->u.counted.ticks = some();
	}
	if (c == TAPE_CLASS_BLOCK)
		random_block(&e->u.block);
	if (e->call && tape_event_failed(e->class_, &e->u))
		e->polls = 1 + below(50);
	if (e->call && tape_event_creates(c, &e->u))
		e->request = TAPE_REQUEST(0, ++*requests);
	e->done = done;
	e->n_done = below(3) ? 0 : (uint32_t)below(DONE);
	for (uint32_t i = 0; i < e->n_done; i++) {
		done[i] = (struct tape_done){
			.kind = (enum tape_done_kind)below(3) };
		if (*requests && below(4))
			done[i].request =
				TAPE_REQUEST(0, 1 + below(*requests));
		else if (below(2))
			done[i].request = TAPE_REQUEST(7, 1 + below(1000));
		done[i].arrived = 2;
		if (done[i].kind != TAPE_DONE_RECV)
			continue;
		done[i].peer = (int32_t)below(9) - 3;
		done[i].tag = (int32_t)some();
		done[i].bytes = some();
		done[i].arrived = (uint32_t)below(3);
	}
	e->earlier_ns = below(4) ? 0 : (int64_t)below(1000);
	e->later_ns = below(4) ? 0 : (int64_t)below(1u << 30);
	random_counts(e);
}

/* ---- comparing ---- */

static int same_done(const struct tape_event *a, const struct tape_event *b)
{
	for (uint32_t i = 0; i < a->n_done; i++) {
		const struct tape_done *x = &a->done[i], *y = &b->done[i];

		if (x->request != y->request || x->kind != y->kind ||
		    x->peer != y->peer || x->tag != y->tag ||
		    x->bytes != y->bytes || x->arrived != y->arrived)
			return 0;
	}
	return 1;
}

static int same_fields(const struct tape_event *a, const struct tape_event *b,
		       int raw)
{
	struct tape_field f;

	for (unsigned i = 0; (a->call || a->class_ == TAPE_CLASS_COUNTED ||
			      a->class_ == TAPE_CLASS_PROCESSOR ||
			      a->class_ == TAPE_CLASS_PTHREAD ||
			      a->class_ == TAPE_CLASS_BLOCK) &&
			     tape_class_field(a->class_, i, &f); i++)
		/* probe is part of alpha: only a raw flow keeps it */
		if (tape_field_get(&b->u, &f) !=
		    (!raw && !strcmp(f.name, "probe")
			     ? 0 : tape_field_get(&a->u, &f)))
			return 0;
	return 1;
}

static int same(const struct tape_event *a, const struct tape_event *b, int raw)
{
	if (a->call != b->call || a->class_ != b->class_ ||
	    a->site != b->site || a->region != b->region ||
	    a->polls != b->polls || a->request != b->request ||
	    a->n_done != b->n_done || a->earlier_ns != b->earlier_ns ||
	    a->later_ns != b->later_ns || !same_done(a, b) ||
	    !same_fields(a, b, raw) || a->n_counts != b->n_counts ||
	    memcmp(a->counts, b->counts, a->n_counts * sizeof *a->counts))
		return 0;
	if (raw)
		return a->start_tick == b->start_tick &&
		       a->end_tick == b->end_tick &&
		       a->inside_ticks == b->inside_ticks &&
		       a->extra_before_ticks == b->extra_before_ticks &&
		       a->extra_after_ticks == b->extra_after_ticks;
	return a->start_ns == b->start_ns && a->end_ns == b->end_ns &&
	       (a->polls == 1 || a->inside_ns == b->inside_ns) &&
	       (int64_t)a->alpha_before_ns == (int64_t)b->alpha_before_ns &&
	       (int64_t)a->alpha_after_ns == (int64_t)b->alpha_after_ns;
}

/* ---- the two ways round ---- */

/* The times of the next event; *now is the end of the one before. */
static void times(struct tape_event *e, uint64_t *now, int raw)
{
	uint64_t start = *now + below(1000) * below(3), spent = below(5000);
	uint64_t inside = e->polls > 1 ? below(spent + 1) : spent;

	if (!e->call)
		spent = inside = 0;
	*now = start + spent;
	e->start_tick = start;
	e->end_tick = *now;
	e->inside_ticks = inside;
	e->start_ns = (int64_t)start;
	e->end_ns = (int64_t)*now;
	e->inside_ns = (int64_t)inside;
	e->sr_ns = e->start_ns;
	if (e->class_ == TAPE_CLASS_SENDRECV)
		e->sr_ns += (int64_t)below(spent + 1);
	/* in a corrected flow the field says the same */
	if (e->class_ == TAPE_CLASS_SENDRECV && !raw)
		e->u.sendrecv.sr = (uint64_t)(e->sr_ns - e->start_ns);
	if (below(2) && raw) {
		e->extra_before_ticks = below(1u << 20);
		e->extra_after_ticks = below(300);
	} else if (!raw && below(2)) {
		e->alpha_before_ns = (double)below(1u << 20);
		e->alpha_after_ns = (double)below(300);
	}
}

/* The events that seed makes are in batches of room what next reads. */
static void batches(struct tape_trace *t, size_t room, int raw, uint64_t seed)
{
	uint64_t now = raw ? (uint64_t)1 << 63 : 5, requests = 0;
	struct tape_batch *b = tape_batch_new(room);
	struct tape_done done[DONE];
	struct tape_event e;
	struct tape_flow *f;
	int rc, n = 0, wrong = 0;
	size_t in;

	if (!b || tape_flow_open(t, 0, &f))
		exit(1);
	state = seed;
	while ((rc = tape_flow_batch(f, b)) == 1) {
		in = tape_batch_size(b);
		wrong += !in || in > room;
		for (size_t i = 0; i < in; i++, n++) {
			random_event(&e, done, &requests);
			times(&e, &now, raw);
			wrong += !same(&e, tape_batch_event(b, i), raw);
		}
	}
	ok(!rc && n == EVENTS && !wrong && !tape_flow_batch(f, b),
	   "%d events in batches of %zu, %d wrong", n, room, wrong);
	tape_flow_close(f);
	tape_batch_free(b);
}

static int class_of(uint64_t site)
{
	return site && site <= TAPE_CLASS_COUNT ? (int)site - 1 : -1;
}

/* What a chunk of n bytes of records holds, by skipping them. */
struct skipped {
	uint32_t records;
	uint64_t sites, marks, kinds; /* kinds: bits, by code */
};

/* 1 when the last record ends exactly at the end. */
static int skip_chunk(const unsigned char *p, size_t n, struct skipped *s)
{
	const unsigned char *end = p + n;
	uint64_t code = 0, what = 0;

	while (p && p < end) {
		p = tape_get_varint(p, end, &code);
		if (p)
			p = tape_skip_record(code, p, end, class_of, &what);
		/* the event that it is a prefix of is the record */
		s->records += code != TAPE_CODE_POLL;
		s->sites += what && !(what & 1);
		s->marks += what & 1;
		s->kinds |= (uint64_t)1 << (code < TAPE_CODE_SITE
						    ? code
						    : TAPE_CODE_SITE);
	}
	return p == end;
}

/* The records of a flow end where its chunks say, and are as many. */
static void skips(const char *name, uint64_t sites, uint64_t marks)
{
	static unsigned char slot[TAPE_CHUNK_BYTES];
	FILE *in = fopen(folder_path(name, "flow.0.0"), "rb");
	uint64_t all = ((uint64_t)2 << TAPE_CODE_SITE) - 1 -
		       ((uint64_t)1 << TAPE_CODE_NONE);
	struct skipped sum = { 0, 0, 0, 0 };
	int chunks = 0, wrong = 0;

	while (in && fread(slot, 1, sizeof slot, in) > TAPE_CHUNK_HEADER) {
		struct tape_chunk c;

		tape_chunk_get(slot, &c);
		sum.records = 0;
		wrong += !skip_chunk(slot + TAPE_CHUNK_HEADER, c.used, &sum) ||
			 sum.records != c.records;
		chunks++;
	}
	if (in)
		fclose(in);
	ok(chunks > 10 && !wrong, "%s: the records of %d chunks are skipped",
	   name, chunks);
	ok(sum.sites == sites && sum.marks == marks,
	   "%s: %llu events at sites, %llu regions' marks", name,
	   (unsigned long long)sum.sites, (unsigned long long)sum.marks);
	all &= ~((uint64_t)1 << TAPE_CODE_ALSO); /* unit/codec has those */
	ok((sum.kinds & all) == all, "%s: of every kind (%llx)", name,
	   (unsigned long long)sum.kinds);
}

static void round_trip(const char *name, const char *meta, int raw)
{
	struct tape_anchor first = { 1000, 50, 3 }, last = { 9000000, 99, 4 };
	uint64_t now = raw ? (uint64_t)1 << 63 : 5, requests = 0, seed = state;
	uint64_t sites = 0, marks = 0;
	struct tape_output *o = begin(name, meta);
	struct tape_flow_writer *w =
		raw ? tape_flow_writer_raw(o, 0, 0, now, &first, &last)
		    : tape_flow_writer_open(o, 0, 0, (int64_t)now);
	struct tape_done done[DONE];
	const struct tape_event *got;
	struct tape_event e;
	struct tape_trace *t;
	struct tape_flow *f;
	int moved = 0, wrong = 0, rc = 0, n;

	for (n = 0; n < EVENTS; n++) {
		random_event(&e, done, &requests);
		times(&e, &now, raw);
		sites += e.call != 0;
		marks += e.region != 0;
		moved += tape_flow_writer_put(w, &e);
	}
	tape_flow_writer_close(w, TAPE_END_LIMIT, 12);
	tape_output_commit(o);
	skips(name, sites, marks);
	if (!ok(!tape_trace_open(folder_path(name, NULL), &t) &&
			!tape_flow_open(t, 0, &f),
		"%s: opens", name))
		exit(1);
	/* the same events once more */
	state = seed;
	now = raw ? (uint64_t)1 << 63 : 5;
	for (n = 0, requests = 0; (rc = tape_flow_next(f, &got)) == 1; n++) {
		random_event(&e, done, &requests);
		times(&e, &now, raw);
		if (!same(&e, got, raw) && !wrong++)
			printf("# %s: event %d, %s, differs\n", name, n,
			       tape_class_name(e.class_));
	}
	ok(!rc && n == EVENTS && !wrong && !moved,
	   "%s: %d events come back as they were, %d wrong, code %d%s%s", name,
	   n, wrong, rc, rc ? ": " : "", tape_flow_error(f));
	ok(tape_flow_end(f, &now) == TAPE_END_LIMIT && now == 12,
	   "%s: so does the end", name);
	tape_flow_close(f);
	batches(t, 1, raw, seed);
	batches(t, 100, raw, seed);
	if (raw) {
		const struct tape_domain_info *d = tape_trace_domain(t, 0);

		ok(d->first.tick == first.tick && d->first.ns == first.ns &&
			   d->last.tick == last.tick && d->last.slack == 4,
		   "%s: and the anchors", name);
	}
	tape_trace_close(t);
}

/* An event that starts before the end of the last is moved, and told. */
static void overlap(const char *meta)
{
	struct tape_event e = { .class_ = TAPE_CLASS_OFF, .polls = 1 };
	struct tape_output *o = begin("overlap", meta);
	struct tape_flow_writer *w = tape_flow_writer_open(o, 0, 0, 100);
	const struct tape_event *got;
	struct tape_trace *t;
	struct tape_flow *f;
	int first, second;

	e.start_ns = e.end_ns = 300;
	first = tape_flow_writer_put(w, &e);
	e.start_ns = e.end_ns = 200;
	second = tape_flow_writer_put(w, &e);
	tape_flow_writer_close(w, TAPE_END_NONE, 0);
	tape_output_commit(o);
	if (tape_trace_open(folder_path("overlap", NULL), &t) ||
	    tape_flow_open(t, 0, &f))
		exit(2);
	ok(!first && second == 1, "an overlap is told");
	ok(tape_flow_next(f, &got) == 1 && got->start_ns == 300 &&
		   tape_flow_next(f, &got) == 1 && got->start_ns == 300,
	   "and moved");
	ok(!tape_flow_next(f, &got) && tape_flow_end(f, NULL) == TAPE_END_NONE,
	   "a flow without an end has none");
	tape_flow_close(f);
	tape_trace_close(t);
}

/* rank.R written from a trace says the same as the trace's own. */
static void definitions(const char *meta)
{
	struct tape_output *o = begin("from", meta);
	const struct tape_rank_info *a, *b;
	struct tape_trace *t, *again;
	unsigned wrong = 0;

	tape_output_commit(o);
	if (tape_trace_open(folder_path("from", NULL), &t))
		exit(2);
	o = tape_output_begin(folder_path("to", NULL));
	tape_output_meta(o, t, "global", "clock 0 0 0 1 0 0\n", "test", 1);
	tape_write_rank(o, t, 0, NULL, 0);
	tape_output_commit(o);
	if (tape_trace_open(folder_path("to", NULL), &again)) {
		ok(0, "%s", tape_trace_error(again));
		exit(1);
	}
	a = tape_trace_rank(t, 0);
	b = tape_trace_rank(again, 0);
	for (size_t i = 0; i < a->n_sites; i++)
		wrong += i >= b->n_sites ||
			 a->sites[i].call != b->sites[i].call ||
			 (a->sites[i].file &&
			  strcmp(a->sites[i].file, b->sites[i].file)) ||
			 (a->sites[i].call &&
			  strcmp(a->sites[i].function, b->sites[i].function)) ||
			 a->sites[i].address != b->sites[i].address ||
			 a->sites[i].line != b->sites[i].line;
	ok(!wrong, "call sites are written anew as they were");
	ok(!strcmp(b->host, "node%") && b->pid == 9 &&
		   !strcmp(b->note, a->note) && b->comms[2].id == 2 &&
		   !strcmp(b->comms[1].name, "WORLD") &&
		   !strcmp(b->regions[2], "a b"),
	   "so are host, communicators, regions and note");
	wrong = b->n_counters != TAPE_COUNTERS_MAX;
	for (unsigned k = 0; !wrong && k < b->n_counters; k++)
		wrong = strcmp(b->counters[k].name, a->counters[k].name) ||
			strcmp(b->counters[k].unit, "KiB") ||
			b->counters[k].at_regions != (int)(k % 2) ||
			b->counters[k].own != 5 * (int)k - 3;
	ok(!wrong && !strcmp(b->counters[3].name, "a::b 3"),
	   "and the counters");
	ok(tape_trace_base(again) == TAPE_BASE_GLOBAL &&
		   !strcmp(tape_trace_meta(again, "history", 0), "test"),
	   "meta has the new base and the history");
	tape_trace_close(t);
	tape_trace_close(again);
}

int main(void)
{
	static const char global[] = "tape-trace 1\nranks 1\nbase global\n"
				     "domain 0 d h\nclock 0 0 0 1 0 0\n";
	static const char local[] = "tape-trace 1\nranks 1\nbase local\n"
				    "domain 0 d h\n";

	printf("# seed %llu\n", (unsigned long long)state);
	folder_make();
	atexit(folder_remove);
	round_trip("nanoseconds", global, 0);
	round_trip("raw", local, 1);
	overlap(global);
	definitions(global);
	return done();
}
