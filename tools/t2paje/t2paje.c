/*
 * t2paje: a trace -> Paje, for ViTE and pj_dump. Containers are the run, its
 * ranks and their threads; regions and calls are nested states of a thread,
 * messages are links between threads, counters are variables.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "export.h"
#include "file_output.h"
#include "ordered.h"
#include "tool.h"

static const struct tape_export_kind kind = {"t2paje", ".paje"};

/* Definitions of Paje's events and their fields. */
static const char definitions[] =
	"%EventDef PajeDefineContainerType 0\n"
	"% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
	"%EventDef PajeDefineStateType 1\n"
	"% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
	"%EventDef PajeDefineVariableType 2\n"
	"% Alias string\n% Type string\n% Name string\n% Color color\n"
	"%EndEventDef\n"
	"%EventDef PajeDefineLinkType 3\n"
	"% Alias string\n% Type string\n% StartContainerType string\n"
	"% EndContainerType string\n% Name string\n%EndEventDef\n"
	"%EventDef PajeDefineEntityValue 4\n"
	"% Alias string\n% Type string\n% Name string\n% Color color\n"
	"%EndEventDef\n"
	"%EventDef PajeCreateContainer 5\n"
	"% Time date\n% Alias string\n% Type string\n% Container string\n"
	"% Name string\n%EndEventDef\n"
	"%EventDef PajeDestroyContainer 6\n"
	"% Time date\n% Type string\n% Name string\n%EndEventDef\n"
	"%EventDef PajePushState 7\n"
	"% Time date\n% Type string\n% Container string\n% Value string\n"
	"%EndEventDef\n"
	"%EventDef PajePopState 8\n"
	"% Time date\n% Type string\n% Container string\n%EndEventDef\n"
	"%EventDef PajeSetVariable 9\n"
	"% Time date\n% Type string\n% Container string\n% Value double\n"
	"%EndEventDef\n"
	"%EventDef PajeStartLink 10\n"
	"% Time date\n% Type string\n% Container string\n% Value string\n"
	"% StartContainer string\n% Key string\n% Bytes string\n"
	"% Tag string\n%EndEventDef\n"
	"%EventDef PajeEndLink 11\n"
	"% Time date\n% Type string\n% Container string\n% Value string\n"
	"% EndContainer string\n% Key string\n%EndEventDef\n"
	"0 CR 0 Run\n0 CP CR Rank\n0 CT CP Thread\n"
	"1 S CT State\n3 L CR CT CT Message\n";

/* Colours of the groups of calls, also for colour-blind readers (Okabe, Ito).
 */
static const char *const colour[TAPE_DOES_COUNT] = {
	[TAPE_DOES_OTHER] = "0.6 0.6 0.6",
	[TAPE_DOES_LIFE] = "0.3 0.3 0.3",
	[TAPE_DOES_SEND] = "0.0 0.45 0.70",
	[TAPE_DOES_RECEIVE] = "0.84 0.37 0.0",
	[TAPE_DOES_SENDRECV] = "0.90 0.62 0.0",
	[TAPE_DOES_ISEND] = "0.34 0.71 0.91",
	[TAPE_DOES_IRECV] = "0.95 0.75 0.45",
	[TAPE_DOES_WAIT] = "0.84 0.37 0.0",
	[TAPE_DOES_TEST] = "0.94 0.89 0.26",
	[TAPE_DOES_PROBE] = "0.94 0.89 0.26",
	[TAPE_DOES_BARRIER] = "0.80 0.47 0.65",
	[TAPE_DOES_COLLECTIVE] = "0.0 0.62 0.45",
	[TAPE_DOES_ICOLLECTIVE] = "0.45 0.80 0.68",
	[TAPE_DOES_GROUPS] = "0.5 0.5 0.7",
	[TAPE_DOES_RMA] = "0.4 0.3 0.7",
	[TAPE_DOES_RMA_SYNC] = "0.6 0.4 0.8",
	[TAPE_DOES_IO] = "0.5 0.35 0.2",
	[TAPE_DOES_SKIPPED] = "0.8 0.8 0.8",
};

struct paje {
	struct tape_export *x;
	const struct tape_trace *t;
	struct tape_ordered *o;
	int64_t (*total)[TAPE_COUNTERS_MAX]; /* by flow, so far */
	uint64_t links;
	FILE *f;
};

/* ---- definitions ---- */

