/* Events in order of time, one a line: JSON objects, or CSV. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"
#include "escape.h"
#include "json.h"
#include "place.h"
#include "tool.h"

/* Different field names that all classes have together, at most. */
enum { COLUMNS_MAX = 64 };

struct columns {
	const char *name[COLUMNS_MAX];
	unsigned n;
	/* counters that any rank has, by name: two columns each */
	const char **counter;
	unsigned n_counters;
	int intervals; /* of the dates are asked for */
};

typedef void printer(const struct tape_trace *t, const struct tape_event *e,
		     const struct columns *c);

static const struct tape_site_info *find_event_site(const struct tape_trace *t,
						    const struct tape_event *e)
{
	const struct tape_rank_info *r = tape_trace_rank(t, e->rank);

	uint32_t site = e->class_ == TAPE_CLASS_COUNTED ? e->u.counted.site
			: e->class_ == TAPE_CLASS_BLOCK ? e->u.block.site
							: e->site;

	return site && site < r->n_sites && r->sites[site].call
		       ? &r->sites[site]
		       : NULL;
}

static const char *find_event_region(const struct tape_trace *t,
				     const struct tape_event *e)
{
	const struct tape_rank_info *r = tape_trace_rank(t, e->rank);

	uint32_t region = e->class_ == TAPE_CLASS_COUNTED ? e->u.counted.region
			  : e->class_ == TAPE_CLASS_BLOCK ? e->u.block.region
							  : e->region;

	return region && region < r->n_regions ? r->regions[region] : NULL;
}

static const char *event_name(const struct tape_event *e)
{
	return e->call ? tape_call_name(e->call) : tape_class_name(e->class_);
}

/* A peer, and a communicator, as all ranks number them. */
struct world {
	int32_t peer;     /* its rank in the trace; -1: none, or not known */
	uint64_t comm;    /* identity; 0: none, or not known */
};

static struct world find_world_ids(const struct tape_trace *t,
				   const struct tape_event *e)
{
	const struct tape_rank_info *r = tape_trace_rank(t, e->rank);
	struct world w = { -1, 0 };
	struct tape_field f;
	int64_t peer = -1, actual = -1, comm = 0;

	for (unsigned i = 0;
	     dump_has_fields(e) && tape_class_field(e->class_, i, &f); i++) {
		if (!strcmp(f.name, "peer"))
			peer = tape_field_get(&e->u, &f);
		else if (!strcmp(f.name, "actual_peer"))
			actual = tape_field_get(&e->u, &f);
		else if (!strcmp(f.name, "comm"))
			comm = tape_field_get(&e->u, &f);
	}
	peer = actual >= 0 ? actual : peer;
	if (comm > 0 && (size_t)comm < r->n_comms)
		w.comm = r->comms[comm].id;
	if (peer >= 0 && peer <= INT32_MAX)
		w.peer = tape_peer_rank(t, e->rank, (uint32_t)comm,
					(int32_t)peer);
	return w;
}

/* ---- JSON ---- */

static void json_done(const struct tape_event *e)
{
	if (!e->n_done)
		return;
	printf(",\"done\":[");
	for (uint32_t i = 0; i < e->n_done; i++) {
		const struct tape_done *d = &e->done[i];

		printf("%s{\"request\":%" PRIu64, i ? "," : "", d->request);
		if (d->kind == TAPE_DONE_RECV)
			printf(",\"peer\":%d,\"tag\":%d,\"bytes\":%" PRIu64
			       ",\"arrived\":%u", d->peer, d->tag, d->bytes,
			       d->arrived);
		else if (d->kind == TAPE_DONE_CANCELLED)
			printf(",\"cancelled\":true");
		printf("}");
	}
	printf("]");
}

/* The call that a mark is about, and where it is. */
static void json_site(const struct tape_trace *t, const struct tape_event *e)
{
	const struct tape_site_info *s = find_event_site(t, e);

	if (s && !e->call)
		printf(",\"of\":\"%s\"", tape_call_name(s->call));
	if (s && s->file) {
		printf(",\"file\":");
		tape_json_string(s->file);
		printf(",\"line\":%d", s->line);
	}
	if (s && (s->file || *s->function)) {
		printf(",\"function\":");
		tape_json_string(s->function);
	}
	if (s && s->module) {
		printf(",\"module\":");
		tape_json_string(s->module);
		printf(",\"address\":%" PRIu64, s->address);
	}
	if (find_event_region(t, e)) {
		printf(",\"region\":");
		tape_json_string(find_event_region(t, e));
	}
}

