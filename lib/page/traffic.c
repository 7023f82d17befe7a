/* Pairs of ranks, and their matrix; see traffic.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gif.h"
#include "html.h"
#include "sort.h"
#include "tool.h"
#include "traffic.h"

/* Most cells across a matrix; its width and largest cell, pixels; most pairs in
 * the data. */
enum { ACROSS = 256, WIDTH = 260, LARGEST = 30, PAIRS_OF_DATA = 50000 };

/* ---- pairs ---- */

static int order_pairs_by_bytes(const void *a, const void *b)
{
	const struct stats_pair *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	if (x->messages != y->messages)
		return x->messages < y->messages ? 1 : -1;
	if (x->from != y->from)
		return x->from - y->from;
	return x->to - y->to;
}

/* Sums the pairs of ranks to pairs of nodes, sorted by bytes. */
static void sum_pairs(const struct stats *s, struct traffic *t)
{
	struct tape_table sums = {.bytes = sizeof(struct stats_pair)};
	const struct stats_pair *p;
	uint64_t key;

	for (size_t at = 0; (p = tape_table_each(&s->pairs, &at, &key));) {
		int from = p->from / t->per_node, to = p->to / t->per_node;
		struct stats_pair *q = tape_must(tape_table_get(
		    &sums,
		    ((uint64_t)(uint32_t)from << 32 | (uint32_t)to) + 1));

		q->from = from;
		q->to = to;
		q->messages += p->messages;
		q->bytes += p->bytes;
		q->late_ns += p->late_ns;
		t->messages += (double)p->messages;
		t->bytes += p->bytes;
		t->late_ns += p->late_ns;
	}
	t->pair = tape_must(calloc(sums.used + 1, sizeof *t->pair));
	for (size_t at = 0; (p = tape_table_each(&sums, &at, &key));)
		t->pair[t->pairs++] = *p;
	tape_sort(t->pair, t->pairs, sizeof *t->pair, order_pairs_by_bytes);
	tape_table_free(&sums);
}

struct traffic *traffic_new(const struct stats *s)
{
	struct traffic *t = tape_must(calloc(1, sizeof *t));
	size_t n, per = (s->ranks + TRAFFIC_NODES - 1) / TRAFFIC_NODES;
	struct stat_rank *r = stat_ranks(s, &n);
	double *length;

	t->per_node = per ? (int)per : 1;
	t->nodes =
	    (int)((s->ranks + (size_t)t->per_node - 1) / (size_t)t->per_node);
	t->waiting = tape_must(calloc((size_t)t->nodes + 1, sizeof(double)));
	length = tape_must(calloc((size_t)t->nodes + 1, sizeof *length));
	for (size_t i = 0; i < n; i++) {
		t->waiting[r[i].rank / t->per_node] += r[i].waiting_ns;
		length[r[i].rank / t->per_node] += r[i].length_ns;
	}
	for (int i = 0; i < t->nodes; i++)
		t->waiting[i] = length[i] > 0 ? t->waiting[i] / length[i] : 0;
	sum_pairs(s, t);
	free(length);
	free(r);
	return t;
}

void traffic_free(struct traffic *t)
{
	if (!t)
		return;
	free(t->pair);
	free(t->waiting);
	free(t);
}

/* ---- the matrix ---- */

enum weight { MESSAGES, BYTES, LATE, WEIGHTS };

static const struct {
	const char *name;
	enum sheet_unit unit;
} weights[WEIGHTS] = {
    [MESSAGES] = {"messages", SHEET_COUNT},
    [BYTES] = {"bytes", SHEET_BYTES},
    [LATE] = {"waiting of receivers", SHEET_SECONDS},
};

static double pair_weight(const struct stats_pair *p, enum weight w)
{
	switch (w) {
	case MESSAGES:
		return (double)p->messages;
	case BYTES:
		return p->bytes;
	case LATE:
		return p->late_ns;
	case WEIGHTS:
		break;
	}
	return 0;
}

