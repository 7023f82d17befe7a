/*
 * Text back into a trace: the reverse of text.c. The text is as untrusted as
 * a trace; every refusal names file and line.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "number_text.h"
#include "dump.h"
#include "site_calls.h"
#include "tool.h"
#include "output.h"
#include "writer.h"

/* Completions that one line may hold. */
#define DONE_MAX 4096u
/* Call sites are numbered from 1 by rank; more is not a program. */
#define SITE_MAX (1u << 20)

struct text {
	FILE *in;
	const char *name;
	unsigned long line;
	struct tape_output *out;
	FILE *definition;            /* being copied, or NULL */
	char definition_name[64];
	/* the flow in progress */
	int in_flow, rank, thread, anchors;
	struct tape_anchor anchor[2];
	struct tape_flow_writer *writer;
	uint64_t last;               /* tick where the last event ended */
	struct tape_done done[DONE_MAX];
	int definition_rank;         /* of whom it is; -1: of nobody */
	struct site_calls sites;
};

__attribute__((noreturn, format(printf, 2, 3))) static void
reject_line(const struct text *x, const char *format, ...)
{
	char what[300];
	va_list ap;

	va_start(ap, format);
	vsnprintf(what, sizeof what, format, ap);
	va_end(ap);
	tape_output_abandon(x->out);
	tape_die(TAPE_FAILED, "%s: line %lu: %s", x->name, x->line, what);
}

/* Takes a number off *p, which must be followed by one of ends or NUL. */
static int64_t parse_text_number(const struct text *x, const char **p,
				 const char *ends)
{
	const char *end = *p;
	uint64_t u = 0;
	int64_t v = 0;
	int rc;

	/* ticks use all 64 bits: what does not fit signed is read unsigned */
	if (**p == '-')
		rc = tape_parse_whole(*p, INT64_MIN, -0, &v, &end);
	else
		rc = tape_parse_unsigned(*p, 10, UINT64_MAX, &u, &end);
	v = **p == '-' ? v : (int64_t)u;
	if (rc || (*end && !strchr(ends, *end)))
		reject_line(x, "not a number: %.40s", *p);
	*p = *end ? end + 1 : end;
	return v;
}

static uint64_t parse_unsigned(const struct text *x, const char *word)
{
	const char *p = word;

	if (*p == '-')
		reject_line(x, "a negative number: %.40s", word);
	return (uint64_t)parse_text_number(x, &p, "");
}

/* ---- definitions ---- */

/* The flows are written as this version lays them out, whoever's text it is. */
static int is_class(const struct text *x, const char *line)
{
	return !strcmp(x->definition_name, "meta") &&
	       !strncmp(line, "class ", 6);
}

static void close_definition(struct text *x)
{
	if (x->definition && !strcmp(x->definition_name, "meta"))
		tape_output_classes(x->definition);
	if (x->definition)
		tape_output_end(x->out, x->definition, x->definition_name);
	x->definition = NULL;
}

static void open_definition(struct text *x, const char *name)
{
	snprintf(x->definition_name, sizeof x->definition_name, "%s", name);
	x->definition = tape_output_stream(x->out, name);
}

/* ---- flows ---- */

static void open_flow(struct text *x, uint64_t start)
{
	if (x->anchors == 1)
		reject_line(x, "a flow has two anchors or no anchor");
	x->writer = tape_flow_writer_raw(x->out, x->rank, x->thread, start,
					 x->anchors ? &x->anchor[0] : NULL,
					 x->anchors ? &x->anchor[1] : NULL);
	x->last = start;
}

static void close_flow(struct text *x, enum tape_end end, uint64_t lost)
{
	if (!x->writer)
		open_flow(x, x->anchor[0].tick);
	tape_flow_writer_close(x->writer, end, lost);
	x->writer = NULL;
	x->in_flow = 0;
}

