/* The contract of exports as checks; see steps.h. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "steps.h"

#define MUST(condition) \
	((condition) ? (void)0 : broken(__LINE__, #condition))

/* What the export says, in place of standard error. */
static char *said;
static size_t said_n;
static FILE *terminal;

static void broken(int line, const char *what)
{
	fflush(stderr);
	fprintf(terminal, "%s%s:%d: exports broke their contract: %s\n",
		said ? said : "", __FILE__, line, what);
	abort();
}

/* exit: a trace that the analysis goes through is no reason to give up. */
static void died(void)
{
	if (terminal)
		broken(__LINE__, "it has no reason to give up");
}

/* Of a flow: the regions that are open, and where its time is. */
struct lane {
	uint32_t *open;
	size_t n, room;
	int64_t last_ns;
};

static void push(struct lane *l, uint32_t region)
{
	if (l->n == l->room) {
		l->room = 2 * l->room + 8;
		l->open = realloc(l->open, l->room * sizeof *l->open);
		MUST(l->open);
	}
	l->open[l->n++] = region;
}

/* OPEN, CALL, CLOSE: in order and nested. */
static void check_order(struct lane *l, const struct tape_step *s)
{
	MUST(s->from_ns >= l->last_ns && s->to_ns >= s->from_ns);
	l->last_ns = s->to_ns;
	if (s->kind == TAPE_STEP_OPEN) {
		MUST(s->from_ns == s->to_ns && s->event);
		push(l, s->region);
	} else if (s->kind == TAPE_STEP_CLOSE) {
		MUST(s->from_ns == s->to_ns && l->n);
		MUST(l->open[--l->n] == s->region);
	}
}

static void check_call(struct tape_export *x, const struct tape_step *s)
{
	const struct tape_comm_info *c = tape_export_comm(x, s->event);

	MUST(s->event && s->call && s->calls);
	MUST(*tape_call_name(s->call) != '?');
	MUST(s->doing < TAPE_DOES_COUNT && *tape_doing_name(s->doing));
	MUST(!c || (c->index && c->members));
}

static void check_step(struct tape_export *x, struct lane *lanes,
		       const struct tape_step *s)
{
	size_t flows = tape_trace_flows(tape_export_trace(x));
	const struct tape_flow_info *f;

	MUST(s->flow < flows);
	f = tape_trace_flow(tape_export_trace(x), s->flow);
	MUST(s->rank == f->rank && s->thread == f->thread);
	switch (s->kind) {
	case TAPE_STEP_OPEN:
	case TAPE_STEP_CLOSE:
		MUST(*tape_export_region_name(x, s) || s->region);
		check_order(&lanes[s->flow], s);
		return;
	case TAPE_STEP_CALL:
		check_order(&lanes[s->flow], s);
		check_call(x, s);
		MUST(tape_export_in_window(x, s));
		return;
	case TAPE_STEP_COUNTS:
		MUST(s->event && s->event->n_counts);
		return;
	case TAPE_STEP_MESSAGE:
		MUST(s->message && !s->event && s->to_flow < flows);
		MUST(s->message->state == TAPE_MATCHED);
		MUST(!s->backward == (s->to_ns >= s->from_ns));
		MUST(tape_export_in_window(x, s));
		return;
	}
	MUST(0 && "a kind of step");
}

static void run(char **argv, int argc)
{
	static const struct tape_export_kind kind = { "t2paje", ".none" };
	struct tape_export *x;
	struct tape_step s;
	struct lane *lanes;
	size_t flows;

	optind = 0; /* from the start */
	x = tape_export_open(argc, argv, &kind);
	flows = tape_trace_flows(tape_export_trace(x));
	lanes = calloc(flows + 1, sizeof *lanes);
	MUST(lanes && *tape_export_base_text(x));
	while (tape_export_next(x, &s))
		check_step(x, lanes, &s);
	MUST(!tape_export_next(x, &s));
	for (size_t i = 0; i < flows; i++) {
		MUST(!lanes[i].n);
		MUST(lanes[i].last_ns <= tape_export_flow_end_ns(x, i));
		MUST(tape_export_flow_end_ns(x, i) <= tape_export_end_ns(x));
		free(lanes[i].open);
	}
	free(lanes);
	tape_export_close(x);
}

/* Names of the trace are in what was said; they leave the terminal alone. */
static void check_said(void)
{
	for (const char *p = said; p && *p; p++)
		MUST(*p == '\n' || (unsigned char)*p >= ' ');
}

void fuzz_check_steps(const char *path, int window)
{
	char name[] = "fuzz", from[] = "--from=0.000001", to[] = "--to=0.0001";
	char *trace = strdup(path);
	char *all[] = { name, trace, NULL };
	char *part[] = { name, from, to, trace, NULL };
	static int first = 1;

	if (first)
		atexit(died);
	first = 0;
	terminal = stderr;
	said = NULL;
	stderr = open_memstream(&said, &said_n);
	MUST(trace && stderr);
	run(window ? part : all, window ? 4 : 2);
	fclose(stderr);
	stderr = terminal;
	check_said();
	terminal = NULL;
	free(said);
	free(trace);
}
