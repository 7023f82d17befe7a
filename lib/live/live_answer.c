/* The answer so far, written and read; see live_answer.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "growing_array.h"
#include "json.h"
#include "live_answer.h"
#include "run_efficiency.h"
#include "stat.h"
#include "tool.h"
#include "useful_time.h"
#include "where.h"

/* First characters of the lines of an answer. */
enum {
	LINE_SAID = 'S',
	LINE_STUCK = 'K',
	LINE_RANKS = 'W',
	LINE_NOW = 'N',
	LINE_JSON = 'J',
	LINE_RANK = 'R' /* rank, TAB, seconds, TAB, call, TAB, what */
};

/* The efficiency of a shorter interval is not computed. */
static const double least_interval_ns = 5e7;

void live_progress_new(size_t flows, struct live_progress *two[2])
{
	size_t bytes = sizeof **two + (flows + 1) * sizeof(double);

	for (int i = 0; i < 2; i++) {
		two[i] =
		    mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (two[i] == MAP_FAILED)
			tape_die_no_memory();
	}
}

/* ---- the interval ---- */

/* The last moment that is known of any flow. */
static double find_last_moment(const struct stats *s,
			       const struct where_states *w)
{
	double at = (double)s->to_ns;

	if (w->is_running && w->now_ns)
		return fmax(at, (double)w->now_ns);
	for (size_t i = 0; i < w->n_flows; i++)
		if (w->flow[i].state == WHERE_IN_CALL)
			at = fmax(at, (double)w->flow[i].call.start_ns);
	return at;
}

/* What the flow has computed since its last event, ns. */
static double computing_since(const struct stats *s, const struct where_flow *f,
			      size_t flow, double at_ns)
{
	double last = (double)s->flow[flow].span.to_ns;

	if (f->state == WHERE_IN_CALL)
		return fmax((double)f->call.start_ns - last, 0);
	return f->state == WHERE_OUTSIDE ? fmax(at_ns - last, 0) : 0;
}

static void set_progress(const struct stats *s, const struct where_states *w,
			 struct live_progress *p)
{
	p->at_ns = find_last_moment(s, w);
	p->ideal_ns = stats_is_ideal_known(s) ? 0 : NAN;
	p->n = s->flows;
	for (size_t i = 0; i < s->flows; i++) {
		double since;

		p->computing_ns[i] = NAN;
		if (!s->flow[i].span.seen)
			continue;
		since = computing_since(s, &w->flow[i], i, p->at_ns);
		p->computing_ns[i] = stats_computing(s, i) + since;
		if (!isnan(p->ideal_ns))
			p->ideal_ns = fmax(p->ideal_ns,
					   s->flow[i].span.ideal_to.ns + since);
	}
}

struct tape_efficiency
live_interval_efficiency(const struct live_progress *before,
			 const struct live_progress *now)
{
	struct tape_efficiency_times t = {.run_ns = now->at_ns - before->at_ns,
					  .ideal_ns =
					      now->ideal_ns - before->ideal_ns};

	if (!before->n || t.run_ns < least_interval_ns)
		return tape_efficiency_unknown;
	for (size_t i = 0; i < now->n; i++) {
		double ns = now->computing_ns[i];

		if (isnan(ns))
			continue;
		if (i < before->n && !isnan(before->computing_ns[i]))
			ns -= before->computing_ns[i];
		ns = fmin(fmax(ns, 0), t.run_ns);
		t.n++;
		t.sum_ns += ns;
		t.max_ns = fmax(t.max_ns, ns);
	}
	return tape_efficiency_factors(&t);
}

/* ---- writing ---- */

/* Writes each line of the text, after its first character. */
static void put_lines(FILE *to, char kind, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		fprintf(to, "%c%.*s\n", kind, (int)n, text);
		text += n + (text[n] == '\n');
	}
}

/* Writes "name":[...], the lines as strings. */
static void put_json_lines(FILE *to, const char *name, const char *text)
{
	char *copy = tape_must(strdup(text)), *rest = copy, *line;
	int n = 0;

	fprintf(to, ",\"%s\":[", name);
	while ((line = strsep(&rest, "\n")))
		if (*line) {
			fputs(n++ ? "," : "", to);
			tape_json_put(to, line);
		}
	fputs("]", to);
	free(copy);
}

struct texts {
	char *said, *stuck, *ranks;
};

/* One of the texts: what f writes of own. */
static char *make_text(void (*f)(void *own, FILE *to), void *own)
{
	size_t n;
	char *text;
	FILE *to = tape_must(open_memstream(&text, &n));

	f(own, to);
	if (fclose(to))
		tape_die_no_memory();
	return text;
}

static void print_said(void *s, FILE *to)
{
	stat_print_so_far(s, to);
}