/* Writes a name in quotes. The format has no quotes inside names. */
static void put_quoted_name(FILE *f, const char *name)
{
	char text[600];

	tape_clean(name, text, sizeof text);
	for (char *p = text; *p; p++)
		if (*p == '"')
			*p = '\'';
	fprintf(f, "\"%s\"", *text ? text : "?");
}

static void define_calls(const struct paje *p)
{
	for (unsigned i = 1; i < TAPE_CALL_COUNT; i++) {
		const char *name = tape_call_name(i);
		enum tape_doing d = tape_doing_of(i, tape_call_class(i));

		if (strcmp(name, "?"))
			fprintf(p->f, "4 C%u S \"%s\" \"%s\"\n", i, name,
				colour[d]);
	}
}

/* Each rank has its own numbers of regions. */
static void define_regions(const struct paje *p)
{
	fprintf(p->f, "4 R S \"tracing off\" \"0.9 0.9 0.9\"\n");
	for (size_t k = 0; k < tape_trace_ranks(p->t); k++) {
		const struct tape_rank_info *r =
			tape_trace_rank(p->t, (int)k);

		for (size_t i = 1; i < r->n_regions; i++) {
			if (!r->regions[i])
				continue;
			fprintf(p->f, "4 R%zu.%zu S ", k, i);
			put_quoted_name(p->f, r->regions[i]);
			fputs(" \"0.75 0.85 0.95\"\n", p->f);
		}
	}
}

static void define_variables(const struct paje *p)
{
	for (size_t k = 0; k < tape_trace_ranks(p->t); k++) {
		const struct tape_rank_info *r =
			tape_trace_rank(p->t, (int)k);

		for (uint32_t i = 0; i < r->n_counters; i++) {
			fprintf(p->f, "2 V%zu.%u CT ", k, i);
			put_quoted_name(p->f, r->counters[i].name);
			fputs(" \"0.0 0.45 0.70\"\n", p->f);
		}
	}
}

static void create_containers(const struct paje *p)
{
	int last = -1;

	fputs("5 0.000000000 run CR 0 \"run\"\n", p->f);
	for (size_t i = 0; i < tape_trace_flows(p->t); i++) {
		const struct tape_flow_info *l = tape_trace_flow(p->t, i);

		if (l->rank != last)
			fprintf(p->f, "5 0.000000000 P%d CP run \"rank %d\"\n",
				l->rank, l->rank);
		last = l->rank;
		fprintf(p->f, "5 0.000000000 T%d.%d CT P%d \"rank %d thread "
			"%d\"\n", l->rank, l->thread, l->rank, l->rank,
			l->thread);
	}
}

/* ---- lines ---- */

/* "7 1.000000000 S T0.0" */
static char *begin_paje_line(struct paje *p, const char *event, int64_t ns,
			     const char *type, int rank, int thread)
{
	char *q = tape_text(tape_ordered_reserve(p->o), event);

	q = tape_text_s(tape_text(q, " "), ns);
	q = tape_text(tape_text(tape_text(q, " "), type), " T");
	q = tape_text_number(q, rank);
	return tape_text_number(tape_text(q, "."), thread);
}

static void add_paje_line(struct paje *p, int64_t ns, char *end)
{
	tape_ordered_add(p->o, ns, tape_text(end, "\n"));
}

static void put_region_state(struct paje *p, const struct tape_step *s)
{
	int opens = s->kind == TAPE_STEP_OPEN;
	char *q = begin_paje_line(p, opens ? "7" : "8", s->from_ns, "S",
				  s->rank, s->thread);

	if (opens && s->region) {
		q = tape_text_number(tape_text(q, " R"), s->rank);
		q = tape_text_unsigned(tape_text(q, "."), s->region);
	} else if (opens) {
		q = tape_text(q, " R");
	}
	add_paje_line(p, s->from_ns, q);
}

static void put_call_state(struct paje *p, const struct tape_step *s)
{
	char *q = begin_paje_line(p, "7", s->from_ns, "S", s->rank, s->thread);

	add_paje_line(p, s->from_ns,
		      tape_text_unsigned(tape_text(q, " C"), s->call));
	add_paje_line(
	    p, s->to_ns,
	    begin_paje_line(p, "8", s->to_ns, "S", s->rank, s->thread));
}