/* Sets the shade of each cell, from 0 or, if log, by the logarithm. */
static void shade_matrix_cells(const double *v, unsigned char *cell, size_t n,
			       double least, double most, int log)
{
	for (size_t i = 0; i < n; i++) {
		if (!(v[i] > 0))
			continue;
		cell[i] =
		    most <= least ? GIF_MOST
		    : log ? gif_shade(log10(v[i] / least) / log10(most / least))
			  : gif_shade(v[i] / most);
	}
}

static void put_weight_matrix(const struct traffic *t, enum weight w, FILE *f)
{
	int block = (t->nodes + ACROSS - 1) / ACROSS, log;
	int across = block ? (t->nodes + block - 1) / block : 0;
	int pixels = across ? WIDTH / across : 1;
	size_t n = (size_t)across * (size_t)across;
	double *v = tape_must(calloc(n + 1, sizeof *v));
	unsigned char *cell = tape_must(calloc(n + 1, 1));
	double least = INFINITY, most = 0;
	char a[40], b[40];

	for (size_t i = 0; i < t->pairs; i++)
		v[(size_t)(t->pair[i].from / block) * (size_t)across +
		  (size_t)(t->pair[i].to / block)] +=
		    pair_weight(&t->pair[i], w);
	for (size_t i = 0; i < n; i++) {
		if (v[i] > 0)
			least = fmin(least, v[i]);
		most = fmax(most, v[i]);
	}
	log = most > 30 * least;
	shade_matrix_cells(v, cell, n, least, most, log);
	pixels = pixels > LARGEST ? LARGEST : pixels < 1 ? 1 : pixels;
	fprintf(f, "<figure class=\"map matrix\"><figcaption>%s</figcaption>",
		weights[w].name);
	if (most > 0) {
		fprintf(f,
			"<img class=\"cells\" width=\"%d\" height=\"%d\" "
			"alt=\"%s from each rank (row) to each (column)\" "
			"src=\"",
			pixels * across, pixels * across, weights[w].name);
		gif_write(f, cell, across, across);
		fprintf(f,
			"\"><p class=\"scale\"><span>%s</span><i></i>"
			"<span>%s</span></p>",
			log ? html_value(least, weights[w].unit, a, sizeof a)
			    : "0",
			html_value(most, weights[w].unit, b, sizeof b));
	} else {
		fputs("<p class=\"even\">none</p>", f);
	}
	if (most > 0 && (log || block * t->per_node > 1)) {
		fputs("<p class=\"faint\">", f);
		if (block * t->per_node > 1)
			fprintf(f, "a cell is %d x %d ranks%s",
				block * t->per_node, block * t->per_node,
				log ? "; " : "");
		fprintf(f, "%s</p>", log ? "logarithmic" : "");
	}
	fputs("</figure>\n", f);
	free(v);
	free(cell);
}

void traffic_put_matrix(const struct traffic *t, FILE *f)
{
	fputs("<div class=\"maps matrices\">\n", f);
	for (int w = 0; w < WEIGHTS; w++)
		put_weight_matrix(t, (enum weight)w, f);
	fputs("</div>\n", f);
}

/* ---- data ---- */

void traffic_put_json(const struct traffic *t, FILE *f)
{
	size_t n = t->pairs > PAIRS_OF_DATA ? PAIRS_OF_DATA : t->pairs;

	fprintf(f,
		",\"pairs\":{\"ranks_of_node\":%d,\"number\":%zu,"
		"\"messages\":%.0f,\"bytes\":%.15g,\"late_s\":%.15g,"
		"\"columns\":[\"from\",\"to\",\"messages\",\"bytes\","
		"\"late_s\"],\"largest\":[",
		t->per_node, t->pairs, t->messages, t->bytes, t->late_ns / 1e9);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s[%d,%d,%llu,%.15g,%.15g]", i ? "," : "",
			t->pair[i].from, t->pair[i].to,
			(unsigned long long)t->pair[i].messages,
			t->pair[i].bytes, t->pair[i].late_ns / 1e9);
	fputs("]}", f);
}