static void read_anchor(struct text *x, char **rest)
{
	struct tape_anchor *a = &x->anchor[x->anchors];
	uint64_t v[3];

	if (x->anchors > 1 || x->writer)
		reject_line(x, "anchors are two, before the first event");
	for (int i = 0; i < 3; i++) {
		char *w = strsep(rest, " ");

		if (!w)
			reject_line(x, "anchor TICK NS SLACK");
		v[i] = parse_unsigned(x, w);
	}
	*a = (struct tape_anchor){ v[0], v[1], (uint32_t)v[2] };
	x->anchors++;
}

static void read_end(struct text *x, char **rest)
{
	char *name = strsep(rest, " "), *lost = strsep(rest, " ");
	int end = name ? dump_end_find(name) : -1;

	if (end < 0 || !lost)
		reject_line(x, "end REASON EVENTS-LOST");
	close_flow(x, (enum tape_end)end, parse_unsigned(x, lost));
}

/* "T.N", a request of another thread, or "N", one of this flow. */
static uint64_t read_request(const struct text *x, const char **p,
			     const char *ends)
{
	size_t n = strspn(*p, "0123456789");
	uint64_t thread = (uint64_t)x->thread, k;

	if ((*p)[n] == '.')
		thread = (uint64_t)parse_text_number(x, p, ".");
	k = (uint64_t)parse_text_number(x, p, ends);
	if (thread >= 1u << 20 || k >> TAPE_REQUEST_SHIFT)
		reject_line(x, "a request number out of range");
	return k ? TAPE_REQUEST(thread, k) : 0;
}

static void read_done(struct text *x, struct tape_event *e,
		      enum tape_done_kind kind, const char *p)
{
	struct tape_done *d = &x->done[e->n_done];

	if (e->n_done == DONE_MAX)
		reject_line(x, "more than %u completions", DONE_MAX);
	*d = (struct tape_done){ .kind = kind };
	d->request = read_request(x, &p, ":");
	if (kind == TAPE_DONE_RECV) {
		d->peer = (int32_t)parse_text_number(x, &p, ":");
		d->tag = (int32_t)parse_text_number(x, &p, ":");
		d->bytes = (uint64_t)parse_text_number(x, &p, ":");
		d->arrived = (uint32_t)parse_text_number(x, &p, "");
	}
	e->n_done++;
}

/* "a:b" into two unsigned numbers. */
static void read_pair(const struct text *x, const char *p, uint64_t *a,
		      uint64_t *b)
{
	*a = (uint64_t)parse_text_number(x, &p, ":");
	*b = (uint64_t)parse_text_number(x, &p, "");
}

/* The call of an event is that of its site, as the rank defined it. */
static void check_site(struct text *x, unsigned call, uint32_t site)
{
	unsigned of = site_calls_find(&x->sites, x->rank, site);

	if (of && of != call)
		reject_line(
		    x, "site %" PRIu32 " of rank %d is one of %s, not of %s",
		    site, x->rank, tape_call_name(of), tape_call_name(call));
}

/* CALL@SITE:COUNT:FIELD:FIELD..., the second call site of a run of tests. */
static void read_also(struct text *x, struct tape_event *e, char *value)
{
	char *at = strchr(value, '@');
	struct tape_field field;
	const char *p;

	if (!at)
		reject_line(x, "also=CALL@SITE:COUNT:... expected");
	*at = '\0';
	p = at + 1;
	e->also_call = (uint16_t)tape_call_find(value);
	e->also_class = (uint16_t)tape_call_class(e->also_call);
	e->also_site = (uint32_t)parse_text_number(x, &p, ":");
	e->also_polls = (uint64_t)parse_text_number(x, &p, ":");
	if (!e->also_call || !e->also_site || e->also_site > SITE_MAX ||
	    !e->also_polls)
		reject_line(x, "also=CALL@SITE:COUNT:... expected");
	check_site(x, e->also_call, e->also_site);
	for (unsigned i = 0; tape_class_field(e->also_class, i, &field); i++)
		if (tape_field_set(&e->also, &field,
				   parse_text_number(x, &p, ":")))
			reject_line(x, "also: %s is out of range", field.name);
}