static void json_counts(const struct tape_trace *t, const struct tape_event *e)
{
	const struct tape_rank_info *r = tape_trace_rank(t, e->rank);

	if (!e->n_counts)
		return;
	printf(",\"counters\":{");
	for (uint32_t i = 0; i < e->n_counts; i++) {
		if (i)
			putchar(',');
		tape_json_string(r->counters[i].name);
		printf(":{\"before\":%" PRId64 ",\"inside\":%" PRId64 "}",
		       e->counts[i].before, e->counts[i].inside);
	}
	printf("}");
}

static const char *const limits[] = { "start_lo_ns", "start_hi_ns",
				      "end_lo_ns", "end_hi_ns" };

/* Those four of an event. */
static void find_intervals(const struct tape_trace *t,
			   const struct tape_event *e, int64_t v[4])
{
	struct tape_interval start, end;

	tape_event_intervals(t, e, &start, &end);
	v[0] = start.lo_ns;
	v[1] = start.hi_ns;
	v[2] = end.lo_ns;
	v[3] = end.hi_ns;
}

static int is_bounded(int64_t ns)
{
	return ns != INT64_MIN && ns != INT64_MAX;
}

static void json_intervals(const struct tape_trace *t,
			   const struct tape_event *e)
{
	int64_t v[4];

	find_intervals(t, e, v);
	for (int i = 0; i < 4; i++)
		if (is_bounded(v[i]))
			printf(",\"%s\":%" PRId64, limits[i], v[i]);
		else
			printf(",\"%s\":null", limits[i]);
}

static void print_event_json(const struct tape_trace *t,
			     const struct tape_event *e,
			     const struct columns *c)
{
	struct tape_field field;
	struct world w;

	printf("{\"start_ns\":%" PRId64 ",\"end_ns\":%" PRId64 ",\"rank\":%d,"
	       "\"thread\":%d,\"call\":\"%s\"", e->start_ns, e->end_ns, e->rank,
	       e->thread, event_name(e));
	for (unsigned i = 0;
	     dump_has_fields(e) && tape_class_field(e->class_, i, &field); i++)
		if (dump_shows_field(e, &field) &&
		    (e->call || strcmp(field.name, "region"))) /* by name */
			printf(",\"%s\":%" PRId64, field.name,
			       tape_field_get(&e->u, &field));
	if (e->polls != 1)
		printf(",\"polls\":%" PRIu64 ",\"inside_ns\":%" PRId64,
		       e->polls, e->inside_ns);
	printf(",\"alpha_before_ns\":%.1f,\"alpha_after_ns\":%.1f",
	       e->alpha_before_ns, e->alpha_after_ns);
	if (e->also_polls)
		printf(",\"also_call\":\"%s\",\"also_polls\":%" PRIu64,
		       tape_call_name(e->also_call), e->also_polls);
	if (e->earlier_ns || e->later_ns)
		printf(",\"earlier_ns\":%" PRId64 ",\"later_ns\":%" PRId64,
		       e->earlier_ns, e->later_ns);
	if (e->request)
		printf(",\"request\":%" PRIu64, e->request);
	if (c->intervals)
		json_intervals(t, e);
	json_done(e);
	json_site(t, e);
	json_counts(t, e);
	w = find_world_ids(t, e);
	if (w.peer >= 0)
		printf(",\"peer_rank\":%d", w.peer);
	if (w.comm)
		printf(",\"comm_id\":%" PRIu64, w.comm);
	printf("}\n");
}

/* ---- CSV ---- */

static void find_columns(struct columns *c)
{
	struct tape_field field;
	unsigned k;

	for (unsigned class_ = 0; class_ < TAPE_CLASS_COUNT; class_++)
		for (unsigned i = 0; tape_class_field(class_, i, &field); i++) {
			if (!strcmp(field.name, "region"))
				continue;
			for (k = 0; k < c->n && strcmp(c->name[k], field.name);
			     k++)
				;
			if (k == c->n && c->n < COLUMNS_MAX)
				c->name[c->n++] = field.name;
		}
}

static void list_counter_columns(const struct tape_trace *t, struct columns *c)
{
	size_t n = 0;

	for (size_t r = 0; r < tape_trace_ranks(t); r++)
		n += tape_trace_rank(t, (int)r)->n_counters;
	c->counter = tape_must(malloc((n + 1) * sizeof *c->counter));
	for (size_t r = 0; r < tape_trace_ranks(t); r++) {
		const struct tape_rank_info *i = tape_trace_rank(t, (int)r);

		for (uint32_t k = 0; k < i->n_counters; k++) {
			const char *name = i->counters[k].name;
			unsigned at = 0;

			while (at < c->n_counters &&
			       strcmp(c->counter[at], name))
				at++;
			c->counter[at] = name;
			c->n_counters += at == c->n_counters;
		}
	}
}

