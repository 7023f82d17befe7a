/* Clocks and their guaranteed intervals; see clock_bounds.h. */
#include <inttypes.h>

#include "clock_bounds.h"

/* Approximate number of points of a curve. */
enum { POINTS = 200 };

/* Writes a bound; null if there is none. */
static void put_clock_bound(FILE *f, int64_t ns)
{
	if (ns == INT64_MIN || ns == INT64_MAX)
		fputs(",null", f);
	else
		fprintf(f, ",%" PRId64, ns);
}

static void put_bound_point(FILE *f, const struct view_base *b,
			    const struct tape_clock_piece *p, const char *comma)
{
	fprintf(f, "%s[%" PRId64, comma, p->ns0 - *b->origin_ns);
	put_clock_bound(f, p->lo_ns);
	put_clock_bound(f, p->hi_ns);
	fputs("]", f);
}

/* Writes the bounds of a clock. The segment with the widest interval represents
 * its neighbours. */
static void put_domain_bounds(FILE *f, const struct view_base *b,
			      const struct tape_domain_info *d)
{
	size_t step = d->n_pieces / POINTS + 1;

	fputs("[", f);
	for (size_t i = 0; i < d->n_pieces; i += step) {
		const struct tape_clock_piece *worst = &d->pieces[i];

		for (size_t j = i; j < i + step && j < d->n_pieces; j++)
			if ((double)d->pieces[j].hi_ns -
				    (double)d->pieces[j].lo_ns >
			    (double)worst->hi_ns - (double)worst->lo_ns)
				worst = &d->pieces[j];
		put_bound_point(f, b, worst, i ? "," : "");
	}
	fputs("]", f);
}

void view_put_clocks(const struct view *v, FILE *f)
{
	const struct view_base *b = v->base;
	size_t n;

	while (b < v->base + v->bases &&
	       tape_trace_base(b->t) != TAPE_BASE_GLOBAL)
		b++;
	if (b == v->base + v->bases || (n = tape_trace_domains(b->t)) < 2)
		return;
	fprintf(f, ",\n\"clocks\":{\"base\":%d,\"of\":[", (int)(b - v->base));
	for (size_t i = 0; i < v->flows; i++)
		fprintf(f, "%s%" PRIu32, i ? "," : "",
			tape_trace_rank(b->t, v->flow[i].info->rank)->domain);
	fprintf(f, "],\n\"error\":[");
	for (uint32_t d = 0; d < n; d++) {
		fputs(d ? ",\n" : "\n", f);
		put_domain_bounds(f, b, tape_trace_domain(b->t, d));
	}
	fputs("]}", f);
}
