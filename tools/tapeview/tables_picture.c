/* Pictures of tables: the matrix of messages, a histogram. See picture.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "picture.h"
#include "place.h"
#include "svg.h"
#include "tool.h"

/* ---- the matrix ---- */

void picture_matrix(const struct view *v, FILE *f)
{
	double top = 70, side = fmin(60, 640 / (double)v->n_cells), x0 = 100;
	double size = side * (double)v->n_cells;
	size_t every = (size_t)ceil(28 / side);
	uint64_t most = 1;
	char about[1024];

	for (size_t i = 0; i < v->n_cells * v->n_cells; i++)
		if (v->cells[i].bytes > most)
			most = v->cells[i].bytes;
	picture_open(f, top + size + 40);
	view_about_text(v, about, sizeof about);
	picture_text(f, 20, 22, "start", "%.120s", about);
	picture_text(f, x0, 44, "start", "%" PRIu64 " messages, %" PRIu64
		     " bytes; darkest: %" PRIu64 " bytes; numbers: messages. "
		     "Rows send, columns receive.", v->messages, v->bytes,
		     most);
	for (size_t i = 0; i < v->n_cells; i += every) {
		double at = ((double)i + 0.5) * side;

		picture_text(f, x0 - 8, top + at + 4, "end", "%zu",
			     i * v->ranks_of_cell);
		picture_text(f, x0 + at, top - 6, "middle", "%zu",
			     i * v->ranks_of_cell);
	}
	for (size_t i = 0; i < v->n_cells * v->n_cells; i++) {
		const struct view_cell *c = &v->cells[i];
		double x = x0 + side * (double)(i % v->n_cells);
		double y = top + side * (double)(i / v->n_cells);

		double part = sqrt((double)c->bytes / (double)most);

		if (!c->messages)
			continue;
		fprintf(f, "<path class=\"g1\" fill-opacity=\"%.3f\" "
			"d=\"M%.1f %.1fh%.1fv%.1fh%.1fz\"/>\n",
			0.12 + 0.88 * part, x, y, side, side, -side);
		if (side >= 30)
			fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor="
				"\"middle\" style=\"fill:%s\">%" PRIu64
				"</text>\n", x + side / 2, y + side / 2 + 4,
				part > 0.55 ? "white" : "black", c->messages);
	}
	fprintf(f, "<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" "
		"width=\"%.1f\" height=\"%.1f\"/>\n", x0, top, size, size);
	picture_close(f);
}

/* ---- the histogram ---- */

/* Logarithmic bins: PER_OCTAVE of them for each doubling, from 1 ns on. */
enum { PER_OCTAVE = 6, BINS = 64 * PER_OCTAVE };

struct times {
	uint64_t n[BINS], calls, sites;
	int64_t sum_ns, most_ns;
	char name[TAPE_PLACE_BYTES + 80];
};

static int site_name_matches(const struct tape_site_info *s, const char *word,
			     char *name, size_t n)
{
	char place[TAPE_PLACE_BYTES];

	if (!s->call)
		return 0;
	snprintf(name, n, "%s %s", tape_call_name(s->call),
		 tape_place_text(s, place, sizeof place));
	return strstr(name, word) != NULL;
}

/* Returns by rank and call site: 1 if its name contains word. */
static unsigned char **choose_sites(const struct tape_trace *t,
				    const char *word, struct times *x)
{
	size_t ranks = tape_trace_ranks(t);
	unsigned char **is = view_alloc(ranks, sizeof *is);
	char name[sizeof x->name];

	for (size_t r = 0; r < ranks; r++) {
		const struct tape_rank_info *k = tape_trace_rank(t, (int)r);

		is[r] = view_alloc(k->n_sites, 1);
		for (size_t i = 1; i < k->n_sites; i++) {
			is[r][i] = (unsigned char)site_name_matches(
			    &k->sites[i], word, name, sizeof name);
			if (!is[r][i] || !strcmp(name, x->name))
				continue;
			if (!x->sites++)
				strcpy(x->name, name);
		}
	}
	return is;
}

static void count_call_time(struct times *x, int64_t ns)
{
	double at = ns > 1 ? log2((double)ns) * PER_OCTAVE : 0;

	x->n[(int)fmin(at, BINS - 1)]++;
	x->calls++;
	x->sum_ns += ns;
	if (ns > x->most_ns)
		x->most_ns = ns;
}