/* Empty where the event's rank does not have the counter. */
static void csv_counts(const struct tape_trace *t, const struct tape_event *e,
		       const struct columns *c)
{
	const struct tape_rank_info *r = tape_trace_rank(t, e->rank);

	for (unsigned i = 0; i < c->n_counters; i++) {
		uint32_t k = 0;

		while (k < e->n_counts &&
		       strcmp(r->counters[k].name, c->counter[i]))
			k++;
		if (k < e->n_counts)
			printf(",%" PRId64 ",%" PRId64, e->counts[k].before,
			       e->counts[k].inside);
		else
			printf(",,");
	}
}

void dump_csv_word(const char *s)
{
	putchar(',');
	if (!s)
		return;
	tape_put_csv(stdout, s);
}

/* Empty where nothing bounds the date. */
static void csv_intervals(const struct tape_trace *t,
			  const struct tape_event *e)
{
	int64_t v[4];

	find_intervals(t, e, v);
	for (int i = 0; i < 4; i++)
		if (is_bounded(v[i]))
			printf(",%" PRId64, v[i]);
		else
			putchar(',');
}

static void print_event_csv(const struct tape_trace *t,
			    const struct tape_event *e, const struct columns *c)
{
	const struct tape_site_info *s = find_event_site(t, e);
	struct tape_field field;
	int64_t value[COLUMNS_MAX] = { 0 };
	int has[COLUMNS_MAX] = { 0 };
	struct world w;

	printf("%" PRId64 ",%" PRId64 ",%d,%d,%s", e->start_ns, e->end_ns,
	       e->rank, e->thread, event_name(e));
	dump_csv_word(s ? s->file ? s->file : s->module : NULL);
	if (s && s->file)
		printf(",%d", s->line);
	else if (s)
		printf(",0x%" PRIx64, s->address);
	else
		printf(",");
	dump_csv_word(s ? s->function : NULL);
	dump_csv_word(find_event_region(t, e));
	printf(",%.1f,%.1f,%" PRIu64 ",%" PRId64 ",%" PRIu64 ",%u",
	       e->alpha_before_ns, e->alpha_after_ns, e->polls, e->inside_ns,
	       e->request, e->n_done);
	for (unsigned i = 0;
	     dump_has_fields(e) && tape_class_field(e->class_, i, &field); i++)
		for (unsigned k = 0; k < c->n; k++)
			if (!strcmp(c->name[k], field.name)) {
				has[k] = 1;
				value[k] = tape_field_get(&e->u, &field);
			}
	for (unsigned k = 0; k < c->n; k++)
		if (has[k])
			printf(",%" PRId64, value[k]);
		else
			putchar(',');
	w = find_world_ids(t, e);
	if (w.peer >= 0)
		printf(",%d", w.peer);
	else
		putchar(',');
	if (w.comm)
		printf(",%" PRIu64, w.comm);
	else
		putchar(',');
	csv_counts(t, e, c);
	if (c->intervals)
		csv_intervals(t, e);
	putchar('\n');
}

/* ---- both ---- */

static void print_events(struct tape_trace *t, printer *print,
			 const struct columns *c)
{
	const struct tape_event *e;
	struct tape_merge *m;
	uint64_t n = 0, lost;
	int rc;

	if (tape_merge_open(t, &m))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	while ((rc = tape_merge_next(m, &e)) > 0) {
		print(t, e, c);
		if (!(++n & 0xffff))
			tape_progress(n, 0);
	}
	tape_progress(n, 1);
	if (rc < 0) {
		fflush(stdout);
		tape_die(TAPE_FAILED, "%s", tape_merge_error(m));
	}
	for (size_t i = 0; i < tape_trace_flows(t); i++) {
		enum tape_end end = tape_merge_end(m, i, &lost);

		dump_flow_warn(t, i, end, lost);
	}
	tape_merge_close(m);
}

void dump_json(struct tape_trace *t, int intervals)
{
	struct columns c = { .intervals = intervals };

	print_events(t, print_event_json, &c);
}

void dump_csv(struct tape_trace *t, int intervals)
{
	struct columns c = { .intervals = intervals };

	find_columns(&c);
	list_counter_columns(t, &c);
	printf("start_ns,end_ns,rank,thread,call,file,line,function,region,"
	       "alpha_before_ns,alpha_after_ns,polls,inside_ns,request,done");
	for (unsigned k = 0; k < c.n; k++)
		printf(",%s", c.name[k]);
	printf(",peer_rank,comm_id");
	for (unsigned k = 0; k < c.n_counters; k++) {
		char text[512];

		snprintf(text, sizeof text, "%.400s_before", c.counter[k]);
		dump_csv_word(text);
		snprintf(text, sizeof text, "%.400s_inside", c.counter[k]);
		dump_csv_word(text);
	}
	for (int i = 0; intervals && i < 4; i++)
		printf(",%s", limits[i]);
	printf("\n");
	print_events(t, print_event_csv, &c);
	free(c.counter);
}
