/* The constants of SimGrid's SMPI; see smpi_fit.h for formulas and sources. */
#include <math.h>
#include <stdlib.h>

#include "curve.h"
#include "error.h"
#include "smpi_fit.h"
#include "sort.h"

/* The largest share of a message's time for its two overheads. */
static const double overheads_most = 0.8;
/* The largest relative error of a line through the origin. */
static const double off_most = 0.02;
/* The largest number of lines for a transfer and for an overhead. */
enum { TRANSFER_LINES = 12, OVERHEAD_LINES = 2 };

/* ---- tables ---- */

static const struct tape_smpi_piece *
table_piece(const struct tape_smpi_table *t, double bytes)
{
	int k = 0;

	while (k + 1 < t->n && t->piece[k + 1].from_bytes <= bytes)
		k++;
	return &t->piece[k];
}

static double overhead_s(const struct tape_smpi_table *t, double bytes)
{
	const struct tape_smpi_piece *p = table_piece(t, bytes);

	return t->n ? fmax(p->constant + p->rate * bytes, 0) : 0;
}

static void append_piece(struct tape_smpi_table *t, double from,
			 double constant, double rate)
{
	if (t->n < TAPE_SMPI_PIECES)
		t->piece[t->n++] =
		    (struct tape_smpi_piece){from, constant, rate};
}

/*
 * Adds the line constant + rate x (bytes + h) for sizes of from to to, as lines
 * without a negative constant: a negative one is replaced by lines through the
 * origin.
 */
static void add_line(struct tape_smpi_table *t, double from, double to,
		     double constant, double rate, double h)
{
	double first = constant / (from + h) + rate;
	double last = constant / (to + h) + rate, wide, share, most;

	if (!(constant < 0)) {
		append_piece(t, from, constant, rate);
		return;
	}
	/* shares rise with the size; near the line's zero they are tiny */
	share = fmax(first, rate / 32);
	most = h > 0 ? TRANSFER_LINES : OVERHEAD_LINES;
	last = fmax(last, share);
	wide = fmax((1 + off_most) / (1 - off_most),
		    pow(last / share, 1.0 / most));
	while (share * wide < last) {
		double end = ceil(constant / (share * wide - rate) - h);

		if (end >= to)
			break;
		if (end > from) {
			append_piece(t, from, 0, share * sqrt(wide));
			from = end;
		}
		share *= wide;
	}
	append_piece(t, from, 0, sqrt(share * last));
}

/* ---- times in SMPI ---- */

double tape_smpi_transfer_s(const struct tape_smpi *s, double bytes)
{
	const struct tape_smpi_piece *p = table_piece(&s->factors, bytes);

	return s->latency_s * p->constant +
	       (bytes + TAPE_SMPI_HEADER) / (s->bandwidth * p->rate);
}

double tape_smpi_message_s(const struct tape_smpi *s, double bytes)
{
	double t = tape_smpi_transfer_s(s, bytes);

	if (bytes <= (double)s->eager_bytes)
		t += overhead_s(&s->os, bytes) + overhead_s(&s->or, bytes);
	return t;
}

/* The part of the time that depends on the bytes. */
static double moving_s(const struct tape_smpi *s, double bytes)
{
	return (bytes + TAPE_SMPI_HEADER) /
	       (s->bandwidth * table_piece(&s->factors, bytes)->rate);
}

/* Returns 1 if that is at least half of the time, without the header. */
static int is_moving(const struct tape_smpi *s, double bytes)
{
	double share = moving_s(s, bytes) / tape_smpi_message_s(s, bytes);

	return share * bytes / (bytes + TAPE_SMPI_HEADER) >= 0.5;
}

/* ---- what is measured ---- */

