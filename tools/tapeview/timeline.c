/*
 * The space-time picture: a row for each rank or thread, as on the page, and a
 * panel for each base, all on one scale. See picture.h.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "picture.h"
#include "svg.h"

enum {
	PLOT = PICTURE_WIDTH - PICTURE_LEFT - PICTURE_RIGHT,
	TITLE = 30,
	LEGEND = 34,
	UNDER = 40, /* heights, pixels */
	LANE = 9,
	ROWS = 560,  /* heights: of a region; of all rows, about */
	LINES = 2000 /* limit of messages drawn */
};

struct panel {
	const struct view *v;
	const struct view_events *e;
	int base;
	FILE *f;
	double from, ns, top;   /* window; y of the first row */
	double row, lanes;      /* heights */
	unsigned used;          /* groups drawn, a bit each */
	int late;
	/* shares of pixels where calls are narrower */
	double share[PLOT][VIEW_GROUPS];
};

static double time_x(const struct panel *p, double ns)
{
	return PICTURE_LEFT + PLOT * (ns - p->from) / p->ns;
}

static double calls_top(const struct panel *p, size_t flow)
{
	return p->top + (double)flow * p->row + p->lanes;
}

static double calls_height(const struct panel *p)
{
	return p->row - p->lanes - (p->row > 6 ? 2 : p->row > 3 ? 0.5 : 0);
}

static void draw_box(const struct panel *p, const char *class_, double x0,
		     double x1, double y, double height)
{
	x0 = fmax(x0, PICTURE_LEFT);
	x1 = fmin(x1, PICTURE_LEFT + PLOT);
	if (x1 > x0)
		fprintf(p->f, "<path class=\"%s\" d=\"M%.2f %.2fH%.2fv%.2fH%.2f"
			"z\"/>\n", class_, x0, y, x1, height, x0);
}

static enum view_group group_at(const struct panel *p, size_t k)
{
	const struct view_place *at = &p->v->names->places[p->e->place[k]];

	return at->site ? view_group_of(at->site->call) : VIEW_OTHER;
}

/* Adds x0 .. x1, less than a pixel, to the shares of that pixel. */
static void add_pixel_share(struct panel *p, enum view_group g, double x0,
			    double x1)
{
	int i = (int)(x0 - PICTURE_LEFT);

	if (x0 < PICTURE_LEFT || i >= PLOT)
		return;
	p->share[i][g] += fmax(x1 - x0, 1e-3);
}

static void draw_pixel_shares(struct panel *p, size_t flow)
{
	double h = calls_height(p), y0 = calls_top(p, flow);
	char class_[8];

	for (int i = 0; i < PLOT; i++) {
		double y = y0 + h;

		for (int g = 1; g < VIEW_GROUPS; g++) {
			double part = fmin(p->share[i][g] * h, y - y0);

			if (!(p->share[i][g] > 0))
				continue;
			/* a short call must be visible */
			part = fmin(fmax(part, 0.4), y - y0);
			snprintf(class_, sizeof class_, "g%d", g);
			y -= part;
			draw_box(p, class_, PICTURE_LEFT + i,
				 PICTURE_LEFT + i + 1, y, part);
		}
	}
	memset(p->share, 0, sizeof p->share);
}

/* Adds shares of the bins, where there are no single events. */
static void add_bin_shares(struct panel *p, size_t flow, int64_t until,
			   int64_t after)
{
	const struct view_bins *b = &p->v->base[p->base].bins;
	double width = ldexp(1, (int)b->shift);

	for (int i = 0; i < PLOT; i++) {
		double t = p->from + (i + 0.5) * p->ns / PLOT;
		size_t k = (size_t)(fmax(t, 0) / width);

		if ((t >= (double)until && t <= (double)after) || t < 0 ||
		    k >= b->n)
			continue;
		for (size_t g = 1; g < VIEW_GROUPS; g++) {
			p->share[i][g] +=
				(double)view_bins_at(b, flow, g - 1, k) /
				width;
			if (p->share[i][g] > 0)
				p->used |= 1u << g;
		}
	}
}

static void draw_calls(struct panel *p, size_t flow)
{
	const struct view_times *x = &p->v->base[p->base].flow[flow];
	const struct view_flow *f = &p->v->flow[flow];
	size_t a = p->e->first[flow], z = p->e->first[flow + 1];
	double y = calls_top(p, flow), h = calls_height(p);
	char class_[8];

	draw_box(p, "g0", time_x(p, (double)x->first_ns),
		 time_x(p, (double)x->last_ns), y, h);
	if (f->before || f->after)
		add_bin_shares(p, flow,
			       f->before && a < z ? p->e->start_ns[a] : 0,
			       f->after && a < z ? p->e->end_ns[z - 1]
			       : a < z		 ? INT64_MAX
						 : 0);
	for (size_t k = a; k < z; k++) {
		double x0 = time_x(p, (double)p->e->start_ns[k]);
		double x1 = time_x(p, (double)p->e->end_ns[k]);
		enum view_group g = group_at(p, k);

		if (x1 < PICTURE_LEFT || x0 > PICTURE_LEFT + PLOT)
			continue;
		p->used |= 1u << g;
		snprintf(class_, sizeof class_, "g%d", (int)g);
		if (x1 - x0 < 1)
			add_pixel_share(p, g, x0, x1);
		else
			draw_box(p, class_, x0, x1, y, h);
	}
	draw_pixel_shares(p, flow);
}

