/* A chapter of the report: makes, saves and loads it; see report_html.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chapter.h"
#include "html.h"
#include "json.h"
#include "maps.h"
#include "phases.h"
#include "outside_time.h"
#include "run_efficiency.h"
#include "predicted.h"
#include "tool.h"
#include "traffic.h"

/* The first line of a saved chapter, and limits of its size. */
static const char magic[] = "tape-report-chapter 1";
enum { MOST_TEXT = 1 << 30, MOST_CALLS = 100000 };

static char *copy_text(const char *s)
{
	return tape_must(strdup(s));
}

/* ---- sums ---- */

/* "cg" of "runs/cg.sba.tape/" */
static char *program_name(const struct stats *s)
{
	char *path = copy_text(tape_trace_path(s->t)), *name, *end, *text;
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		path[--n] = '\0';
	name = strrchr(path, '/');
	name = name ? name + 1 : path;
	end = strstr(name, ".tape");
	if (end && end != name && !end[5])
		*end = '\0';
	text = copy_text(name);
	free(path);
	return text;
}

static char *time_base_text(const struct stats *s)
{
	if (tape_predicted(s->t))
		return copy_text("predicted");
	switch (tape_trace_base(s->t)) {
	case TAPE_BASE_LOCAL:
	case TAPE_BASE_GLOBAL:
		break;
	case TAPE_BASE_COMPENSATED:
		return copy_text("without tracing");
	}
	return copy_text("as measured");
}

/* Fills the calls of a sum from the table of calls. */
static void collect_calls(struct report_sum *r, const struct sheet *names)
{
	char text[1200];

	r->calls = sheet_count_rows(names);
	r->call = tape_must(calloc(r->calls + 1, sizeof *r->call));
	for (size_t i = 0; i < r->calls; i++) {
		struct report_call *c = &r->call[i];

		sheet_cell_text(names, i, html_column(names, "call"), text,
				sizeof text);
		c->name = copy_text(text);
		c->total_ns =
		    sheet_cell_value(names, i, html_column(names, "total"));
		c->calls =
		    sheet_cell_value(names, i, html_column(names, "calls"));
		c->bytes =
		    sheet_cell_value(names, i, html_column(names, "bytes"));
	}
}

/* Returns the line of tapestat's report on waiting or imbalance, or "". */
static char *main_finding(struct stats *s)
{
	char *text = NULL, *line, *rest, *said = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		tape_die_no_memory();
	stat_print_report(s, f);
	fclose(f);
	line = strtok_r(text, "\n", &rest); /* the title */
	while (line && (line = strtok_r(NULL, "\n", &rest)))
		if (strstr(line, " waited ") || strstr(line, "Nobody") ||
		    strstr(line, " computes longest") ||
		    strstr(line, " compute longest")) {
			said = copy_text(line);
			break;
		}
	free(text);
	return said ? said : copy_text("");
}

static size_t count_hosts(const struct stats *s)
{
	int *first = stat_first_of_host(s);
	size_t n = 0;

	for (size_t i = 0; i < s->ranks; i++)
		n += first[i] == (int)i;
	free(first);
	return n;
}

static void fill_report_sum(struct report_sum *r, struct chapter_draft *m)
{
	struct stats *s = m->s;
	const char *program = tape_trace_meta(s->t, "program", 0);

	*r = (struct report_sum){0};
	r->name = m->look->name ? copy_text(m->look->name) : program_name(s);
	r->base = time_base_text(s);
	r->said = main_finding(s);
	r->ranks = (double)s->ranks;
	r->hosts = (double)count_hosts(s);
	r->run_ns = (double)(s->to_ns - s->from_ns);
	for (size_t i = 0; i < m->ranks; i++) {
		r->all_ns += m->rank[i].length_ns;
		r->computing_ns += m->rank[i].computing_ns;
		r->waiting_ns += m->rank[i].waiting_ns;
		r->tracing_ns += m->rank[i].tracing_ns;
	}
	/* waiting in MPI_Finalize is not part of the calls */
	r->calls_ns = fmax(0, r->all_ns - r->computing_ns - r->waiting_ns -
				  r->tracing_ns);
	r->events = (double)s->events;
	r->messages = m->traffic->messages;
	r->bytes = m->traffic->bytes;
	r->incomplete = s->incomplete;
	if (program)
		r->program = copy_text(program);
	run_figures_get(&r->figures, s, r->name);
	collect_calls(r, m->table[STAT_NAMES]);
}

