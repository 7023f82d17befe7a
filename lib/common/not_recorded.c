/* What was not to be recorded; see not_recorded.h. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "duration_text.h"
#include "escape.h"
#include "growing_array.h"
#include "json.h"
#include "sort.h"
#include "tool.h"
#include "not_recorded.h"
#include "place.h"

struct tape_not_recorded {
	const struct tape_trace *t;
	struct tape_counted_place *places;
	size_t n, room;
	uint64_t switched_off;
};

struct tape_not_recorded *tape_not_recorded_new(const struct tape_trace *t)
{
	struct tape_not_recorded *m = tape_must(calloc(1, sizeof *m));

	m->t = t;
	return m;
}

void tape_not_recorded_free(struct tape_not_recorded *m)
{
	if (m)
		free(m->places);
	free(m);
}

/* ---- places ---- */

static int compare_counted_places(const void *a, const void *b)
{
	const struct tape_counted_place *x = a, *y = b;

	if (!x->site || !y->site)
		return x->site || y->site ? (x->site != NULL) -
						    (y->site != NULL)
					  : strcmp(x->region, y->region);
	return tape_place_order(x->site, y->site);
}

static int by_calls(const void *a, const void *b)
{
	const struct tape_counted_place *x = a, *y = b;

	if (x->calls != y->calls)
		return x->calls < y->calls ? 1 : -1;
	return compare_counted_places(a, b);
}

static void add_counted_place(struct tape_not_recorded *m,
			      const struct tape_counted_place *p)
{
	size_t n;

	/* a place may be counted, and recorded again, many times: of these
	 * one is left, and half of the room is free then */
	if (m->n == m->room) {
		tape_not_recorded_places(m, &n);
		m->places = tape_must(
		    tape_grow_array(m->places, &m->room, 2 * m->n + 1,
				    sizeof *m->places));
	}
	m->places[m->n++] = *p;
}

void tape_not_recorded_event(struct tape_not_recorded *m,
			     const struct tape_event *e)
{
	const struct tape_rank_info *r = tape_trace_rank(m->t, e->rank);
	const struct tape_counted *u = &e->u.counted;
	struct tape_counted_place p = { .rate = u->rate, .calls = u->calls,
					.times = u->rate != 0,
					.ns = (double)e->inside_ns };

	m->switched_off += e->class_ == TAPE_CLASS_OFF;
	if (e->class_ != TAPE_CLASS_COUNTED)
		return;
	if (u->region)
		p.region = r->regions[u->region];
	else
		p.site = &r->sites[u->site];
	add_counted_place(m, &p);
}

const struct tape_counted_place *
tape_not_recorded_places(struct tape_not_recorded *m, size_t *n)
{
	struct tape_counted_place *list = m->places;
	size_t out = 0;

	if (m->n)
		tape_sort(list, m->n, sizeof *list, compare_counted_places);
	for (size_t i = 0; i < m->n; i++) {
		struct tape_counted_place *p = out ? &list[out - 1] : NULL;

		if (!p || compare_counted_places(p, &list[i])) {
			list[out++] = list[i];
			continue;
		}
		p->calls += list[i].calls;
		p->times += list[i].times;
		p->ns += list[i].ns;
		if (list[i].rate > p->rate)
			p->rate = list[i].rate;
	}
	m->n = out;
	if (out)
		tape_sort(list, out, sizeof *list, by_calls);
	*n = out;
	return list;
}

static void format_counted_place(const struct tape_counted_place *p, char *text,
				 size_t size)
{
	char site[TAPE_PLACE_BYTES];

	if (!p->site) {
		snprintf(site, sizeof site, "region %.480s", p->region);
		tape_clean(site, text, size);
		return;
	}
	tape_place_text(p->site, site, sizeof site);
	snprintf(text, size, "%s  %s", tape_call_name(p->site->call), site);
}

/* ---- the sentence ---- */

/* Adds to the clause: "; " before all but the first. */
__attribute__((format(printf, 3, 4))) static void
append_clause(char *text, size_t size, const char *format, ...)
{
	size_t n = strlen(text);
	va_list ap;

	if (n)
		n += (size_t)snprintf(text + n, size - n, "; ");
	if (n >= size)
		return;
	va_start(ap, format);
	vsnprintf(text + n, size - n, format, ap);
	va_end(ap);
}

/* "calls -MPI_Send,%20-MPI_Recv" as "calls = -MPI_Send, -MPI_Recv". */
static void format_setting(const char *line, char *text, size_t size)
{
	const char *value = strchr(line, ' ');
	size_t n = value ? (size_t)(value - line) : strlen(line);
	char raw[200];

	n = (size_t)snprintf(raw, sizeof raw, "%.*s = ", (int)(n < 32 ? n : 32),
			     line);
	tape_unescape_value(value ? value + 1 : NULL, raw + n, sizeof raw - n);
	tape_clean(raw, text, size);
}

