/*
 * The graph of messages between ranks. Graphviz gets only numbers and computes
 * the positions of the nodes. Everything is drawn here, so the page has no text
 * of another program.
 */
#include <math.h>
#include <stdlib.h>

#include "gif.h"
#include "html.h"
#include "sort.h"
#include "tool.h"
#include "traffic.h"

/* Sizes of the picture, pixels; limits of edges and of nodes with a name. */
enum { WIDTH = 760, HEIGHT = 560, EDGE = 26, EDGES_DRAWN = 8000, NAMED = 128 };

/* The order of edges by their nodes. */
static int order_by_ends(const void *a, const void *b)
{
	const struct traffic_edge *x = a, *y = b;

	return x->a != y->a ? x->a - y->a : x->b - y->b;
}

static int order_edges_by_bytes(const void *a, const void *b)
{
	const struct traffic_edge *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return order_by_ends(a, b);
}

static struct traffic_edge *collect_edges(const struct traffic *t, size_t *n)
{
	struct traffic_edge *e = tape_must(calloc(t->pairs + 1, sizeof *e));
	size_t used = 0;

	*n = 0;
	for (size_t i = 0; i < t->pairs; i++) {
		const struct stats_pair *p = &t->pair[i];

		if (p->from == p->to || !p->messages)
			continue;
		e[used].a = p->from < p->to ? p->from : p->to;
		e[used].b = p->from < p->to ? p->to : p->from;
		e[used].bytes = p->bytes;
		e[used++].messages = (double)p->messages;
	}
	tape_sort(e, used, sizeof *e, order_by_ends);
	for (size_t i = 0; i < used; i++) {
		if (*n && !order_by_ends(&e[*n - 1], &e[i])) {
			e[*n - 1].bytes += e[i].bytes;
			e[*n - 1].messages += e[i].messages;
		} else {
			e[(*n)++] = e[i];
		}
	}
	tape_sort(e, *n, sizeof *e, order_edges_by_bytes);
	return e;
}

/* ---- positions of nodes ---- */

static void place_on_circle(int n, double *x, double *y)
{
	for (int i = 0; i < n; i++) {
		double at = 2 * M_PI * i / n - M_PI / 2;

		x[i] = 0.5 + 0.5 * cos(at);
		y[i] = 0.5 + 0.5 * sin(at);
	}
}

static void place_in_rows(int n, double *x, double *y)
{
	int columns = (int)ceil(sqrt((double)n));

	for (int c = columns; c <= 2 * columns && c <= n; c++)
		if (n % c == 0) {
			columns = c;
			break;
		}
	for (int i = 0; i < n; i++) {
		x[i] =
		    columns > 1 ? (double)(i % columns) / (columns - 1) : 0.5;
		y[i] = n > columns ? (double)(i / columns) /
					 ((n + columns - 1) / columns - 1)
				   : 0.5;
	}
}

/* Sets the positions of nodes. Returns a remark for the page, or NULL. */
static const char *place_nodes(const struct traffic_edge *e, size_t edges,
			       int n, int graphs, double *x, double *y)
{
	const char *why;

	if (n > 4 && (double)edges > 0.7 * n * (n - 1) / 2) {
		place_on_circle(n, x, y);
		return "Nearly all ranks exchange messages with all other "
		       "ranks.";
	}
	why = graphs ? traffic_layout_nodes(e, edges, n, x, y)
		     : "Ranks are placed in order.";
	if (!why)
		return NULL;
	if (n <= 48)
		place_on_circle(n, x, y);
	else
		place_in_rows(n, x, y);
	return why;
}

/* ---- drawing ---- */

static double node_x(double x)
{
	return EDGE + x * (WIDTH - 2 * EDGE);
}

static double node_y(double y)
{
	return EDGE + y * (HEIGHT - 2 * EDGE);
}

