/*
 * t2paraver: a trace -> Paraver, three files: .prv with states, events and
 * communications, .pcf and .row (legend.h). A task is a rank.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "number_text.h"
#include "comms.h"
#include "file_output.h"
#include "legend.h"
#include "ordered.h"
#include "tool.h"

static const struct tape_export_kind kind = {"t2paraver", ".prv"};

struct paraver {
	struct tape_export *x;
	const struct tape_trace *t;
	struct tape_ordered *o;
	struct paraver_comms *comms;
	struct paraver_numbers numbers;
	struct lane {
		int64_t last_ns;   /* end of the last call */
		int thread, task;  /* from 1 */
		uint32_t first;    /* value of the rank's call site 0 */
	} *lanes;
};

/* ---- lines ---- */

/* "2:1:1:1:1" */
static char *put_object(char *p, const struct lane *l)
{
	p = tape_text_number(tape_text(p, ":"), l->task);
	p = tape_text_number(tape_text(p, ":1:"), l->task);
	return tape_text_number(tape_text(p, ":"), l->thread);
}

static void add_prv_line(struct paraver *v, int64_t ns, char *end)
{
	tape_ordered_add(v->o, ns, tape_text(end, "\n"));
}

static void add_state_line(struct paraver *v, const struct lane *l,
			   int64_t from, int64_t to, int what)
{
	char *p = tape_text(tape_ordered_reserve(v->o), "1");

	if (from >= to)
		return;
	p = tape_text_number(tape_text(put_object(p, l), ":"), from);
	p = tape_text_number(tape_text(p, ":"), to);
	add_prv_line(v, from, tape_text_number(tape_text(p, ":"), what));
}

static char *begin_event_line(struct paraver *v, const struct lane *l,
			      int64_t ns)
{
	char *p = tape_text(tape_ordered_reserve(v->o), "2");

	return tape_text_number(tape_text(put_object(p, l), ":"), ns);
}

static char *put_event_value(char *p, int type, uint64_t value)
{
	p = tape_text_number(tape_text(p, ":"), type);
	return tape_text_unsigned(tape_text(p, ":"), value);
}

static void add_region_event(struct paraver *v, const struct tape_step *s)
{
	struct lane *l = &v->lanes[s->flow];
	uint64_t which = s->kind == TAPE_STEP_OPEN && s->region
				 ? l->first + s->region
				 : 0;

	add_prv_line(v, s->from_ns,
		     put_event_value(begin_event_line(v, l, s->from_ns),
				     PARAVER_REGION, which));
}

static void add_call_events(struct paraver *v, const struct tape_step *s)
{
	struct lane *l = &v->lanes[s->flow];
	int type = paraver_type(s->call, tape_call_class(s->call));
	char *p;

	add_state_line(v, l, l->last_ns, s->from_ns, PARAVER_RUNNING);
	add_state_line(v, l, s->from_ns, s->to_ns, paraver_state(s->doing));
	l->last_ns = s->to_ns;
	p = put_event_value(begin_event_line(v, l, s->from_ns), type,
			    paraver_value(s->call));
	if (s->event && s->event->class_ == TAPE_CLASS_COLL &&
	    s->event->u.coll.part != TAPE_PART_BEGINNING) {
		const struct tape_coll *c = &s->event->u.coll;
		const struct tape_comm_info *o =
			tape_export_comm(v->x, s->event);

		p = put_event_value(p, PARAVER_BYTES_SENT, c->bytes);
		p = put_event_value(p, PARAVER_BYTES_RECEIVED, c->rbytes);
		if (o && o->side < 0 && o->rank == c->root)
			p = put_event_value(p, PARAVER_ROOT, 1);
		p = put_event_value(p, PARAVER_COMMUNICATOR,
				    paraver_comm(v->comms, s->rank, c->comm));
	}
	if (s->event && s->event->site)
		p = put_event_value(p, PARAVER_SITE, l->first + s->event->site);
	add_prv_line(v, s->from_ns, p);
	add_prv_line(
	    v, s->to_ns,
	    put_event_value(begin_event_line(v, l, s->to_ns), type, 0));
}

/* Adds the counters as counts since the previous event. */
static void add_counter_events(struct paraver *v, const struct tape_step *s)
{
	const struct tape_event *e = s->event;
	const struct lane *l = &v->lanes[s->flow];

	if (!e->n_counts || !tape_export_in_window(v->x, s))
		return;
	for (int after = 0; after < 2; after++) {
		int64_t ns = after ? s->to_ns : s->from_ns;
		char *p = begin_event_line(v, l, ns);

		for (uint32_t i = 0; i < e->n_counts; i++)
			p = put_event_value(
			    p, PARAVER_COUNTER + (int)i,
			    (uint64_t)(after ? e->counts[i].inside
					     : e->counts[i].before));
		add_prv_line(v, ns, p);
	}
}

/* Adds a communication, a line for both ends. A message received before it was
 * sent cannot be written. */