static void print_stuck(void *g, FILE *to)
{
	if (g)
		where_print_verdicts(g, to);
}

static void print_ranks(void *g, FILE *to)
{
	if (g)
		where_print_ranks(g, to);
}

static void put_rank(FILE *to, const struct wait_graph *g, int rank)
{
	const struct where_states *s = g->s;
	const struct where_flow *f = where_flow_of(s, rank);
	char call[WHERE_TEXT_BYTES] = "", what[WHERE_TEXT_BYTES];
	double for_s = NAN;

	if (!f)
		return;
	if (f->state == WHERE_IN_CALL) {
		where_place_text(s, rank, f->call.site, f->call.call, call,
				 sizeof call);
		if (where_is_timed(s, rank))
			for_s = (double)(s->now_ns - f->call.start_ns) / 1e9;
	}
	where_flow_text(g, f, what, sizeof what);
	fprintf(to, "%c%d\t%.9g\t%s\t%s\n", LINE_RANK, rank, for_s, call,
		strncmp(what, "is ", 3) ? what : what + 3);
}

static void put_json(FILE *to, const struct stats *s, const struct texts *t,
		     const struct tape_efficiency *now)
{
	fputc(LINE_JSON, to);
	put_json_lines(to, "answer", t->said);
	put_json_lines(to, "stuck", t->stuck);
	put_json_lines(to, "where", t->ranks);
	fputs(",", to);
	stats_print_efficiency_json(s, to);
	fputs(",\"efficiency_now\":", to);
	stats_print_factors_json(now, to);
	fputs("\n", to);
}

void live_answer_write(FILE *to, struct stats *s, struct wait_graph *g,
		       const struct live_progress *before,
		       struct live_progress *now)
{
	struct tape_efficiency e = tape_efficiency_unknown;
	struct texts t = {make_text(print_said, s), make_text(print_stuck, g),
			  make_text(print_ranks, g)};
	char text[200];

	put_lines(to, LINE_SAID, t.said);
	put_lines(to, LINE_STUCK, t.stuck);
	put_lines(to, LINE_RANKS, t.ranks);
	if (g) {
		set_progress(s, g->s, now);
		if (stats_is_efficiency_known(s) && !stats_is_shared(s))
			e = live_interval_efficiency(before, now);
		for (size_t k = 0; k < g->s->n_ranks; k++)
			put_rank(to, g, (int)k);
	}
	stats_factors_text(&e, "", text, sizeof text);
	put_lines(to, LINE_NOW, text);
	put_json(to, s, &t, &e);
	free(t.said);
	free(t.stuck);
	free(t.ranks);
}

/* ---- reading ---- */

static void add_line(struct live_lines *l, const char *line)
{
	size_t room = l->n;

	if (!(l->n & (l->n - 1)))
		l->line = tape_must(
		    realloc(l->line, (2 * room + 1) * sizeof *l->line));
	l->line[l->n++] = line;
}

static void add_rank(struct live_answer *a, size_t *room, char *line)
{
	char *number = strsep(&line, "\t"), *for_s = strsep(&line, "\t");
	char *call = strsep(&line, "\t");
	size_t rank = strtoul(number, NULL, 10);

	if (!line)
		return;
	if (rank >= a->n_ranks) {
		a->rank = tape_must(
		    tape_grow_array(a->rank, room, rank + 1, sizeof *a->rank));
		memset(a->rank + a->n_ranks, 0,
		       (rank + 1 - a->n_ranks) * sizeof *a->rank);
		a->n_ranks = rank + 1;
	}
	a->rank[rank] = (struct live_rank_now){call, line, strtod(for_s, NULL)};
}

struct live_answer *live_answer_read(char *text)
{
	struct live_answer *a = tape_must(calloc(1, sizeof *a));
	char *rest = text, *line;
	size_t room = 0;

	a->text = text;
	a->now = a->json = "";
	while ((line = strsep(&rest, "\n"))) {
		switch (*line) {
		case LINE_SAID:
			add_line(&a->said, line + 1);
			break;
		case LINE_STUCK:
			add_line(&a->stuck, line + 1);
			break;
		case LINE_RANKS:
			add_line(&a->ranks, line + 1);
			break;
		case LINE_NOW:
			a->now = line + 1;
			break;
		case LINE_JSON:
			a->json = line + 1;
			break;
		case LINE_RANK:
			add_rank(a, &room, line + 1);
			break;
		}
	}
	return a;
}

void live_answer_free(struct live_answer *a)
{
	if (!a)
		return;
	free(a->text);
	free(a->said.line);
	free(a->stuck.line);
	free(a->ranks.line);
	free(a->rank);
	free(a);
}