/* COUNTER:BEFORE:INSIDE, both of which may be negative. */
static void read_count(const struct text *x, struct tape_event *e,
		       const char *p)
{
	uint64_t k = (uint64_t)parse_text_number(x, &p, ":");

	if (k >= TAPE_COUNTERS_MAX)
		reject_line(x, "counter %" PRIu64 " is out of range", k);
	e->counts[k].before = parse_text_number(x, &p, ":");
	e->counts[k].inside = parse_text_number(x, &p, "");
	if (k >= e->n_counts)
		e->n_counts = (uint32_t)k + 1;
}

static void read_field(struct text *x, struct tape_event *e, const char *key,
		       char *value)
{
	struct tape_field field;
	const char *p = value;
	uint64_t a, b;

	for (unsigned i = 0;
	     dump_has_fields(e) && tape_class_field(e->class_, i, &field); i++)
		if (!strcmp(field.name, key)) {
			if (tape_field_set(&e->u, &field,
					   parse_text_number(x, &p, "")))
				reject_line(x, "%s=%.40s is out of range", key,
					    value);
			return;
		}
	if (!strcmp(key, "polls")) {
		read_pair(x, value, &e->polls, &e->inside_ticks);
	} else if (!strcmp(key, "also")) {
		read_also(x, e, value);
	} else if (!strcmp(key, "alpha")) {
		read_pair(x, value, &e->extra_before_ticks,
			  &e->extra_after_ticks);
	} else if (!strcmp(key, "bounds")) {
		read_pair(x, value, &a, &b);
		e->earlier_ns = (int64_t)a;
		e->later_ns = (int64_t)b;
	} else if (!strcmp(key, "count")) {
		read_count(x, e, value);
	} else if (!strcmp(key, "region") && !e->call) {
		e->region = (uint32_t)parse_unsigned(x, value);
	} else if (!strcmp(key, "done")) {
		read_done(x, e, TAPE_DONE_REQUEST, value);
	} else if (!strcmp(key, "cancelled")) {
		read_done(x, e, TAPE_DONE_CANCELLED, value);
	} else if (!strcmp(key, "received")) {
		read_done(x, e, TAPE_DONE_RECV, value);
	} else {
		reject_line(x, "%.40s is not a field of %s", key,
			    tape_class_name(e->class_));
	}
}

/* The name of a call with its site, or of a mark. */
static void read_name(struct text *x, struct tape_event *e,
		      const char *name, char **rest)
{
	const char *site;
	uint64_t n;

	e->call = (uint16_t)tape_call_find(name);
	if (!e->call) {
		e->class_ = (uint16_t)tape_class_find(name);
		if (e->class_ != TAPE_CLASS_ENTER &&
		    e->class_ != TAPE_CLASS_LEAVE &&
		    e->class_ != TAPE_CLASS_OFF &&
		    e->class_ != TAPE_CLASS_ON &&
		    e->class_ != TAPE_CLASS_THREAD &&
		    e->class_ != TAPE_CLASS_COUNTED &&
		    e->class_ != TAPE_CLASS_BLOCK &&
		    e->class_ != TAPE_CLASS_PROCESSOR &&
		    e->class_ != TAPE_CLASS_PTHREAD)
			reject_line(x, "neither a call nor a marker: %.60s",
				    name);
		return;
	}
	e->class_ = (uint16_t)tape_call_class(e->call);
	site = strsep(rest, " ");
	if (!site || *site != '@')
		reject_line(x, "%s @SITE expected", name);
	n = parse_unsigned(x, site + 1);
	if (!n || n > SITE_MAX)
		reject_line(x, "site %" PRIu64 " is out of range", n);
	e->site = (uint32_t)n;
	check_site(x, e->call, e->site);
}