static void draw_regions(struct panel *p, size_t flow)
{
	double y = p->top + (double)flow * p->row;
	double drawn[8] = { 0 };
	char class_[8];

	for (size_t k = p->e->first_span[flow];
	     p->lanes > 0 && k < p->e->first_span[flow + 1]; k++) {
		uint32_t d = p->e->depth[k];
		double x0 = time_x(p, (double)p->e->span_start_ns[k]);
		double x1 = time_x(p, (double)p->e->span_end_ns[k]);

		if (d * LANE >= p->lanes || x1 - drawn[d] < 0.5)
			continue;
		drawn[d] = x1;
		snprintf(class_, sizeof class_, "r%u", p->e->region[k] % 4);
		draw_box(p, class_, x0, x1 - 0.3, y + d * LANE, LANE - 1);
		x0 = fmax(x0, PICTURE_LEFT);
		if (fmin(x1, PICTURE_LEFT + PLOT) - x0 < 40)
			continue;
		fprintf(p->f, "<text class=\"small\" style=\"font-size:8px\" "
			"x=\"%.1f\" y=\"%.1f\">", x0 + 2, y + d * LANE + 7);
		tape_svg_text(p->f,
			      p->v->names->regions[p->e->region[k]].name);
		fputs("</text>\n", p->f);
	}
}

/* Marks a wait in the lower half of a call. */
static void draw_wait(struct panel *p, size_t flow, double from, double to)
{
	double x0 = time_x(p, from), x1 = time_x(p, to);
	double h = calls_height(p);

	if (x1 - x0 < 0.5)
		return;
	p->late = 1;
	draw_box(p, "late", x0, x1, calls_top(p, flow) + h / 2, h / 2);
}

/* Draws the waits that lib/waits found. */
static void draw_found_waits(struct panel *p)
{
	const struct view_base *b = &p->v->base[p->base];
	struct view_cursor flow = view_cursor(&b->wait_flow);
	struct view_cursor at = view_cursor(&b->wait_at);
	struct view_cursor ns = view_cursor(&b->wait_ns);
	int64_t *last = view_alloc(p->v->flows, sizeof *last);

	for (uint64_t i = 0; i < b->waits; i++) {
		size_t f = (size_t)view_get(&flow);

		last[f] += view_get_signed(&at);
		draw_wait(p, f, (double)last[f],
			  (double)(last[f] + (int64_t)view_get(&ns)));
	}
	free(last);
}

static int message_is_in_view(const struct panel *p, size_t m, double *ns)
{
	double start = (double)p->e->start_ns[p->e->from[m]];
	double end = (double)p->e->end_ns[p->e->to[m]];

	*ns = end - start;
	return fmax(start, end) >= p->from &&
	       fmin(start, end) <= p->from + p->ns;
}

/* Returns the shortest time of a message that is drawn; 0: all are drawn. */
static double shortest_drawn_ns(const struct panel *p)
{
	size_t size[64] = { 0 }, n = 0;
	double ns;

	for (size_t m = 0; m < p->e->messages; m++)
		if (message_is_in_view(p, m, &ns))
			size[ns > 1 ? (int)log2(ns) : 0]++;
	for (int i = 63; i >= 0; i--) {
		n += size[i];
		if (n > LINES)
			return i == 63 ? INFINITY : ldexp(1, i + 1);
	}
	return 0;
}

/* Returns the number of messages that are not drawn. */
static size_t draw_messages(struct panel *p, const uint32_t *flow_of)
{
	double shortest = shortest_drawn_ns(p), h = calls_height(p) / 2, ns;
	size_t left_out = 0;

	for (size_t m = 0; m < p->e->messages; m++) {
		uint32_t from = p->e->from[m], to = p->e->to[m];

		if (!message_is_in_view(p, m, &ns))
			continue;
		if (ns >= 0 && ns < shortest) {
			left_out++;
			continue;
		}
		fprintf(p->f,
			"<path class=\"%s\" d=\"M%.2f %.1fL%.2f %.1f\""
			"/>\n",
			ns < 0 ? "wrong" : "message",
			time_x(p, (double)p->e->start_ns[from]),
			calls_top(p, flow_of[from]) + h,
			time_x(p, (double)p->e->end_ns[to]),
			calls_top(p, flow_of[to]) + h);
	}
	return left_out;
}

static void draw_row_names(const struct panel *p)
{
	size_t every = (size_t)ceil(13 / p->row);

	for (size_t i = 0; i < p->v->flows; i += every) {
		const struct tape_flow_info *x = p->v->flow[i].info;
		double y = calls_top(p, i) + calls_height(p) / 2 + 4;

		if (x->thread)
			picture_text(p->f, PICTURE_LEFT - 8, y, "end", "%d.%d",
				     x->rank, x->thread);
		else
			picture_text(p->f, PICTURE_LEFT - 8, y, "end", "%d",
				     x->rank);
	}
}