/* ---- data ---- */

/* Limit of the rows of a table: 65,536 ranks have more than 10^5 waits. */
enum { ROWS_OF_PAGE = 2000 };

static void write_chapter_data(struct chapter_draft *m,
			       const struct report_sum *r, FILE *f)
{
	fputs("{\"name\":", f);
	tape_json_put(f, r->name);
	fputs(",\"said\":", f);
	tape_json_put(f, r->said);
	putc(',', f);
	stat_print_report_json(m->s, f);
	for (int i = 0; i < STAT_TABLES; i++)
		if (m->table[i])
			sheet_json(m->table[i], m->look->all ? 0 : ROWS_OF_PAGE,
				   f);
	traffic_put_json(m->traffic, f);
	maps_put_json(m->maps, f);
	fputs("}", f);
}

/* ---- all of it ---- */

static void make_chapter_tables(struct chapter_draft *m)
{
	for (int i = 0; i < STAT_TABLES; i++)
		switch ((enum stat_table)i) {
		case STAT_PHASES:
			m->table[i] = m->look->phases
					  ? stat_phases_table(m->s, NULL, 60)
					  : NULL;
			break;
		case STAT_EFFICIENCY:
			m->table[i] = stat_efficiency_table(
			    m->s, NULL, m->look->phases ? 60 : SIZE_MAX, 1);
			break;
		case STAT_COUNTERS:
			m->table[i] =
			    m->s->counted.used ? stat_counters(m->s) : NULL;
			break;
		case STAT_OUTSIDE:
			m->table[i] = m->s->outside.used
					  ? stat_outside_table(m->s, NULL,
							       SIZE_MAX)
					  : NULL;
			break;
		case STAT_CALLS:
		case STAT_NAMES:
		case STAT_REGIONS:
		case STAT_RANKS:
		case STAT_WAITS:
		case STAT_CAUSES:
		case STAT_PATH:
		case STAT_HOSTS:
		case STAT_LEVELS:
		case STAT_SIZES:
		case STAT_COLLECTIVES:
			m->table[i] = stat_table(m->s, (enum stat_table)i);
			break;
		case STAT_MESSAGES:  /* see traffic.h, which limits them */
		case STAT_POSITIONS: /* has a line for each rank */
		case STAT_TABLES:
			break;
		}
}

struct report_chapter *report_chapter_new(struct stats *s,
					  const struct report_look *look)
{
	struct report_chapter *c = tape_must(calloc(1, sizeof *c));
	struct chapter_draft m = {.s = s, .look = look};
	FILE *f;

	m.rank = stat_ranks(s, &m.ranks);
	m.maps = maps_new(s, look->columns);
	m.traffic = traffic_new(s);
	make_chapter_tables(&m);
	fill_report_sum(&c->sum, &m);
	f = tape_must(open_memstream(&c->html, &c->n_html));
	chapter_put_overview(&m, f);
	chapter_put_efficiency(&m, f);
	chapter_put_calls(&m, f);
	chapter_put_waits(&m, f);
	chapter_put_messages(&m, f);
	chapter_put_maps(&m, f);
	chapter_put_phases(&m, f);
	chapter_put_quality(&m, f);
	if (fclose(f))
		tape_die_no_memory();
	f = tape_must(open_memstream(&c->json, &c->n_json));
	write_chapter_data(&m, &c->sum, f);
	if (fclose(f))
		tape_die_no_memory();
	for (int i = 0; i < STAT_TABLES; i++)
		sheet_free(m.table[i]);
	maps_free(m.maps);
	traffic_free(m.traffic);
	free(m.rank);
	return c;
}