static int compare_ns(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* The median; 0 without values, -1 when out of memory. */
static double median_ns(const double *ns, size_t n)
{
	double *copy, m;

	if (!n)
		return 0;
	copy = malloc(n * sizeof *copy);
	if (!copy)
		return -1;
	for (size_t i = 0; i < n; i++)
		copy[i] = ns[i];
	tape_sort(copy, n, sizeof *copy, compare_ns);
	m = copy[n / 2];
	free(copy);
	return m;
}

/* The data of a fit besides s. */
struct work {
	const struct tape_smpi_size *size;
	size_t m;
	double eager, largest;
	/* range r begins at start[r] and ends before start[r + 1] */
	double *start;
	size_t ranges;
	struct tape_timing *timing;   /* room for all samples */
	double *whole_ns, *isend_ns;  /* medians */
	struct tape_smpi_table lines; /* ns, ns per byte of the transfer */
};

static int is_within(const struct work *w, size_t r, size_t i)
{
	return w->size[i].bytes >= w->start[r] &&
	       w->size[i].bytes < w->start[r + 1];
}

enum call { CALL_SEND, CALL_RECEIVE, CALL_ISEND };

/*
 * The time of a call that counts as overhead; negative: not measured. MPI_Send
 * may wait until its receiver has seen the message (Open MPI's shared memory,
 * above 256 bytes). That wait is part of the transfer, so MPI_Isend's time is a
 * limit.
 */
static double call_ns(const struct work *w, enum call call, size_t i)
{
	const struct tape_smpi_size *z = &w->size[i];
	double send = z->isend_ns < 0 ? z->send_ns :
					fmin(z->send_ns, z->isend_ns);
	double both = fmax(send, 0) + fmax(z->receive_ns, 0);
	double most = overheads_most * w->whole_ns[i];
	int eager = z->bytes <= w->eager;
	double scale = eager && both > most ? most / both : 1;

	if (call == CALL_ISEND)
		return w->isend_ns[i];
	return scale * (call == CALL_SEND ? send : z->receive_ns);
}

/* Lines through the n timings of a range, in some unit; h as in add_line. */
static int fit_lines(const struct work *w, size_t r, size_t n, double unit,
		     double h, struct tape_smpi_table *t)
{
	struct tape_curve c;
	double to = 0;
	int rc;

	if (!n)
		return 0;
	for (size_t i = 0; i < n; i++)
		to = fmax(to, w->timing[i].bytes);
	rc = tape_curve_fit(w->timing, n, &c);
	for (int k = 0; !rc && k < c.n; k++) {
		const struct tape_piece *p = &c.piece[k];

		add_line(t, !t->n ? 0 : fmax(p->from_bytes, w->start[r]),
			 k + 1 < c.n ? p[1].from_bytes - 1 : to,
			 unit * (p->ns - p->rate * h), unit * p->rate, h);
	}
	return rc;
}

/* The times of a call as a table in seconds. */
static int fit_call(const struct work *w, enum call call,
		    struct tape_smpi_table *t)
{
	int rc = 0;

	t->n = 0;
	for (size_t r = 0; !rc && r < w->ranges; r++) {
		size_t n = 0;

		for (size_t i = 0; i < w->m; i++)
			if (is_within(w, r, i) && call_ns(w, call, i) >= 0)
				w->timing[n++] = (struct tape_timing){
					w->size[i].bytes, call_ns(w, call, i) };
		rc = fit_lines(w, r, n, 1e-9, 0, t);
	}
	return rc;
}

/* The samples of one range minus overheads. */
static size_t collect_transfers(struct work *w, size_t r,
				const struct tape_smpi *s)
{
	size_t n = 0;

	for (size_t i = 0; i < w->m; i++) {
		const struct tape_smpi_size *z = &w->size[i];
		double off = 0;

		if (!is_within(w, r, i))
			continue;
		if (z->bytes <= w->eager)
			off = 1e9 * (overhead_s(&s->os, z->bytes) +
				     overhead_s(&s->or, z->bytes));
		for (size_t k = 0; k < z->n; k++)
			w->timing[n++] = (struct tape_timing){
			    z->bytes, fmax(z->ns[k] - off, 0)};
	}
	return n;
}

/* The transfers as lines. */
static int fit_transfers(struct work *w, const struct tape_smpi *s)
{
	int rc = 0;

	for (size_t r = 0; !rc && r < w->ranges; r++)
		rc = fit_lines(w, r, collect_transfers(w, r, s), 1,
			       TAPE_SMPI_HEADER, &w->lines);
	return rc;
}

/* Turns lines into factors. SMPI divides by a rate, so no rate may be 0. */
static void make_factors(const struct work *w, struct tape_smpi *s)
{
	const struct tape_smpi_table *l = &w->lines;
	const struct tape_smpi_piece *last = &l->piece[l->n - 1];
	/* bytes that cost nothing: a thousandth of the constant at most */
	double all = w->largest + TAPE_SMPI_HEADER;
	double none = l->piece[0].constant +
		      l->piece[0].rate * TAPE_SMPI_HEADER;

	s->latency_s = 1e-9 * fmax(none < 2 * l->piece[0].constant ?
					   l->piece[0].constant : none, 1);
	s->bandwidth =
	    1e9 / fmax(last->rate, 1e-3 * fmax(last->constant, 1) / all);
	s->factors.n = 0;
	for (int k = 0; k < l->n; k++) {
		const struct tape_smpi_piece *p = &l->piece[k];
		double end = k + 1 < l->n ? p[1].from_bytes : w->largest;
		double least = 1e-3 * fmax(p->constant, 1) /
			       (end + TAPE_SMPI_HEADER);

		append_piece(&s->factors, p->from_bytes,
			     1e-9 * p->constant / s->latency_s,
			     1e9 / fmax(p->rate, least) / s->bandwidth);
	}
}

/* The time of two crossing messages without the overhead of the send. */
static double crossing_s(const struct tape_smpi *s, double bytes,
			 double capacity)
{
	double t = tape_smpi_transfer_s(s, bytes);

	if (bytes <= (double)s->eager_bytes)
		t += overhead_s(&s->or, bytes);
	return t + moving_s(s, bytes) * (2 / capacity - 1);
}

/*
 * Programs call MPI_Isend where messages go both ways. So its overhead includes
 * the extra time of two crossing messages, except the part that grows with the
 * bytes.
 */
static void charge_isend(struct work *w, const struct tape_smpi *s)
{
	double capacity = tape_smpi_capacity(s, w->size, w->m), most = 0;

	for (size_t i = 0; i < w->m; i++) {
		const struct tape_smpi_size *z = &w->size[i];
		double longer;

		if (z->isend_ns < 0 || !(z->exchange_ns > 0))
			continue;
		longer = z->exchange_ns -
			 1e9 * crossing_s(s, z->bytes, capacity);
		if (is_moving(s, z->bytes))
			longer = fmin(longer, most);
		else
			most = longer;
		w->isend_ns[i] = fmax(z->isend_ns, longer);
	}
}

static int fit_constants(struct work *w, int64_t eager, struct tape_smpi *s)
{
	struct tape_smpi found = {.eager_bytes = eager};
	int rc;

	for (size_t i = 0; i < w->m; i++) {
		w->whole_ns[i] = median_ns(w->size[i].ns, w->size[i].n);
		if (w->whole_ns[i] < 0)
			return TAPE_ENOMEM;
		w->isend_ns[i] = w->size[i].isend_ns;
	}
	rc = fit_call(w, CALL_SEND, &found.os);
	if (!rc)
		rc = fit_call(w, CALL_RECEIVE, &found.or);
	if (!rc)
		rc = fit_transfers(w, &found);
	if (rc)
		return rc;
	make_factors(w, &found);
	rc = fit_call(w, CALL_ISEND, &found.ois);
	if (!rc) {
		charge_isend(w, &found);
		rc = fit_call(w, CALL_ISEND, &found.ois);
	}
	if (rc)
		return rc;
	*s = found;
	return 0;
}

/* Ranges between the breaks, of which the limit is one. */
static void make_ranges(struct work *w, const double *breaks, size_t n)
{
	w->start[w->ranges++] = 0;
	for (size_t i = 0; i < n; i++)
		w->start[w->ranges++] = breaks[i];
	w->start[w->ranges++] = w->eager + 1;
	tape_sort(w->start, w->ranges, sizeof *w->start, compare_ns);
	w->start[w->ranges] = INFINITY;
}

int tape_smpi_fit(const struct tape_smpi_size *size, size_t m,
		  const double *breaks, size_t n_breaks, int64_t eager,
		  struct tape_smpi *s)
{
	struct work *w;
	size_t n = 0;
	int rc = TAPE_ENOMEM;

	for (size_t i = 0; i < m; i++)
		n += size[i].n;
	if (!n)
		return TAPE_EFEW;
	w = calloc(1, sizeof *w);
	if (!w)
		return TAPE_ENOMEM;
	w->size = size;
	w->m = m;
	w->eager = (double)eager;
	w->largest = size[m - 1].bytes;
	w->timing = malloc((n + m) * sizeof *w->timing);
	w->whole_ns = malloc(m * sizeof *w->whole_ns);
	w->start = malloc((n_breaks + 3) * sizeof *w->start);
	w->isend_ns = malloc(m * sizeof *w->isend_ns);
	if (w->timing && w->whole_ns && w->isend_ns && w->start) {
		make_ranges(w, breaks, n_breaks);
		rc = fit_constants(w, eager, s);
	}
	free(w->timing);
	free(w->whole_ns);
	free(w->isend_ns);
	free(w->start);
	free(w);
	return rc;
}

/* ---- other routes ---- */

/* Weighted least squares of two unknowns, latency and 1 / bandwidth. */
void tape_smpi_route(const struct tape_smpi *s,
		     const struct tape_smpi_size *size, size_t m,
		     double *latency_s, double *bandwidth)
{
	double aa = 0, ab = 0, bb = 0, at = 0, bt = 0, det, x, y;

	for (size_t i = 0; i < m; i++) {
		double bytes = size[i].bytes;
		const struct tape_smpi_piece *p =
		    table_piece(&s->factors, bytes);
		double t = 1e-9 * median_ns(size[i].ns, size[i].n), a, b, w;

		if (!(t > 0))
			continue;
		a = p->constant;
		b = (bytes + TAPE_SMPI_HEADER) / p->rate;
		w = 1 / (t * t);
		/* the overheads are those of the host, on any route */
		t -= tape_smpi_message_s(s, bytes) -
		     tape_smpi_transfer_s(s, bytes);
		t = fmax(t, 0);
		aa += w * a * a;
		ab += w * a * b;
		bb += w * b * b;
		at += w * a * t;
		bt += w * b * t;
	}
	det = aa * bb - ab * ab;
	if (!(aa > 0) || !(bb > 0) || !(det > 0))
		return;
	x = (at * bb - bt * ab) / det;
	y = (bt * aa - at * ab) / det;
	/* a negative one becomes 0, and the other one is fitted alone */
	if (x < 0 || y <= 0) {
		x = x < 0 ? 0 : at / aa;
		y = x > 0 ? 0 : bt / bb;
	}
	*latency_s = x;
	*bandwidth = y > 0 ? 1 / y : 1e15;
}

double tape_smpi_capacity(const struct tape_smpi *s,
			  const struct tape_smpi_size *size, size_t m)
{
	double *share = malloc((m + 1) * sizeof *share), result = 2;
	size_t n = 0;

	for (size_t i = 0; share && i < m; i++) {
		double bytes = size[i].bytes, moving = moving_s(s, bytes), rest;

		if (!(size[i].exchange_ns > 0) || !is_moving(s, bytes))
			continue;
		rest = crossing_s(s, bytes, 2) - moving +
		       overhead_s(&s->ois, bytes);
		share[n++] = 2 * moving /
			     fmax(1e-9 * size[i].exchange_ns - rest, moving);
	}
	if (n) {
		tape_sort(share, n, sizeof *share, compare_ns);
		result = fmax(1, share[n / 2]);
	}
	free(share);
	return result;
}
