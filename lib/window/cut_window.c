/* A window of a trace, from its beginning to its end; see cut.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "number_text.h"
#include "cut_state.h"
#include "tape_files.h"
#include "tool.h"

/* Reads the number at *text and moves *text after it. Returns 0 if there is
 * none. */
static int parse_window_time(const char **text, double *number)
{
	return !tape_parse_real(*text, -INFINITY, INFINITY, number, text);
}

void tape_cut_window(const char *text, int64_t *from_ns, int64_t *to_ns)
{
	double from = 0, to = INFINITY;
	const char *p = text;
	int good = *p == ',' || parse_window_time(&p, &from);

	/* what has no end goes on to that of the trace */
	if (good && *p == ',' && *++p)
		good = parse_window_time(&p, &to);
	if (!good || *p || !(from >= 0 && from < 9e9) || !(to > from))
		tape_die(TAPE_USAGE,
			 "%s: not a window: expected FROM,TO in seconds after "
			 "MPI_Init, or FROM for the rest of the run",
			 text);
	*from_ns = (int64_t)(from * 1e9);
	*to_ns = to < 9e9 ? (int64_t)(to * 1e9) : INT64_MAX;
}

struct tape_cut *cut_alloc(const struct tape_trace *t, int64_t from_ns,
			   int64_t to_ns)
{
	struct tape_cut *c = tape_must(calloc(1, sizeof *c));

	c->t = t;
	c->from_ns = from_ns;
	c->to_ns = to_ns;
	c->flows = tape_trace_flows(t);
	c->flow = tape_must(calloc(c->flows + 1, sizeof *c->flow));
	c->prune_at = 1;
	if (to_ns == INT64_MAX)
		snprintf(c->window, sizeof c->window, "from %.9g s on",
			 (double)from_ns / 1e9);
	else
		snprintf(c->window, sizeof c->window, "%.9g to %.9g s",
			 (double)from_ns / 1e9, (double)to_ns / 1e9);
	return c;
}

struct tape_cut *tape_cut_new(const struct tape_trace *t, const char *path,
			      int64_t from_ns, int64_t to_ns)
{
	struct tape_cut *c = cut_alloc(t, from_ns, to_ns);

	c->out = tape_output_begin(path);
	return c;
}

static int64_t add_saturating(int64_t ns, int64_t more)
{
	int64_t sum;

	return __builtin_add_overflow(ns, more, &sum) ? INT64_MAX : sum;
}

int cut_is_init(const struct tape_event *e)
{
	return e->call == TAPE_CALL_MPI_Init ||
	       e->call == TAPE_CALL_MPI_Init_thread;
}

/* What the window counts from. */
void cut_set_origin(struct tape_cut *c, int64_t ns)
{
	c->dated = 1;
	c->within = c->from_ns <= 0;
	c->from_ns = add_saturating(ns, c->from_ns);
	c->to_ns = add_saturating(ns, c->to_ns);
}

/* ---- it begins ---- */

/* The regions of the flow between events: i may be about to change them. */
static void open_regions(const struct tape_replay *r, struct cut_flow *f,
			 size_t flow, const struct tape_item *i)
{
	const struct tape_event *doing = tape_replay_current_event(r, flow);
	const struct tape_event *ended =
	    i && i->kind == TAPE_ITEM_END && i->flow == flow ? i->event : NULL;
	size_t n, k;
	const uint32_t *list = tape_replay_regions(r, flow, &n);

	if (doing && doing->class_ == TAPE_CLASS_ENTER && n)
		n--;
	if (ended && ended->class_ == TAPE_CLASS_LEAVE) {
		for (k = n; k && list[k - 1] != ended->region; k--)
			;
		n = k ? k - 1 : n;
	}
	f->regions = tape_must(calloc(n + 1, sizeof *f->regions));
	if (n)
		memcpy(f->regions, list, n * sizeof *list);
	f->n_regions = n;
}

/* Sends of events in progress that have been received are not in flight. */
static void find_received_sends(struct tape_cut *c, const struct tape_replay *r)
{
	for (size_t i = 0; i < c->flows; i++) {
		const struct tape_event *e = tape_replay_current_event(r, i);

		if (!e)
			continue;
		c->flow[i].events++;
		cut_store_event(c, &c->flow[i], e);
	}
	cut_prune(c, r);
	for (size_t i = 0; i < c->flows; i++) {
		const struct tape_event *e = tape_replay_current_event(r, i);
		struct cut_flow *f = &c->flow[i];
		const struct cut_stored *k;

		if (!e)
			continue;
		k = cut_find_stored(f, f->events--);
		f->silent = !k || !k->sends;
		if (k) { /* it comes by itself */
			free((void *)(uintptr_t)k->e.done);
			f->n--;
			c->kept--;
		}
	}
}

void cut_begin_window(struct tape_cut *c, const struct tape_replay *r,
		      const struct tape_item *i)
{
	c->within = 1;
	find_received_sends(c, r);
	for (size_t k = 0; k < c->flows; k++)
		if (c->flow[k].events)
			open_regions(r, &c->flow[k], k, i);
}

