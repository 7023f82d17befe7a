/* See maps.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gif.h"
#include "growing_array.h"
#include "html.h"
#include "json.h"
#include "maps.h"
#include "sort.h"
#include "svg.h"
#include "tool.h"

/* The quantities that a call has a map of. */
enum what { HITS, TIME, WAITING, BYTES, OF_CALL };

static const struct {
	const char *name;
	enum sheet_unit unit;
} whats[OF_CALL] = {
    [HITS] = {"hits", SHEET_COUNT},
    [TIME] = {"time", SHEET_SECONDS},
    [WAITING] = {"waiting", SHEET_SECONDS},
    [BYTES] = {"bytes", SHEET_BYTES},
};

/* Pixels: width of a map, size of the largest cell. Most columns of a map. */
enum { WIDTH = 168, LARGEST = 28, COLUMNS_MOST = 512 };

int maps_columns(int cells)
{
	int root = (int)ceil(sqrt((double)cells));

	for (int c = root; c <= 2 * root && c <= cells; c++)
		if (cells % c == 0)
			return c;
	return root > 0 ? root : 1;
}

/* ---- values ---- */

/* Adds a map: each cell is the mean over its ranks that are in the trace. */
static void add_map(struct maps *m, const struct stats *s, const char *of,
		    const char *what, enum sheet_unit unit,
		    const double *by_rank, const unsigned char *there)
{
	struct map *p;
	double sum = 0;
	size_t n = 0;

	m->map = tape_must(
	    tape_grow_array(m->map, &m->room, m->n + 1, sizeof *m->map));
	p = &m->map[m->n++];
	*p = (struct map){of, what, unit, NULL, INFINITY, -INFINITY, 0};
	p->value = tape_must(calloc((size_t)m->cells + 1, sizeof *p->value));
	for (int c = 0; c < m->cells; c++) {
		double all = 0;
		int ranks = 0;

		for (int i = 0; i < m->per_cell; i++) {
			size_t r = (size_t)c * (size_t)m->per_cell + (size_t)i;

			if (r >= s->ranks || !there[r])
				continue;
			all += by_rank[r];
			ranks++;
		}
		p->value[c] = ranks ? all / ranks : NAN;
		if (!ranks)
			continue;
		p->least = fmin(p->least, p->value[c]);
		p->most = fmax(p->most, p->value[c]);
		sum += p->value[c];
		n++;
	}
	p->mean = n ? sum / (double)n : NAN;
}

/* Adds the maps of a rank's whole time. */
static void add_rank_maps(struct maps *m, const struct stats *s,
			  const unsigned char *there)
{
	size_t n;
	struct stat_rank *r = stat_ranks(s, &n);
	double *v[3];

	for (int k = 0; k < 3; k++)
		v[k] = tape_must(calloc(s->ranks + 1, sizeof *v[k]));
	for (size_t i = 0; i < n; i++) {
		v[0][r[i].rank] = r[i].computing_ns;
		v[1][r[i].rank] = r[i].mpi_ns;
		v[2][r[i].rank] = r[i].waiting_ns;
	}
	add_map(m, s, "all of a rank's time", "computing", SHEET_SECONDS, v[0],
		there);
	add_map(m, s, "all of a rank's time", "in calls", SHEET_SECONDS, v[1],
		there);
	if (s->comparable)
		add_map(m, s, "all of a rank's time", "waiting", SHEET_SECONDS,
			v[2], there);
	for (int k = 0; k < 3; k++)
		free(v[k]);
	free(r);
}

/* Sums of a call, by quantity and rank. */
struct of_call {
	uint32_t call;
	double total_ns;
	double *v[OF_CALL];
};

static int order_by_total(const void *a, const void *b)
{
	const struct of_call *x = a, *y = b;

	if (x->total_ns != y->total_ns)
		return x->total_ns < y->total_ns ? 1 : -1;
	return x->call < y->call ? -1 : x->call > y->call;
}

