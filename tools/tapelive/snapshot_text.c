/* A snapshot for a terminal; see live.h. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "escape.h"
#include "screen.h"
#include "snapshot.h"

/* Least numbers of waits and calls; width of a bar. */
enum { LEAST_WAITS = 3, LEAST_CALLS = 3, BAR = 20 };
/* Lines of a log for one snapshot, at most. */
enum { LOG_LINES = 100 };

struct page {
	FILE *f;
	int rows, columns, used;
};

/* Writes a line, cut at the terminal's width; none below its last row. */
__attribute__((format(printf, 2, 3))) static void
put_screen_line(struct page *g, const char *format, ...)
{
	char text[2 * TAPE_PLACE_BYTES];
	va_list ap;
	int n = 0;

	if (g->used >= g->rows)
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	/* counts characters, not the continuation bytes of UTF-8 */
	for (const char *c = text; *c; c++) {
		n += ((unsigned char)*c & 0xc0) != 0x80;
		if (n > g->columns)
			break;
		fputc(*c == '\n' || *c == SCREEN_NEXT ? ' ' : *c, g->f);
	}
	fputc(SCREEN_NEXT, g->f);
	g->used++;
}

/* "12.3 k", "4.6 M"; "-" if unknown */
static const char *count_text(double v, char *text, size_t n)
{
	static const char *const unit[] = {"", " k", " M", " G", " T"};
	unsigned i = 0;

	if (!isfinite(v)) {
		snprintf(text, n, "-");
		return text;
	}
	for (; fabs(v) >= 999.5 && i < 4; i++)
		v /= 1000;
	snprintf(text, n, "%.*f%s", i && fabs(v) < 100 ? 1 : 0, v, unit[i]);
	return text;
}

/* "12.3 kB", "0 B" */
static const char *bytes_text(double v, char *text, size_t n)
{
	count_text(v, text, n - 2);
	if (isfinite(v))
		strcat(text, strchr(text, ' ') ? "B" : " B");
	return text;
}

static double percent_of(double part, double all)
{
	return all > 0 ? 100 * part / all : 0;
}

/* "computing 61%, MPI 38% (waiting 30%), tracing 0.4%" */
static const char *shares_text(const struct times *t, char *text, size_t n)
{
	snprintf(text, n,
		 "computing %.0f%%, in calls %.0f%% (waiting %.0f%%), "
		 "tracing %.1f%%",
		 percent_of(t->computing, t->all), percent_of(t->mpi, t->all),
		 percent_of(t->waiting, t->all),
		 percent_of(t->tracing, t->all));
	return text;
}

/* Writes the status of each plug-in that reports one. */
static void put_plugin_lines(const struct live_snapshot *p, struct page *g)
{
	char status[TAPE_PLUGINS_STATUS], text[512];
	const char *file;

	for (size_t i = 0;
	     p->plugins && (file = tape_plugins_file(p->plugins, i)); i++) {
		tape_plugins_status(p->plugins, i, (uint32_t)p->number + 1,
				    status, sizeof status);
		if (*status)
			put_screen_line(g, "%s: %s", strrchr(file, '/') + 1,
					tape_clean(status, text, sizeof text));
	}
}

/* Writes at most most of the lines. */
static void put_answer_lines(const struct live_lines *l, size_t most,
			     struct page *g)
{
	for (size_t i = 0; i < l->n && i < most; i++)
		put_screen_line(g, "%s", l->line[i]);
}

/* What can never end, and the sentences of the report so far. */
static void put_answer(const struct live_answer *a, struct page *g)
{
	size_t most = (size_t)g->rows / 3;

	if (!a)
		return;
	put_answer_lines(&a->stuck, most, g);
	put_answer_lines(&a->said, most, g);
	if (*a->now)
		put_screen_line(g, "now: %s", a->now);
}