static void read_call_times(struct tape_trace *t, unsigned char **is,
			    struct times *x)
{
	const struct tape_event *e;
	struct tape_flow *f;
	int rc;

	for (size_t i = 0; i < tape_trace_flows(t); i++) {
		if (tape_flow_open(t, i, &f))
			tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
		while ((rc = tape_flow_next(f, &e)) == 1)
			if (e->call && e->polls == 1 && is[e->rank][e->site])
				count_call_time(x, e->inside_ns);
		if (rc == TAPE_ENOMEM)
			tape_die_no_memory();
		tape_flow_close(f);
	}
}

/* Draws marks at 1, 2 and 5 times powers of ten, where they fit. */
static void draw_time_marks(FILE *f, int first, int last, double width,
			    double y)
{
	static const double times[] = { 1, 2, 5 };
	double drawn = 0;
	char text[40];

	for (int i = 0; i < 3 * 19; i++) {
		double ns = times[i % 3] * pow(10, i / 3);
		double x = PICTURE_LEFT +
			   (log2(ns) * PER_OCTAVE - first) * width;

		if (x < PICTURE_LEFT || x < drawn ||
		    x > PICTURE_LEFT + (last + 1 - first) * width)
			continue;
		drawn = x + 60;
		fprintf(f, "<path class=\"frame\" d=\"M%.1f %.1fv4\"/>\n", x,
			y);
		picture_text(f, x, y + 17, "middle", "%s",
			     picture_duration(ns, text, sizeof text));
	}
}

static void draw_histogram_bars(const struct times *x, FILE *f, double top,
				double height)
{
	int first = 0, last = BINS - 1;
	uint64_t most = 1;
	double width, plot = PICTURE_WIDTH - PICTURE_LEFT - PICTURE_RIGHT;

	while (first < last && !x->n[first])
		first++;
	while (last > first && !x->n[last])
		last--;
	for (int i = first; i <= last; i++)
		most = x->n[i] > most ? x->n[i] : most;
	width = plot / (last - first + 1);
	for (int i = first; i <= last; i++) {
		double h = height * (double)x->n[i] / (double)most;
		double at = PICTURE_LEFT + (i - first) * width;

		if (x->n[i])
			fprintf(f, "<path class=\"g1\" d=\"M%.2f %.2fh%.2fv%.2f"
				"h%.2fz\"/>\n", at, top + height - fmax(h, 1),
				fmax(width - 0.5, 0.5), fmax(h, 1),
				-fmax(width - 0.5, 0.5));
	}
	draw_time_marks(f, first, last, width, top + height);
	picture_text(f, PICTURE_LEFT - 8, top + 10, "end", "%" PRIu64, most);
	picture_text(f, PICTURE_LEFT - 8, top + height, "end", "0");
	fprintf(f, "<path class=\"frame\" d=\"M%d %.1fv%.1fh%.1f\"/>\n",
		PICTURE_LEFT, top, height, plot);
}

void picture_histogram(struct tape_trace *t, const char *word, FILE *f)
{
	struct times *x = view_alloc(1, sizeof *x);
	unsigned char **is = choose_sites(t, word, x);
	double top = 70, height = 300;
	char mean[40], most[40];

	if (!x->sites)
		tape_die(TAPE_FAILED,
			 "%s: no call site has %s in its name; tapedump -i "
			 "lists them",
			 tape_trace_path(t), word);
	read_call_times(t, is, x);
	picture_open(f, top + height + 50);
	if (x->sites == 1)
		picture_text(f, PICTURE_LEFT, 24, "start", "%s", x->name);
	else
		picture_text(f, PICTURE_LEFT, 24, "start",
			     "%" PRIu64 " call sites with %s", x->sites, word);
	picture_text(f, PICTURE_LEFT, 46, "start",
		     "%" PRIu64 " calls, mean %s, longest %s", x->calls,
		     picture_duration(x->calls ? (double)x->sum_ns /
							 (double)x->calls
					       : 0, mean, sizeof mean),
		     picture_duration((double)x->most_ns, most, sizeof most));
	draw_histogram_bars(x, f, top, height);
	picture_text(f, PICTURE_WIDTH - PICTURE_RIGHT, top + height + 36, "end",
		     "time of a call");
	picture_close(f);
	for (size_t r = 0; r < tape_trace_ranks(t); r++)
		free(is[r]);
	free(is);
	free(x);
}