static void read_event(struct text *x, const char *first, char **rest)
{
	struct tape_event e = { .polls = 1, .rank = x->rank,
				.thread = x->thread, .done = x->done };
	const char *spent = strsep(rest, " "), *name = strsep(rest, " ");
	uint64_t ticks;
	char *word;

	if (!spent || *spent != '+' || !name)
		reject_line(x, "TICK +TICKS CALL @SITE ... expected");
	e.start_tick = parse_unsigned(x, first);
	ticks = parse_unsigned(x, spent + 1);
	e.end_tick = e.start_tick + ticks;
	e.inside_ticks = ticks;
	if (e.end_tick < e.start_tick)
		reject_line(x, "the event is too long");
	read_name(x, &e, name, rest);
	while ((word = strsep(rest, " "))) {
		char *value = strchr(word, '=');

		if (*word == ';')
			break;
		if (!value)
			reject_line(x, "FIELD=VALUE expected, not %.40s", word);
		*value++ = '\0';
		read_field(x, &e, word, value);
	}
	if (!x->writer)
		open_flow(x, e.start_tick);
	if (e.start_tick < x->last)
		reject_line(x, "starts before the previous event ended");
	tape_flow_writer_put(x->writer, &e);
	x->last = e.end_tick;
}

/* ---- lines ---- */

static void read_content_line(struct text *x, char *line)
{
	char *rest = line + 1, *word;

	if (x->definition && is_class(x, line + 1))
		return;
	if (x->definition) {
		if (x->definition_rank >= 0)
			site_calls_define(&x->sites, x->definition_rank,
					  line + 1);
		fprintf(x->definition, "%s\n", line + 1);
		return;
	}
	if (!x->in_flow)
		reject_line(
		    x,
		    "this line is outside of any flow, rank or site section");
	word = strsep(&rest, " ");
	if (!strcmp(word, "anchor"))
		read_anchor(x, &rest);
	else if (!strcmp(word, "end"))
		read_end(x, &rest);
	else
		read_event(x, word, &rest);
}

static void read_section_title(struct text *x, char *line)
{
	unsigned rank, thread;
	char name[64];

	close_definition(x);
	if (x->in_flow)
		close_flow(x, TAPE_END_NONE, 0);
	if (!strcmp(line, "meta") || !strcmp(line, "clocks") ||
	    !strcmp(line, "sites")) {
		open_definition(x, line);
		x->definition_rank = -1;
	} else if (sscanf(line, "rank %9u", &rank) == 1) {
		snprintf(name, sizeof name, "rank.%u", rank);
		open_definition(x, name);
		x->definition_rank = (int)rank;
	} else if (sscanf(line, "flow %9u %9u", &rank, &thread) == 2) {
		x->in_flow = 1;
		x->rank = (int)rank;
		x->thread = (int)thread;
		x->anchors = 0;
		memset(x->anchor, 0, sizeof x->anchor);
	} else {
		reject_line(x,
			    "meta, clocks, sites, rank R or flow R T expected, "
			    "not %.40s",
			    line);
	}
}

/* It is a trace only if the reader takes it. */
static void check_whole(const struct text *x)
{
	const char *dir = tape_output_path(x->out, ""), *why;
	size_t n = strlen(dir);
	struct tape_trace *t;

	if (tape_output_read(x->out, &t)) {
		why = tape_trace_error(t);
		why += strncmp(why, dir, n - 1) ? 0 : n - 1;
		while (*why == '/')
			why++;
		tape_output_abandon(x->out);
		tape_die(TAPE_FAILED, "%s: not a trace: %s", x->name, why);
	}
	tape_trace_close(t);
}

void dump_assemble(FILE *in, const char *name, const char *output)
{
	struct text *x = tape_must(calloc(1, sizeof *x));
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	x->in = in;
	x->name = name;
	x->out = tape_output_begin(output);
	while ((n = getline(&line, &room, in)) >= 0) {
		x->line++;
		if (memchr(line, '\0', (size_t)n))
			reject_line(x, "a zero byte");
		if (n && line[n - 1] == '\n')
			line[--n] = '\0';
		if (*line == '\t')
			read_content_line(x, line);
		else if (*line && *line != '#')
			read_section_title(x, line);
	}
	if (ferror(in))
		reject_line(x, "%s", strerror(errno));
	close_definition(x);
	if (x->in_flow)
		close_flow(x, TAPE_END_NONE, 0);
	check_whole(x);
	tape_output_commit(x->out);
	free(line);
	site_calls_free(&x->sites);
	free(x);
}