static void put_head_lines(const struct live_snapshot *p, struct page *g)
{
	struct times now = live_snapshot_times_since(p);
	char name[512], events[32], bytes[32], behind[32], text[128];
	double s = (double)(p->s->to_ns - p->s->from_ns) / 1e9;

	tape_clean(*p->name ? p->name : p->trace, name, sizeof name);
	count_text(
	    live_snapshot_rate(p, (double)p->events, (double)p->events_then),
	    events, sizeof events);
	bytes_text(live_snapshot_rate(p, p->bytes, p->bytes_then), bytes,
		   sizeof bytes);
	put_screen_line(g,
			"%zu %s  %s  %.1f s, %zu ranks on %zu host%s, %" PRIu64
			" events",
			p->number + 1, name, p->state, s, p->s->ranks, p->hosts,
			p->hosts == 1 ? "" : "s", p->events);
	put_answer(p->answer, g);
	bytes_text((double)p->behind_bytes, behind, sizeof behind);
	if (isfinite(p->behind_s))
		put_screen_line(g,
				"%s events/s, %s/s; %.1f s and %s not yet read",
				events, bytes, p->behind_s, behind);
	else
		put_screen_line(g, "%s events/s, %s/s; %s not yet read", events,
				bytes, behind);
	put_screen_line(
	    g, "now: %s",
	    shares_text(now.all > 0 ? &now : &p->times, text, sizeof text));
	put_screen_line(g, "all: %s",
			shares_text(&p->times, text, sizeof text));
	if (!p->s->comparable)
		put_screen_line(g, "the clocks are not synchronised: waiting "
				   "times are not available");
	else if (isfinite(p->clock_s) && p->clock_s > 0)
		put_screen_line(g, "timestamps are uncertain by %.3g us",
				p->clock_s * 1e6);
	put_plugin_lines(p, g);
}

/* The time of a rank as letters: # computes, m in calls, w waits, . traced. */
static const char *rank_time_bar(const struct stat_rank *r, char *text)
{
	double all = r->length_ns > 0 ? r->length_ns : 1;
	int computes = (int)lround(BAR * r->computing_ns / all);
	int waits = (int)lround(BAR * r->waiting_ns / all);
	int traced = (int)lround(BAR * r->tracing_ns / all);

	for (int i = 0; i < BAR; i++)
		text[i] = i < computes		  ? '#'
			  : i >= BAR - waits	  ? 'w'
			  : i < computes + traced ? '.'
						  : 'm';
	text[BAR] = '\0';
	return text;
}

static void put_rank_lines(const struct live_snapshot *p, struct page *g,
			   int most)
{
	char text[TAPE_PLACE_BYTES], b[BAR + 1];
	const struct live_rank_now *now;
	int n = 0;

	put_screen_line(g, "%s", "");
	put_screen_line(
	    g, " rank computing   calls waiting  # computes m in calls w "
	       "waits  doing");
	for (size_t i = 0; i < p->n_ranks && n < most; i++, n++) {
		const struct stat_rank *r = &p->ranks[i];

		now = live_snapshot_rank_now(p, r->rank);
		live_snapshot_current_call(p, r->rank, text);
		put_screen_line(g, "%5d %8.0f%% %6.0f%% %6.0f%%  %s  %s",
				r->rank,
				percent_of(r->computing_ns, r->length_ns),
				percent_of(r->mpi_ns, r->length_ns),
				percent_of(r->waiting_ns, r->length_ns),
				rank_time_bar(r, b), now ? now->what : text);
	}
	if ((size_t)n < p->n_ranks)
		put_screen_line(g, "      and %zu more",
				p->n_ranks - (size_t)n);
}

static void put_wait_lines(const struct live_snapshot *p, struct page *g,
			   int most)
{
	char text[TAPE_PLACE_BYTES];

	if (!p->n_waits || most < 1)
		return;
	put_screen_line(g, "%s", "");
	put_screen_line(g, "   waiting  rank  for rank  in");
	for (size_t i = 0; i < p->n_waits && (int)i < most; i++) {
		const struct wait_line *w = &p->waits[i];

		put_screen_line(g, "%8.3f s %5d %9d  %s (%s)", w->ns / 1e9,
				w->rank, w->late,
				tape_activity_text(p->s->places, w->call, text,
						   sizeof text),
				tape_wait_name((enum tape_wait_kind)w->kind));
	}
}