static void add_communication(struct paraver *v, const struct tape_step *s)
{
	const struct tape_message *m = s->message;
	char *p = tape_text(tape_ordered_reserve(v->o), "3");

	if (s->backward)
		return;
	p = put_object(p, &v->lanes[s->flow]);
	for (int i = 0; i < 2; i++)
		p = tape_text_number(tape_text(p, ":"), s->from_ns);
	p = put_object(p, &v->lanes[s->to_flow]);
	for (int i = 0; i < 2; i++)
		p = tape_text_number(tape_text(p, ":"), s->to_ns);
	p = tape_text_unsigned(tape_text(p, ":"), m->bytes);
	p = tape_text_number(tape_text(p, ":"), m->tag < 0 ? 0 : m->tag);
	add_prv_line(v, s->from_ns, p);
}

static void add_prv_step(struct paraver *v, const struct tape_step *s)
{
	switch (s->kind) {
	case TAPE_STEP_OPEN:
	case TAPE_STEP_CLOSE:
		add_region_event(v, s);
		break;
	case TAPE_STEP_CALL:
		add_call_events(v, s);
		break;
	case TAPE_STEP_COUNTS:
		add_counter_events(v, s);
		break;
	case TAPE_STEP_MESSAGE:
		add_communication(v, s);
		break;
	}
}

/* ---- the head ---- */

/* Writes the header. A task is a rank. A rank that the trace lacks has one idle
 * thread. */
static void write_prv_header(const struct paraver *v, FILE *f)
{
	const char *date = tape_trace_meta(v->t, "date", 0);
	time_t when = (time_t)tape_leading_number(date, 10);
	size_t flows = tape_trace_flows(v->t), at = 0;
	int ranks = (int)tape_trace_ranks(v->t), nodes = v->numbers.nodes;
	int *cpus = tape_must(calloc((size_t)nodes + 1, sizeof *cpus));
	struct tm tm = { .tm_mday = 1, .tm_year = 70 };

	gmtime_r(&when, &tm);
	for (int i = 0; i < ranks; i++)
		cpus[v->numbers.node[i]]++;
	fprintf(f, "#Paraver (%02d/%02d/%02d at %02d:%02d):%" PRId64 "_ns:%d(",
		tm.tm_mday, tm.tm_mon + 1, tm.tm_year % 100, tm.tm_hour,
		tm.tm_min, tape_export_end_ns(v->x), nodes);
	for (int n = 1; n <= nodes; n++)
		fprintf(f, "%s%d", n > 1 ? "," : "", cpus[n]);
	free(cpus);
	fprintf(f, "):1:%d(", ranks);
	for (int i = 0; i < ranks; i++) {
		int threads = 0;

		for (; at < flows && tape_trace_flow(v->t, at)->rank == i; at++)
			threads++;
		fprintf(f, "%s%d:%d", i ? "," : "", threads ? threads : 1,
			v->numbers.node[i]);
	}
	putc(')', f);
	paraver_comms_put(v->comms, f);
}

static struct lane *new_lanes(const struct paraver_numbers *v)
{
	const struct tape_trace *t = v->t;
	size_t n = tape_trace_flows(t);
	struct lane *l = calloc(n + 1, sizeof *l);

	if (!l)
		tape_die_no_memory();
	for (size_t i = 0; i < n; i++) {
		int rank = tape_trace_flow(t, i)->rank;

		l[i].task = rank + 1;
		l[i].thread = i && l[i - 1].task == l[i].task
				      ? l[i - 1].thread + 1
				      : 1;
		l[i].first = v->first[rank];
	}
	return l;
}

/* Opens a companion file: app.prv -> app.pcf. */
static FILE *open_companion_file(const struct tape_export *x,
				 const char *ending)
{
	const char *name = tape_export_name(x), *dot = strrchr(name, '.');
	char other[4400];
	size_t n = dot && !strchr(dot, '/') ? (size_t)(dot - name)
					    : strlen(name);

	snprintf(other, sizeof other, "%.*s%s", (int)n, name, ending);
	return tape_file_begin(other);
}

int main(int argc, char **argv)
{
	struct paraver v = { .x = tape_export_open(argc, argv, &kind) };
	struct tape_step s;
	FILE *f;

	if (!strcmp(tape_export_name(v.x), "-"))
		tape_die(
		    TAPE_USAGE,
		    "the three files cannot be written to standard output");
	v.t = tape_export_trace(v.x);
	v.o = tape_ordered_new();
	v.numbers = paraver_numbers_new(v.t);
	v.lanes = new_lanes(&v.numbers);
	v.comms = paraver_comms_new(v.t);
	f = tape_export_begin_file(v.x);
	while (tape_export_next(v.x, &s))
		add_prv_step(&v, &s);
	write_prv_header(&v, f);
	tape_ordered_write(v.o, f);
	paraver_write_pcf(open_companion_file(v.x, ".pcf"), &v.numbers);
	paraver_write_row(open_companion_file(v.x, ".row"), &v.numbers);
	tape_file_commit();
	tape_ordered_free(v.o);
	paraver_comms_free(v.comms);
	free(v.lanes);
	paraver_numbers_free(&v.numbers);
	tape_export_close(v.x);
	return TAPE_DONE;
}