/* ---- items ---- */

static void handle_event_end(struct tape_cut *c, const struct tape_replay *r,
			     const struct tape_event *e)
{
	struct cut_flow *f = &c->flow[e->flow];

	if (!c->within) {
		f->events++;
		cut_store_event(c, f, e);
		f->last_tick = e->end_tick;
		f->last_ns = e->end_ns;
		if (!c->together && c->kept >= c->prune_at)
			cut_prune(c, r);
		return;
	}
	if (f->over)
		return;
	if (e->start_ns >= c->to_ns) {
		cut_close(c, e->flow, e, TAPE_END_FINALIZE, 0);
		return;
	}
	cut_write(c, e);
	f->events++;
	f->last_tick = e->end_tick;
	f->last_ns = e->end_ns;
}

void tape_cut_item(struct tape_cut *c, const struct tape_replay *r,
		   const struct tape_item *i)
{
	if (c->together && i->kind == TAPE_ITEM_ROUND)
		cut_note_collective(c, i->round);
	if (i->kind != TAPE_ITEM_BEGIN && i->kind != TAPE_ITEM_END)
		return;
	if (!c->dated && i->kind == TAPE_ITEM_BEGIN && cut_is_init(i->event))
		return; /* from its end on */
	if (!c->dated)
		cut_set_origin(c, cut_is_init(i->event) ? i->event->end_ns
							: i->event->start_ns);
	if (i->kind == TAPE_ITEM_END)
		handle_event_end(c, r, i->event);
	if (c->within || i->ns <= c->from_ns)
		return;
	if (c->together)
		cut_stop_replay(c);
	else
		cut_begin_window(c, r, i);
}

/* ---- it ends ---- */

/* Of a corrected trace: dates by ticks. */
static void write_clock_pieces(const struct tape_trace *t, FILE *f)
{
	const char *base = tape_trace_meta(t, "base", 0);

	if (!base || !strcmp(base, "local"))
		return;
	for (uint32_t i = 0; i < tape_trace_domains(t); i++) {
		const struct tape_domain_info *d = tape_trace_domain(t, i);

		for (size_t k = 0; k < d->n_pieces; k++)
			fprintf(f,
				"clock %" PRIu32 " %" PRIu64 " %" PRId64
				" %.17g %" PRId64 " %" PRId64 "\n",
				i, d->pieces[k].tick0, d->pieces[k].ns0,
				d->pieces[k].rate, d->pieces[k].lo_ns,
				d->pieces[k].hi_ns);
	}
}

static void write_window_meta(const struct tape_cut *c, const char *history)
{
	static const char *const kept[] = {
	    "program", "command", "date",    "ranks", "library",
	    "version", "stream",  "alpha",   "eager", "filter",
	    "noise",   "base",    "domain",  "history", NULL};
	const char *v;
	FILE *f = tape_output_stream(c->out, "meta");

	fputs("tape-trace 1\n", f);
	for (int k = 0; kept[k]; k++)
		for (size_t n = 0; (v = tape_trace_meta(c->t, kept[k], n)); n++)
			fprintf(f, "%s %s\n", kept[k], v);
	write_clock_pieces(c->t, f);
	tape_output_classes(f);
	fprintf(f, "filter window");
	tape_write_word(f, c->window);
	fprintf(f, "\nhistory %s", history);
	tape_write_word(f, c->window);
	fputc('\n', f);
	tape_output_end(c->out, f, "meta");
}

static int has_file(const struct tape_trace *t, const char *name)
{
	return tape_trace_bytes(t, name, 0, NULL, 0) >= 0;
}

static void copy_file(struct tape_cut *c, const char *name)
{
	if (has_file(c->t, name))
		tape_output_take(c->out, c->t, name, UINT64_MAX);
}

/* It has its name, if there is an event. */
static void finish_output(struct tape_cut *c, uint64_t events,
			  const char *history)
{
	char name[32];

	if (!events) {
		tape_output_abandon(c->out);
		return;
	}
	for (size_t i = 0; i < tape_trace_ranks(c->t); i++) {
		snprintf(name, sizeof name, "rank.%zu", i);
		copy_file(c, name);
	}
	copy_file(c, "clocks");
	copy_file(c, "sites");
	write_window_meta(c, history);
	tape_output_commit(c->out);
}

uint64_t tape_cut_end(struct tape_cut *c, const struct tape_replay *r,
		      const char *history)
{
	uint64_t events, lost = 0;

	for (size_t i = 0; i < c->flows; i++) {
		struct cut_flow *f = &c->flow[i];
		enum tape_end end = tape_replay_end(r, i, &lost);

		if (!cut_is_own_flow(c, i))
			continue;
		cut_close(c, i, NULL, end, lost);
		cut_free_stored(c, f);
		free(f->regions);
		free(f->requests);
	}
	events = c->together ? cut_all_events(c) : c->events;
	if (cut_is_process_0(c))
		finish_output(c, events, history);
	cut_parallel_free(c);
	free(c->flow);
	free(c->done);
	free(c->ending);
	free(c->started);
	free(c);
	return events;
}