static void draw_edges(const struct traffic_edge *e, size_t n, const double *x,
		       const double *y, FILE *f)
{
	double most = n ? e[0].bytes : 0;
	char text[40];

	for (size_t i = n; i-- > 0;) {
		double share = most > 0 ? e[i].bytes / most : 1;

		fprintf(f,
			"<path d=\"M%.1f %.1fL%.1f %.1f\" "
			"stroke-width=\"%.1f\" stroke-opacity=\"%.2f\">",
			node_x(x[e[i].a]), node_y(y[e[i].a]), node_x(x[e[i].b]),
			node_y(y[e[i].b]), 0.6 + 4.4 * share,
			0.25 + 0.6 * share);
		if (n <= 2000)
			fprintf(f,
				"<title>%d - %d: %s in %.0f messages"
				"</title>",
				e[i].a, e[i].b,
				html_bytes(e[i].bytes, text, sizeof text),
				e[i].messages);
		fputs("</path>\n", f);
	}
}

static void draw_nodes(const struct traffic *t, const double *x,
		       const double *y, FILE *f)
{
	double radius = fmax(2, fmin(11, 90 / sqrt((double)t->nodes)));
	double most = 0;
	unsigned char rgb[3];

	for (int i = 0; i < t->nodes; i++)
		most = fmax(most, t->waiting[i]);
	for (int i = 0; i < t->nodes; i++) {
		unsigned char k =
		    gif_shade(most > 0 ? t->waiting[i] / most : 0);

		gif_colour(k, rgb);
		fprintf(f,
			"<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" "
			"fill=\"#%02x%02x%02x\"><title>",
			node_x(x[i]), node_y(y[i]), radius, rgb[0], rgb[1],
			rgb[2]);
		if (t->per_node > 1)
			fprintf(f, "ranks %d-%d", i * t->per_node,
				(i + 1) * t->per_node - 1);
		else
			fprintf(f, "rank %d", i);
		fprintf(f, ": waits %.1f%%</title></circle>\n",
			100 * t->waiting[i]);
		if (t->nodes <= NAMED)
			fprintf(f,
				"<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%d"
				"</text>\n",
				node_x(x[i]), node_y(y[i]) + 4,
				k > 80 ? "on" : "off", i * t->per_node);
	}
}

static void put_graph_legend(const struct traffic *t, const char *said,
			     size_t edges, FILE *f)
{
	double most = 0;

	for (int i = 0; i < t->nodes; i++)
		most = fmax(most, t->waiting[i]);
	fputs("<p class=\"faint\">", f);
	if (said)
		fprintf(f, "%s ", said);
	fputs("A line: two ranks exchange messages; more bytes, wider line.",
	      f);
	if (edges > EDGES_DRAWN)
		fprintf(f,
			" Of %zu lines the %d with the most bytes are "
			"drawn.",
			edges, EDGES_DRAWN);
	if (t->per_node > 1)
		fprintf(f, " A point is %d ranks.", t->per_node);
	fprintf(f,
		"</p><p class=\"scale\"><span>waits 0%%</span><i></i>"
		"<span>%.1f%%</span></p>\n",
		100 * most);
}

void traffic_put_graph(const struct traffic *t, int graphs, FILE *f)
{
	size_t n;
	struct traffic_edge *e = collect_edges(t, &n);
	double *x = tape_must(calloc((size_t)t->nodes + 1, sizeof *x));
	double *y = tape_must(calloc((size_t)t->nodes + 1, sizeof *y));
	const char *said;

	if (!n) {
		fputs("<p>No rank sent a message to another rank.</p>\n", f);
	} else {
		said = place_nodes(e, n, t->nodes, graphs, x, y);
		fprintf(f,
			"<figure class=\"graph\"><svg viewBox=\"0 0 %d %d\" "
			"width=\"%d\" height=\"%d\" role=\"img\">\n"
			"<g class=\"edges\">\n",
			WIDTH, HEIGHT, WIDTH, HEIGHT);
		draw_edges(e, n > EDGES_DRAWN ? EDGES_DRAWN : n, x, y, f);
		fputs("</g>\n<g class=\"nodes\">\n", f);
		draw_nodes(t, x, y, f);
		fputs("</g></svg>\n", f);
		put_graph_legend(t, said, n, f);
		fputs("</figure>\n", f);
	}
	free(e);
	free(x);
	free(y);
}