/* Returns the y below it. */
static double draw_panel(struct panel *p)
{
	const struct view_base *b = &p->v->base[p->base];
	double bottom = p->top + (double)p->v->flows * p->row;
	size_t n = p->e->first[p->v->flows], left_out;
	uint32_t *flow_of = view_alloc(n, sizeof *flow_of);

	for (size_t i = 0; i < p->v->flows; i++)
		for (size_t k = p->e->first[i]; k < p->e->first[i + 1]; k++)
			flow_of[k] = (uint32_t)i;
	picture_text(p->f, PICTURE_LEFT, p->top - 8, "start",
		     "%s time: %" PRIu64 " messages, %" PRIu64
		     " received before they were sent", view_base_name(b),
		     b->messages, b->backward);
	/* clips shapes at the window */
	fprintf(p->f, "<svg x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" "
		"viewBox=\"%d %.1f %d %.1f\">\n", PICTURE_LEFT, p->top, PLOT,
		bottom - p->top, PICTURE_LEFT, p->top, PLOT, bottom - p->top);
	for (size_t i = 0; i < p->v->flows; i++) {
		draw_regions(p, i);
		draw_calls(p, i);
	}
	draw_found_waits(p);
	left_out = draw_messages(p, flow_of);
	fputs("</svg>\n", p->f);
	draw_row_names(p);
	picture_time_axis(p->f, PICTURE_LEFT, PICTURE_LEFT + PLOT, p->top,
			  bottom, p->ns, p->from);
	if (left_out)
		picture_text(p->f, PICTURE_LEFT, bottom + 30, "start",
			     "%zu shorter messages are not drawn", left_out);
	free(flow_of);
	return bottom + UNDER;
}

static void draw_group_legend(FILE *f, double y, unsigned used, int late)
{
	double x = PICTURE_LEFT;

	for (int g = 0; g <= VIEW_GROUPS; g++) {
		int is_late = g == VIEW_GROUPS;
		const char *name = is_late ? "waiting for others"
					   : view_group_name((enum view_group)
								     g);
		char class_[8] = "late";

		if (is_late ? !late : g && !(used & 1u << g))
			continue;
		if (!is_late)
			snprintf(class_, sizeof class_, "g%d", g);
		fprintf(f, "<path class=\"%s\" d=\"M%.1f %.1fh12v12h-12z\"/>\n",
			class_, x, y);
		picture_text(f, x + 17, y + 11, "start", "%s", name);
		x += 32 + 6.6 * (double)strlen(name);
	}
}

/* Sets the window of a base: the user's, or the time of the program itself. */
static void choose_panel_window(const struct view *v, int base,
				const struct view_events *e,
				const struct view_window *w, int64_t *from,
				int64_t *to)
{
	view_events_program_time(v, base, e, from, to);
	if (w->from_ns > INT64_MIN || w->to_ns < INT64_MAX) {
		*from = w->from_ns > INT64_MIN ? w->from_ns : 0;
		*to = w->to_ns < INT64_MAX ? w->to_ns
					   : v->base[base].length_ns;
	}
	if (*to <= *from)
		*to = *from + 1;
}

void picture_timeline(const struct view *v, const struct view_window *w,
		      FILE *f)
{
	struct view_events *e = view_alloc((size_t)v->bases, sizeof *e);
	int64_t from[VIEW_BASES], to[VIEW_BASES], ns = 1;
	struct panel *p = view_alloc(1, sizeof *p);
	double room = ROWS / (double)(v->flows * (size_t)v->bases), lanes = 0;
	char about[1024];

	for (int i = 0; i < v->bases; i++) {
		view_events_read(v, i, &e[i]);
		choose_panel_window(v, i, &e[i], w, &from[i], &to[i]);
		ns = to[i] - from[i] > ns ? to[i] - from[i] : ns;
		lanes = fmin(e[i].deepest, 3) * LANE;
	}
	*p = (struct panel){ .v = v, .f = f, .ns = (double)ns };
	p->row = fmin(fmax(room, 2), 22);
	if (p->row >= 14 && lanes > 0) {
		p->lanes = lanes;
		p->row += lanes;
	}
	p->top = TITLE + LEGEND + 24;
	picture_open(f, (TITLE + LEGEND) +
			(double)v->bases * ((double)v->flows * p->row + UNDER +
					    24) + 10);
	view_about_text(v, about, sizeof about);
	picture_text(f, PICTURE_LEFT, 22, "start", "%.120s", about);
	for (int i = 0; i < v->bases; i++) {
		p->e = &e[i];
		p->base = i;
		p->from = (double)from[i];
		p->top = draw_panel(p) + 24;
	}
	draw_group_legend(f, TITLE + 6, p->used, p->late);
	picture_close(f);
	for (int i = 0; i < v->bases; i++)
		view_events_free(&e[i]);
	free(e);
	free(p);
}