static void add_call_sum(const struct stats *s, struct of_call *c,
			 const struct stats_part *p)
{
	int rank = tape_trace_flow(s->t, p->flow)->rank;

	if (!c->v[0])
		for (int k = 0; k < OF_CALL; k++)
			c->v[k] =
			    tape_must(calloc(s->ranks + 1, sizeof **c->v));
	c->total_ns += p->total_ns;
	c->v[HITS][rank] += (double)p->hits;
	c->v[TIME][rank] += p->total_ns;
	c->v[WAITING][rank] += p->waiting_ns;
	c->v[BYTES][rank] += p->bytes;
}

static void add_maps_of_call(struct maps *m, const struct stats *s,
			     const struct of_call *c,
			     const unsigned char *there)
{
	const char *name = tape_call_name(c->call);

	for (int k = 0; k < OF_CALL; k++) {
		double most = 0;

		for (size_t r = 0; r < s->ranks; r++)
			most = fmax(most, c->v[k][r]);
		if (most > 0)
			add_map(m, s, name, whats[k].name, whats[k].unit,
				c->v[k], there);
	}
}

static void add_call_maps(struct maps *m, const struct stats *s,
			  const unsigned char *there)
{
	struct of_call *c = tape_must(calloc(TAPE_CALL_COUNT, sizeof *c));
	const struct stats_part *p;
	uint64_t key;

	for (uint32_t i = 0; i < TAPE_CALL_COUNT; i++)
		c[i].call = i;
	for (size_t at = 0; (p = tape_table_each(&s->parts, &at, &key));) {
		const struct tape_activity *a =
		    tape_place_get(s->places, p->place);

		if (a->kind == TAPE_ACTIVITY_CALL)
			add_call_sum(s, &c[a->call], p);
	}
	tape_sort(c, TAPE_CALL_COUNT, sizeof *c, order_by_total);
	for (size_t i = 0; i < TAPE_CALL_COUNT; i++) {
		if (!c[i].v[0])
			continue;
		add_maps_of_call(m, s, &c[i], there);
		for (int k = 0; k < OF_CALL; k++)
			free(c[i].v[k]);
	}
	free(c);
}

struct maps *maps_new(const struct stats *s, int columns)
{
	struct maps *m = tape_must(calloc(1, sizeof *m));
	unsigned char *there = tape_must(calloc(s->ranks + 1, 1));

	for (size_t i = 0; i < s->flows; i++)
		if (s->flow[i].events)
			there[tape_trace_flow(s->t, i)->rank] = 1;
	m->per_cell = (int)((s->ranks + MAPS_CELLS - 1) / MAPS_CELLS);
	m->per_cell = m->per_cell ? m->per_cell : 1;
	m->cells =
	    (int)((s->ranks + (size_t)m->per_cell - 1) / (size_t)m->per_cell);
	m->columns = columns > 0 ? columns : maps_columns(m->cells);
	if (m->columns > m->cells)
		m->columns = m->cells ? m->cells : 1;
	if (m->columns > COLUMNS_MOST)
		m->columns = COLUMNS_MOST;
	m->rows = (m->cells + m->columns - 1) / m->columns;
	add_rank_maps(m, s, there);
	add_call_maps(m, s, there);
	free(there);
	return m;
}

void maps_free(struct maps *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->n; i++)
		free(m->map[i].value);
	free(m->map);
	free(m);
}

/* ---- pictures ---- */

/* Returns 1 if all values are equal, except for rounding. */
static int is_same_on_all(const struct map *p)
{
	return !(p->most - p->least > 1e-9 * fabs(p->most));
}

