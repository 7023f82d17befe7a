/*
 * t2chrome: a trace -> Chrome's trace events as JSON, for Perfetto and
 * chrome://tracing. A rank is a process; regions and calls are slices, messages
 * are flows between slices, counters are tracks.
 *
 * The format requires an order only for events of one thread with equal times;
 * readers sort. So events are written in the order of the steps. Both ends of
 * an arrow are written when its end is known.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "export.h"
#include "file_output.h"
#include "json.h"
#include "ordered.h"
#include "position.h"
#include "tool.h"

static const struct tape_export_kind kind = {"t2chrome", ".json"};

/* Number of arrows that Perfetto draws quickly. */
enum { ARROWS = 10000 };

struct chrome {
	struct tape_export *x;
	const struct tape_trace *t;
	struct args *args;
	FILE *f;
	char text[TAPE_ORDERED_LINE];        /* a line */
	int64_t (*total)[TAPE_COUNTERS_MAX]; /* by flow, so far */
	uint64_t arrows;
};

/* ---- lines ---- */

/* ,{"ph":"X","pid":0,"tid":0,"ts":1.000 */
static char *begin_chrome_event(struct chrome *c, char phase, int rank,
				int thread, int64_t ns)
{
	char *p = tape_text(c->text, ",\n{\"ph\":\"");

	*p++ = phase;
	p = tape_text_number(tape_text(p, "\",\"pid\":"), rank);
	p = tape_text_number(tape_text(p, ",\"tid\":"), thread);
	return tape_text_us(tape_text(p, ",\"ts\":"), ns);
}

/* Writes the text up to end. Errors show when the file is committed. */
static void write_chrome_event(struct chrome *c, const char *end)
{
	fwrite_unlocked(c->text, 1, (size_t)(end - c->text), c->f);
}

static void put_region_slice(struct chrome *c, const struct tape_step *s)
{
	int opens = s->kind == TAPE_STEP_OPEN;
	char *p = begin_chrome_event(c, opens ? 'B' : 'E', s->rank, s->thread,
				     s->from_ns);

	if (opens) {
		p = tape_text(p, ",\"cat\":\"region\",\"name\":");
		p = tape_text(
		    p, args_json_string(c->args,
					tape_export_region_name(c->x, s)));
	}
	*p++ = '}';
	write_chrome_event(c, p);
}

static void put_call_slice(struct chrome *c, const struct tape_step *s)
{
	char *p = begin_chrome_event(c, 'X', s->rank, s->thread, s->from_ns);

	p = tape_text_us(tape_text(p, ",\"dur\":"), s->to_ns - s->from_ns);
	p = tape_text(tape_text(p, ",\"cat\":\""),
		      tape_doing_name(s->doing));
	p = tape_text(tape_text(p, "\",\"name\":\""), tape_call_name(s->call));
	p = args_put_json(c->args, tape_text(p, "\",\"args\":"), s);
	*p++ = '}';
	write_chrome_event(c, p);
}

static void put_arrow_end(struct chrome *c, const struct tape_step *s, int ends)
{
	const struct tape_flow_info *f =
		tape_trace_flow(c->t, ends ? s->to_flow : s->flow);
	/* an arrow must end within the receiving call, before its end */
	int64_t inside = s->message->ended_ns > s->message->awaited_ns;
	int64_t ns = ends ? s->to_ns - inside : s->from_ns;
	char *p =
	    begin_chrome_event(c, ends ? 'f' : 's', f->rank, f->thread, ns);

	p = tape_text(p, ",\"cat\":\"message\",\"name\":\"message\",\"id\":");
	p = tape_text_unsigned(p, c->arrows);
	if (ends)
		p = tape_text(p, ",\"bp\":\"e\"");
	p = tape_text_unsigned(tape_text(p, ",\"args\":{\"bytes\":"),
			       s->message->bytes);
	p = tape_text_number(tape_text(p, ",\"tag\":"), s->message->tag);
	p = tape_text(p, "}}");
	write_chrome_event(c, p);
}

/* Writes an arrow. A message received before it was sent cannot be drawn. */
static void put_message_arrow(struct chrome *c, const struct tape_step *s)
{
	if (s->backward)
		return;
	c->arrows++;
	put_arrow_end(c, s, 0);
	put_arrow_end(c, s, 1);
}

static void put_counter_value(struct chrome *c, const struct tape_step *s,
			      const char *name, int64_t ns, int64_t value)
{
	char *p = begin_chrome_event(c, 'C', s->rank, s->thread, ns);

	if (s->thread)
		p = tape_text_number(tape_text(p, ",\"id\":"), s->thread);
	p = tape_text(tape_text(p, ",\"name\":"),
		      args_json_string(c->args, name));
	p = tape_text_number(tape_text(p, ",\"args\":{\"value\":"), value);
	p = tape_text(p, "}}");
	write_chrome_event(c, p);
}

