/*
 * tapeview: a trace -> one HTML file for a browser. pass.c reads the trace,
 * page_data.c lays out the data, page.c writes the page. The source of the page
 * is in body.html, style.css and *.js. Or a trace -> a picture: picture.h.
 */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "option_number.h"
#include "number_text.h"
#include "damage.h"
#include "file_output.h"
#include "page.h"
#include "picture.h"
#include "program_options.h"
#include "resolve.h"
#include "result_name.h"
#include "tool.h"

/* Width of a PNG, pixels: enough for a column of a paper at 300 dots an inch.
 */
enum { PNG_WIDTH = 2 * PICTURE_WIDTH };

/*
 * Limit of single events, bytes: about a million events, which browsers still
 * move quickly. Even without deflate the page is then small enough.
 */
enum { MOST = 13500000 };

struct options {
	char name[4200];
	double from_s, to_s;
	const char *ranks, *site, *source;
	int svg, png, matrix;
};

/* Parses "0-3,7" into a byte for each rank: 1 if it is in the list. */
static unsigned char *parse_rank_list(const char *text, size_t ranks)
{
	unsigned char *is = view_alloc(ranks, 1);
	const char *s = text;

	for (;;) {
		uint64_t a, b;

		if (tape_parse_range(&s, UINT64_MAX, &a, &b) ||
		    (*s && *s != ','))
			tape_die(TAPE_USAGE,
				 "--ranks %s: expected a list such as 0-3,7",
				 text);
		if (b >= ranks)
			tape_die(TAPE_USAGE, "--ranks %s: the trace has ranks "
				 "0 to %zu", text, ranks - 1);
		while (a <= b)
			is[a++] = 1;
		if (!*s++)
			return is;
	}
}

static void parse_view_options(struct options *o, int argc, char **argv)
{
	int c;

	while ((c = tape_option_next("tapeview", argc, argv)) != -1)
		if (c == 'o' && *optarg && strlen(optarg) < sizeof o->name)
			strcpy(o->name, optarg);
		else if (c == OPTION_FROM)
			o->from_s = tape_option_seconds(optarg, "--from");
		else if (c == OPTION_TO)
			o->to_s = tape_option_seconds(optarg, "--to");
		else if (c == 'r')
			o->ranks = optarg;
		else if (c == OPTION_SITE && *optarg)
			o->site = optarg;
		else if (c == OPTION_SOURCE && *optarg)
			o->source = optarg;
		else if (c == OPTION_SVG)
			o->svg = 1;
		else if (c == OPTION_PNG)
			o->png = 1;
		else if (c == OPTION_MATRIX)
			o->matrix = 1;
		else
			tape_option_refuse("tapeview", c);
	if (optind == argc || argc - optind > VIEW_BASES)
		tape_option_usage("tapeview");
	if (o->svg && o->png)
		tape_die(TAPE_USAGE, "--svg, --png: one of them is wanted");
	if (o->site && o->matrix)
		tape_die(TAPE_USAGE, "--matrix, --site: one picture at a time");
	o->svg |= !o->png && (o->site || o->matrix);
	if (!(o->from_s < o->to_s))
		tape_die(TAPE_USAGE, "--from %g --to %g: no events in between",
			 o->from_s, o->to_s);
}

static int64_t window_ns(double s)
{
	return s > 9e9 ? INT64_MAX : s < -9e9 ? INT64_MIN : (int64_t)(s * 1e9);
}

/* Reads the traces; dies if they have no events. */
static void read_view(struct view *v, struct tape_trace **t, int n,
		      const struct view_window *w)
{
	view_read_traces(v, t, n, w);
	if (v->events)
		return;
	tape_damage_warn(t[n - 1]);
	tape_die(TAPE_FAILED, "%s: the trace has no events",
		 tape_trace_path(t[n - 1]));
}

/* Writes the page. If it would be too large, reads again with a lower limit of
 * single events. */
static void make_page(struct tape_trace **t, int n, struct view_window *w,
		      const char *name)
{
	struct view_page p;
	struct view v;

	for (;;) {
		read_view(&v, t, n, w);
		view_page_pack(&p, &v);
		if (p.bytes < VIEW_PAGE_BYTES || w->max_bytes < 1000)
			break;
		w->max_bytes = v.detail_bytes < w->max_bytes
				   ? v.detail_bytes / 2
				   : w->max_bytes / 2;
		view_page_free(&p);
		view_free(&v);
	}
	tape_damage_warn(t[n - 1]);
	view_page_write(&p, &v, tape_file_begin(name));
	tape_file_commit();
	view_page_free(&p);
	view_free(&v);
}

static void make_picture(struct tape_trace **t, int n,
			 const struct view_window *w, const struct options *o)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *svg = open_memstream(&text, &bytes), *f;
	struct view v;

	if (!svg)
		tape_die_no_memory();
	if (o->site) {
		picture_histogram(t[n - 1], o->site, svg);
	} else {
		read_view(&v, t, n, w);
		if (o->matrix)
			picture_matrix(&v, svg);
		else
			picture_timeline(&v, w, svg);
		view_free(&v);
	}
	if (fclose(svg))
		tape_die_no_memory();
	tape_damage_warn(t[n - 1]);
	f = tape_file_begin(o->name);
	if (o->png)
		picture_png(text, bytes, PNG_WIDTH, f);
	else
		fwrite(text, 1, bytes, f);
	tape_file_commit();
	free(text);
}

int main(int argc, char **argv)
{
	struct options o = { .from_s = -INFINITY, .to_s = INFINITY };
	struct tape_trace *t[VIEW_BASES];
	struct view_window w = {.max_bytes = MOST};
	unsigned char *ranks = NULL;
	int n;

	tape_tool("tapeview");
	parse_view_options(&o, argc, argv);
	n = argc - optind;
	for (int i = 0; i < n; i++)
		if (tape_trace_open(argv[optind + i], &t[i]))
			tape_die(TAPE_FAILED, "%s", tape_trace_error(t[i]));
	if (!*o.name)
		tape_result_name(argv[argc - 1], ".tape",
				 o.svg	 ? ".svg"
				 : o.png ? ".png"
					 : ".html",
				 o.name, sizeof o.name);
	if (o.ranks)
		w.ranks = ranks =
		    parse_rank_list(o.ranks, tape_trace_ranks(t[n - 1]));
	w.source = o.source;
	w.from_ns = window_ns(o.from_s);
	w.to_ns = window_ns(o.to_s);
	tape_resolve(t[n - 1]);
	if (o.svg || o.png)
		make_picture(t, n, &w, &o);
	else
		make_page(t, n, &w, o.name);
	free(ranks);
	for (int i = 0; i < n; i++)
		tape_trace_close(t[i]);
	return TAPE_DONE;
}