static void draw_map_picture(const struct maps *m, const struct map *p, FILE *f)
{
	size_t n = (size_t)m->columns * (size_t)m->rows;
	unsigned char *cell = tape_must(calloc(n + 1, 1));
	int pixels = WIDTH / m->columns;

	for (int c = 0; c < m->cells; c++)
		if (isfinite(p->value[c]))
			cell[c] = gif_shade((p->value[c] - p->least) /
					    (p->most - p->least));
	pixels = pixels > LARGEST ? LARGEST : pixels < 1 ? 1 : pixels;
	fprintf(f,
		"<img class=\"cells\" width=\"%d\" height=\"%d\" "
		"alt=\"%s of each rank\" src=\"",
		pixels * m->columns, pixels * m->rows, p->what);
	gif_write(f, cell, m->columns, m->rows);
	fputs("\">", f);
	free(cell);
}

/* Maps of one quantity are in one column of the page. */
static int column_of(const char *what)
{
	for (int k = 0; k < OF_CALL; k++)
		if (!strcmp(what, whats[k].name))
			return k + 1;
	return strcmp(what, "computing") ? 2 : 1;
}

static void put_map_figure(const struct maps *m, size_t i, FILE *f)
{
	const struct map *p = &m->map[i];
	char a[40], b[40];

	fprintf(f,
		"<figure class=\"map\" data-map=\"%zu\" "
		"style=\"grid-column:%d\"><figcaption>",
		i, column_of(p->what));
	tape_svg_text(f, p->what);
	fputs("</figcaption>", f);
	if (!isfinite(p->mean)) {
		fputs("<p class=\"faint\">no rank</p></figure>\n", f);
		return;
	}
	if (is_same_on_all(p)) {
		fprintf(f, "<p class=\"even\">%s on every rank</p></figure>\n",
			html_value(p->mean, p->unit, a, sizeof a));
		return;
	}
	draw_map_picture(m, p, f);
	fprintf(f, "<p class=\"scale\"><span>%s</span><i></i><span>%s</span>",
		html_value(p->least, p->unit, a, sizeof a),
		html_value(p->most, p->unit, b, sizeof b));
	fprintf(f, "</p><p class=\"faint\">mean %s",
		html_value(p->mean, p->unit, a, sizeof a));
	if (p->mean > 0)
		fprintf(f, ", max/mean %.2f", p->most / p->mean);
	fputs("</p></figure>\n", f);
}

void maps_put_html(const struct maps *m, FILE *f)
{
	for (size_t i = 0; i < m->n; i++) {
		if (!i || strcmp(m->map[i].of, m->map[i - 1].of)) {
			fprintf(f, "%s<div class=\"maps\"><h4>",
				i ? "</div>\n" : "");
			tape_svg_text(f, m->map[i].of);
			fputs("</h4>\n", f);
		}
		put_map_figure(m, i, f);
	}
	if (m->n)
		fputs("</div>\n", f);
}

/* Writes times in seconds, as in all JSON output. */
static void put_map_value(const struct map *p, double v, FILE *f)
{
	if (!isfinite(v))
		fputs("null", f);
	else
		fprintf(f, "%.15g", p->unit == SHEET_SECONDS ? v / 1e9 : v);
}

void maps_put_json(const struct maps *m, FILE *f)
{
	fprintf(f,
		",\"maps\":{\"columns\":%d,\"rows\":%d,\"ranks_of_cell\":%d,"
		"\"map\":[",
		m->columns, m->rows, m->per_cell);
	for (size_t i = 0; i < m->n; i++) {
		const struct map *p = &m->map[i];

		fprintf(f, "%s{\"of\":", i ? "," : "");
		tape_json_put(f, p->of);
		fprintf(f, ",\"what\":\"%s\",\"unit\":\"%s\",\"values\":[",
			p->what,
			p->unit == SHEET_SECONDS ? "s"
			: p->unit == SHEET_BYTES ? "bytes"
						 : "");
		for (int c = 0; c < m->cells; c++) {
			if (c)
				putc(',', f);
			put_map_value(p, p->value[c], f);
		}
		fputs("]}", f);
	}
	fputs("]}", f);
}