/* Adds a link. A message received before it was sent cannot be a link. */
static void put_message_link(struct paje *p, const struct tape_step *s)
{
	const struct tape_flow_info *from = tape_trace_flow(p->t, s->flow);
	const struct tape_flow_info *to = tape_trace_flow(p->t, s->to_flow);
	char *q;

	if (s->backward)
		return;
	p->links++;
	for (int i = 0; i < 2; i++) {
		int64_t ns = i ? s->to_ns : s->from_ns;
		const struct tape_flow_info *l = i ? to : from;

		q = tape_text(tape_ordered_reserve(p->o), i ? "11 " : "10 ");
		q = tape_text(tape_text_s(q, ns), " L run message T");
		q = tape_text(tape_text_number(q, l->rank), ".");
		q = tape_text(tape_text_number(q, l->thread), " ");
		q = tape_text_unsigned(q, p->links);
		if (!i) {
			q = tape_text(q, " ");
			q = tape_text_unsigned(q, s->message->bytes);
			q = tape_text(q, " ");
			q = tape_text_number(q, s->message->tag);
		}
		add_paje_line(p, ns, q);
	}
}

static void put_counter_variable(struct paje *p, const struct tape_step *s,
				 uint32_t i, int64_t ns, int64_t more)
{
	int64_t *total = &p->total[s->flow][i];
	char type[32], *q;

	*total = (int64_t)((uint64_t)*total + (uint64_t)more);
	if (!tape_export_in_window(p->x, s))
		return;
	snprintf(type, sizeof type, "V%d.%u", s->rank, i);
	q = begin_paje_line(p, "9", ns, type, s->rank, s->thread);
	add_paje_line(p, ns, tape_text_number(tape_text(q, " "), *total));
}

static void put_counter_variables(struct paje *p, const struct tape_step *s)
{
	const struct tape_rank_info *r = tape_trace_rank(p->t, s->rank);
	const struct tape_event *e = s->event;

	for (uint32_t i = 0; i < e->n_counts && i < r->n_counters; i++) {
		put_counter_variable(p, s, i, s->from_ns, e->counts[i].before);
		if (e->counts[i].inside)
			put_counter_variable(p, s, i, s->to_ns,
					     e->counts[i].inside);
	}
}

static void put_paje_step(struct paje *p, const struct tape_step *s)
{
	switch (s->kind) {
	case TAPE_STEP_OPEN:
	case TAPE_STEP_CLOSE:
		put_region_state(p, s);
		break;
	case TAPE_STEP_CALL:
		put_call_state(p, s);
		break;
	case TAPE_STEP_COUNTS:
		put_counter_variables(p, s);
		break;
	case TAPE_STEP_MESSAGE:
		put_message_link(p, s);
		break;
	}
}

/* Ends threads, ranks and the run at the end of the trace. */
static void destroy_containers(const struct paje *p)
{
	char time[32];
	int last = -1;

	*tape_text_s(time, tape_export_end_ns(p->x)) = '\0';
	for (size_t i = 0; i < tape_trace_flows(p->t); i++) {
		const struct tape_flow_info *l = tape_trace_flow(p->t, i);

		fprintf(p->f, "6 %s CT T%d.%d\n", time, l->rank, l->thread);
	}
	for (size_t i = 0; i < tape_trace_flows(p->t); i++) {
		const struct tape_flow_info *l = tape_trace_flow(p->t, i);

		if (l->rank != last)
			fprintf(p->f, "6 %s CP P%d\n", time, l->rank);
		last = l->rank;
	}
	fprintf(p->f, "6 %s CR run\n", time);
}

int main(int argc, char **argv)
{
	struct paje p = { .x = tape_export_open(argc, argv, &kind) };
	struct tape_step s;

	p.t = tape_export_trace(p.x);
	p.o = tape_ordered_new();
	p.total = tape_must(calloc(tape_trace_flows(p.t) + 1, sizeof *p.total));
	p.f = tape_export_begin_file(p.x);
	fprintf(p.f, "# %s\n", tape_export_base_text(p.x));
	fputs(definitions, p.f);
	define_calls(&p);
	define_regions(&p);
	define_variables(&p);
	fputs("4 message L \"message\" \"0 0 0\"\n", p.f);
	create_containers(&p);
	while (tape_export_next(p.x, &s))
		put_paje_step(&p, &s);
	tape_ordered_write(p.o, p.f);
	destroy_containers(&p);
	tape_file_commit();
	tape_ordered_free(p.o);
	free(p.total);
	tape_export_close(p.x);
	return TAPE_DONE;
}