/* Writes the counters as sums since the start. */
static void put_counter_tracks(struct chrome *c, const struct tape_step *s)
{
	const struct tape_rank_info *r = tape_trace_rank(c->t, s->rank);
	const struct tape_event *e = s->event;
	int64_t *total = c->total[s->flow];

	for (uint32_t i = 0; i < e->n_counts && i < r->n_counters; i++) {
		const char *name = r->counters[i].name;

		total[i] = (int64_t)((uint64_t)total[i] +
				     (uint64_t)e->counts[i].before);
		if (tape_export_in_window(c->x, s))
			put_counter_value(c, s, name, s->from_ns, total[i]);
		if (!e->counts[i].inside)
			continue;
		total[i] = (int64_t)((uint64_t)total[i] +
				     (uint64_t)e->counts[i].inside);
		if (tape_export_in_window(c->x, s))
			put_counter_value(c, s, name, s->to_ns, total[i]);
	}
}

static void put_chrome_step(struct chrome *c, const struct tape_step *s)
{
	switch (s->kind) {
	case TAPE_STEP_OPEN:
	case TAPE_STEP_CLOSE:
		put_region_slice(c, s);
		break;
	case TAPE_STEP_CALL:
		put_call_slice(c, s);
		break;
	case TAPE_STEP_COUNTS:
		put_counter_tracks(c, s);
		break;
	case TAPE_STEP_MESSAGE:
		put_message_arrow(c, s);
		break;
	}
}

/* ---- the file ---- */

static void put_track_name(FILE *f, int rank, int thread, const char *what,
			   const char *name)
{
	fprintf(f, ",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":\"%s\","
		"\"args\":{\"name\":", rank, thread, what);
	tape_json_put(f, name);
	fputs("}}", f);
}

/* Returns the host and the position inside it: "node7/Package:1/Core:5". */
static const char *host_text(const struct tape_rank_info *r)
{
	static const char step[] = "/" TAPE_LEVEL_MACHINE ":";
	const char *at = r->position ? strstr(r->position, step) : NULL;

	return at ? at + strlen(step) : r->host;
}

/* Writes names, and sort indices, by which Perfetto sorts processes. */
static void put_track_names(const struct chrome *c, FILE *f)
{
	const struct tape_flow_info *l;
	char name[600];
	int last = -1;

	for (size_t i = 0; i < tape_trace_flows(c->t); i++) {
		l = tape_trace_flow(c->t, i);
		if (l->rank != last) {
			snprintf(name, sizeof name, "rank %d (%.500s)", l->rank,
				 host_text(tape_trace_rank(c->t, l->rank)));
			put_track_name(f, l->rank, l->thread, "process_name",
				       name);
			fprintf(f, ",\n{\"ph\":\"M\",\"pid\":%d,\"name\":"
				"\"process_sort_index\",\"args\":{"
				"\"sort_index\":%d}}", l->rank, l->rank);
		}
		last = l->rank;
		snprintf(name, sizeof name, "thread %d", l->thread);
		put_track_name(f, l->rank, l->thread, "thread_name",
			       l->thread ? name : "main thread");
	}
}

static void begin_chrome_file(const struct chrome *c)
{
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
	      "{\"ph\":\"M\",\"pid\":0,\"name\":\"trace_format\",\"args\":{"
	      "\"name\":\"tape\"}}", c->f);
	put_track_names(c, c->f);
}

static void end_chrome_file(const struct chrome *c)
{
	const char *program = tape_trace_meta(c->t, "program", 0);

	fputs("\n],\"otherData\":{\"program\":", c->f);
	tape_json_put(c->f, program ? program : "");
	fputs(",\"time_base\":", c->f);
	tape_json_put(c->f, tape_export_base_text(c->x));
	fprintf(c->f, ",\"backward_messages\":%" PRIu64 "}}\n",
		tape_export_count_backward(c->x));
}

int main(int argc, char **argv)
{
	struct chrome c = { .x = tape_export_open(argc, argv, &kind) };
	struct tape_step s;

	c.t = tape_export_trace(c.x);
	c.args = args_new(c.x);
	c.total = tape_must(calloc(tape_trace_flows(c.t) + 1, sizeof *c.total));
	c.f = tape_export_begin_file(c.x);
	begin_chrome_file(&c);
	while (tape_export_next(c.x, &s))
		put_chrome_step(&c, &s);
	end_chrome_file(&c);
	tape_file_commit();
	if (c.arrows > ARROWS)
		tape_warn("%s has %" PRIu64 " arrows, which make viewers slow. "
					    "Write a part with --from and --to",
			  tape_export_name(c.x), c.arrows);
	args_free(c.args);
	free(c.total);
	tape_export_close(c.x);
	return TAPE_DONE;
}