/* The n-th setting that leaves events out; max_rate did if anything counts. */
static const char *find_filter_line(const struct tape_not_recorded *m, size_t n)
{
	const char *line;

	for (size_t i = 0; (line = tape_trace_meta(m->t, "filter", i)); i++)
		if (strncmp(line, "max_rate ", 9) && !n--)
			return line;
	return NULL;
}

/* A part of a trace (tapecut): its flows end switched off. */
static int is_window(const struct tape_not_recorded *m)
{
	const char *line;

	for (size_t i = 0; (line = find_filter_line(m, i)); i++)
		if (!strncmp(line, "window ", 7))
			return 1;
	return 0;
}

int tape_not_recorded_unknown(const struct tape_not_recorded *m)
{
	return !is_window(m) && (m->switched_off || find_filter_line(m, 0));
}

/* Of all places, n of them. */
static struct tape_counted_place sum_places(struct tape_not_recorded *m,
					    size_t *n)
{
	const struct tape_counted_place *p = tape_not_recorded_places(m, n);
	struct tape_counted_place sum = { 0 };

	for (size_t i = 0; i < *n; i++) {
		sum.calls += p[i].calls;
		sum.ns += p[i].ns;
	}
	return sum;
}

int tape_not_recorded_text(struct tape_not_recorded *m, char *text, size_t size)
{
	char one[200], took[80] = "", duration[TAPE_DURATION_TEXT_BYTES];
	struct tape_counted_place sum;
	const char *line;
	size_t n;

	*text = '\0';
	for (size_t i = 0; (line = find_filter_line(m, i)); i++) {
		format_setting(line, one, sizeof one);
		append_clause(text, size, "%s", one);
	}
	sum = sum_places(m, &n);
	if (sum.ns > 0)
		snprintf(took, sizeof took,
			 "; those of call sites took %s of the ranks' time",
			 tape_duration_text(sum.ns, duration, sizeof duration));
	if (n)
		append_clause(text, size,
			      "max_rate: %" PRIu64 " calls at %zu call "
			      "site%s or regions only counted%s",
			      sum.calls, n, n == 1 ? "" : "s", took);
	if (m->switched_off)
		append_clause(text, size,
			      "switched off %" PRIu64 " time%s by %s",
			      m->switched_off, m->switched_off == 1 ? "" : "s",
			      is_window(m) ? "the program, or the window's end"
					   : "the program");
	return *text != '\0';
}

/* ---- tables ---- */

void tape_not_recorded_print(struct tape_not_recorded *m)
{
	size_t n;
	const struct tape_counted_place *p = tape_not_recorded_places(m, &n);
	char name[TAPE_PLACE_BYTES + 80], took[40];

	if (n)
		printf("\nonly counted   times    events/s      seconds  "
		       "call and call site, or region\n");
	for (size_t i = 0; i < n; i++) {
		format_counted_place(&p[i], name, sizeof name);
		if (p[i].ns > 0)
			snprintf(took, sizeof took, "%.9f", p[i].ns * 1e-9);
		else
			strcpy(took, "-");
		printf("%12" PRIu64 " %7" PRIu64 " %11" PRIu64 " %12s  %s\n",
		       p[i].calls, p[i].times, p[i].rate, took, name);
	}
}

void tape_not_recorded_json(struct tape_not_recorded *m)
{
	const struct tape_counted_place *p;
	const char *line, *comma = "";
	char one[TAPE_PLACE_BYTES + 80];
	size_t n;

	printf(",\"not_recorded\":{\"settings\":[");
	for (size_t i = 0; (line = find_filter_line(m, i)); i++) {
		format_setting(line, one, sizeof one);
		printf("%s", comma);
		tape_json_string(one);
		comma = ",";
	}
	printf("],\"switched_off\":%" PRIu64 ",\"counted\":[",
	       m->switched_off);
	p = tape_not_recorded_places(m, &n);
	for (size_t i = 0; i < n; i++) {
		format_counted_place(&p[i], one, sizeof one);
		printf("%s{\"place\":", i ? "," : "");
		tape_json_string(one);
		printf(",\"calls\":%" PRIu64 ",\"times\":%" PRIu64
		       ",\"rate\":%" PRIu64 ",\"ns\":", p[i].calls,
		       p[i].times, p[i].rate);
		if (p[i].ns > 0)
			printf("%.0f}", p[i].ns);
		else
			printf("null}");
	}
	printf("]}");
}