void report_chapter_free(struct report_chapter *c)
{
	if (!c)
		return;
	for (size_t i = 0; c->sum.call && i < c->sum.calls; i++)
		free(c->sum.call[i].name);
	free(c->sum.call);
	free(c->sum.name);
	free(c->sum.base);
	free(c->sum.said);
	free(c->sum.program);
	free(c->html);
	free(c->json);
	free(c);
}

/* ---- between processes ---- */

/* The numbers of a sum, in order. */
enum { NUMBERS = 12 };

static void list_sum_numbers(struct report_sum *r, double *at[NUMBERS])
{
	double *const all[NUMBERS] = {
	    &r->ranks,	      &r->hosts,    &r->run_ns,	    &r->all_ns,
	    &r->computing_ns, &r->calls_ns, &r->waiting_ns, &r->tracing_ns,
	    &r->events,	      &r->messages, &r->bytes,	    &r->incomplete};

	memcpy(at, all, sizeof all);
}

static void save_text(FILE *f, const char *s, size_t n)
{
	fprintf(f, "%zu\n", n);
	fwrite(s, 1, n, f);
	putc('\n', f);
}

void report_chapter_save(const struct report_chapter *c, FILE *f)
{
	struct report_sum r = c->sum;
	double *at[NUMBERS];

	list_sum_numbers(&r, at);
	fprintf(f, "%s\n", magic);
	save_text(f, r.name, strlen(r.name));
	save_text(f, r.base, strlen(r.base));
	save_text(f, r.said, strlen(r.said));
	for (int i = 0; i < NUMBERS; i++)
		fprintf(f, "%.17g\n", *at[i]);
	fprintf(f, "%zu\n", r.calls);
	for (size_t i = 0; i < r.calls; i++) {
		save_text(f, r.call[i].name, strlen(r.call[i].name));
		fprintf(f, "%.17g %.17g %.17g\n", r.call[i].total_ns,
			r.call[i].calls, r.call[i].bytes);
	}
	save_text(f, c->html, c->n_html);
	save_text(f, c->json, c->n_json);
}

/* Returns NULL if the text is incomplete. */
static char *load_text(FILE *f, size_t *n)
{
	unsigned long long k;
	char *s;

	if (fscanf(f, "%llu", &k) != 1 || getc(f) != '\n' || k > MOST_TEXT)
		return NULL;
	s = tape_must(malloc(k + 1));
	if (fread(s, 1, k, f) != k || getc(f) != '\n') {
		free(s);
		return NULL;
	}
	s[k] = '\0';
	*n = k;
	return s;
}

static int load_calls(FILE *f, struct report_sum *r)
{
	size_t n;

	if (fscanf(f, "%zu", &r->calls) != 1 || r->calls > MOST_CALLS)
		return 0;
	r->call = tape_must(calloc(r->calls + 1, sizeof *r->call));
	for (size_t i = 0; i < r->calls; i++) {
		struct report_call *c = &r->call[i];

		c->name = load_text(f, &n);
		if (!c->name || fscanf(f, "%lf %lf %lf", &c->total_ns,
				       &c->calls, &c->bytes) != 3)
			return 0;
	}
	return 1;
}

struct report_chapter *report_chapter_load(FILE *f)
{
	struct report_chapter *c = tape_must(calloc(1, sizeof *c));
	double *at[NUMBERS];
	char line[64];
	size_t n;
	int good;

	good = fgets(line, sizeof line, f) &&
	       !strncmp(line, magic, sizeof magic - 1) &&
	       (c->sum.name = load_text(f, &n)) &&
	       (c->sum.base = load_text(f, &n)) &&
	       (c->sum.said = load_text(f, &n));
	list_sum_numbers(&c->sum, at);
	for (int i = 0; i < NUMBERS; i++)
		good = good && fscanf(f, "%lf", at[i]) == 1;
	good = good && load_calls(f, &c->sum) &&
	       (c->html = load_text(f, &c->n_html)) &&
	       (c->json = load_text(f, &c->n_json));
	if (good)
		return c;
	report_chapter_free(c);
	return NULL;
}