static void put_call_lines(const struct live_snapshot *p, struct page *g,
			   int most)
{
	char text[TAPE_PLACE_BYTES], n[32];

	if (!p->n_calls || most < 1)
		return;
	put_screen_line(g, "%s", "");
	put_screen_line(g, "     total   share    calls  call site");
	for (size_t i = 0; i < p->n_calls && (int)i < most; i++) {
		const struct stats_place *q = &p->s->place[p->calls[i].place];

		put_screen_line(g, "%8.3f s %6.1f%% %8s  %s", q->total_ns / 1e9,
				percent_of(q->total_ns, p->times.all),
				count_text((double)q->calls, n, sizeof n),
				tape_activity_text(p->s->places,
						   p->calls[i].place, text,
						   sizeof text));
	}
}

/*
 * For a log: where the ranks are, if one of them can never go on or nothing was
 * recorded since the snapshot before.
 */
static void put_where_lines(const struct live_snapshot *p, const char *name,
			    struct page *g)
{
	const struct live_answer *a = p->answer;
	const struct live_lines *list[2];

	if (!a ||
	    (!a->stuck.n && (p->shots < 2 || p->events != p->events_then)))
		return;
	list[0] = &a->stuck;
	list[1] = &a->ranks;
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < list[k]->n; i++)
			put_screen_line(g, "%s: %s", name, list[k]->line[i]);
}

/* Writes the snapshot as a line for a log, and where ranks hang. */
static void put_log_lines(const struct live_snapshot *p, struct page *g)
{
	struct times now = live_snapshot_times_since(p);
	char name[512], events[32], text[128], call[TAPE_PLACE_BYTES] = "";
	const struct wait_line *w = p->n_waits ? p->waits : NULL;

	tape_clean(*p->name ? p->name : p->trace, name, sizeof name);
	if (!p->s) {
		put_screen_line(g, "%s: %s", name, p->state);
		return;
	}
	count_text(
	    live_snapshot_rate(p, (double)p->events, (double)p->events_then),
	    events, sizeof events);
	shares_text(now.all > 0 ? &now : &p->times, text, sizeof text);
	if (p->answer && p->answer->stuck.n)
		*call = '\0';
	else if (p->answer && p->answer->said.n > 1)
		snprintf(call, sizeof call, "; %s", p->answer->said.line[1]);
	else if (w)
		snprintf(call, sizeof call,
			 "; rank %d waited %.3f s for rank %d", w->rank,
			 w->ns / 1e9, w->late);
	put_screen_line(g, "%s: %.1f s, %s events/s, %s%s", name,
			(double)(p->s->to_ns - p->s->from_ns) / 1e9, events,
			text, call);
	if (p->answer && *p->answer->now)
		put_screen_line(g, "%s: now: %s", name, p->answer->now);
	put_where_lines(p, name, g);
}

void live_snapshot_put_text(const struct live_snapshot *p, FILE *f, int rows,
			    int columns)
{
	struct page g = {f, rows, columns, 0};
	int left, of_ranks, of_waits;

	if (rows < 2) {
		g.rows = LOG_LINES;
		put_log_lines(p, &g);
		return;
	}
	if (!p->s) {
		put_screen_line(&g, "%zu %s  %s", p->number + 1, p->trace,
				p->state);
		return;
	}
	put_head_lines(p, &g);
	/* two lines above each list, one below that of ranks */
	left = rows - g.used - 7;
	of_ranks = left - LEAST_WAITS - LEAST_CALLS;
	if (of_ranks > (int)p->n_ranks)
		of_ranks = (int)p->n_ranks;
	if (of_ranks > 0)
		put_rank_lines(p, &g, of_ranks);
	left = rows - g.used - 4;
	of_waits = left / 2 > LEAST_WAITS ? left / 2 : LEAST_WAITS;
	put_wait_lines(p, &g, of_waits < left ? of_waits : left);
	put_call_lines(p, &g, rows - g.used - 2);
}
