/*
 * What the ranks measured of the tracer's own cost: lines alpha, alpha_end and
 * pace of rank files.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "sort.h"
#include "trace.h"

/* An hour of any clock: no event costs that much. */
#define ALPHA_MAX 1e13
/* and to what their bounds are written */
#define ROUNDED 0.2

/* Two numbers that may follow, which enclose sum: 1, 0 without them, or -1. */
static int read_range(char **rest, double sum, double *from, double *to)
{
	char *word = tape_text_word(rest);

	*from = *to = sum;
	if (!word)
		return 0;
	if (tape_text_double(word, from) ||
	    tape_text_double(tape_text_word(rest), to) || *from < 0 ||
	    *to > 2 * ALPHA_MAX || *from > sum + ROUNDED ||
	    *to < sum - ROUNDED)
		return -1;
	/* all of them are rounded */
	*from = fmin(*from, sum);
	*to = fmax(*to, sum);
	return 1;
}

/* Is it one that means something, to this reader? */
static int is_known_constant(const char *name)
{
	static const char *const others[] = { "done", "ask", "ask_wait",
					      "reading", "poll", "skip",
					      "skip_local" };

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!strcmp(name, others[i]))
			return 1;
	if (!strncmp(name, "there_", 6))
		name += 6;
	for (unsigned c = 0; c < TAPE_CLASS_COUNT; c++)
		if (!strcmp(name, tape_class_name(c)))
			return 1;
	return 0;
}

/* What is known of that constant, made if need be; NULL: no memory. */
static struct tape_alpha_info *
add_constant(struct tape_trace *t, struct tape_rank *r, const char *name)
{
	struct tape_alpha_info *a;

	for (size_t i = 0; i < r->info.n_alphas; i++)
		if (!strcmp(r->alphas[i].name, name))
			return &r->alphas[i];
	a = tape_grow_list(r->alphas, r->info.n_alphas, sizeof *a);
	if (!a)
		return NULL;
	r->alphas = a;
	a += r->info.n_alphas;
	memset(a, 0, sizeof *a);
	a->name = tape_intern_string(t, name);
	if (!a->name)
		return NULL;
	r->info.n_alphas++;
	return a;
}

/* The constant that holds for the run, and how much less and more it may be. */
struct held {
	double before, after, less, more;
};

/*
 * Measured twice, the true value is somewhere between: the mean is no further
 * from it than half of their difference. The bounds are of both. Who reads a
 * trace while it is written knows the first one only: there that one counts.
 */
static struct held average_constant(const struct tape_alpha_info *a,
				    int streamed)
{
	const struct tape_alpha_measure *b = &a->begin;
	const struct tape_alpha_measure *e = a->again ? &a->end : b;
	const struct tape_alpha_measure *usual = streamed ? b : e;
	struct held h = {(b->before + usual->before) / 2,
			 (b->after + usual->after) / 2, 0, 0};
	double sum = h.before + h.after;

	h.less = sum - fmin(fmin(b->least, b->low), fmin(e->least, e->low));
	h.more = fmax(fmax(b->most, b->high), fmax(e->most, e->high)) - sum;
	return h;
}

static void store_constant(struct tape_rank *r, const char *name,
			   const struct held *h)
{
	if (!strcmp(name, "done")) {
		r->done_after = h->after;
		r->done_less = h->less;
		r->done_more = h->more;
	}
	if (!strcmp(name, "ask"))
		r->ask = h->before;
	if (!strcmp(name, "reading"))
		r->reading = h->before;
	if (!strcmp(name, "poll")) {
		r->poll_before = h->before;
		r->poll_after = h->after;
		r->poll_less = h->less;
		r->poll_more = h->more;
	}
	if (!strcmp(name, "ask_wait"))
		r->ask_wait = h->before;
	if (!strcmp(name, "skip") || !strcmp(name, "skip_local")) {
		int local = name[4] != '\0';

		r->skip[local].usual = h->before;
		r->skip[local].less = h->less;
		r->skip[local].more = h->more;
	}
	for (unsigned c = 0; c < TAPE_CLASS_COUNT; c++)
		if (tape_arrival_index(c) >= 0 && !strncmp(name, "there_", 6) &&
		    !strcmp(name + 6, tape_class_name(c))) {
			r->there[tape_arrival_index(c)].usual = h->after;
			r->there[tape_arrival_index(c)].less = h->less;
			r->there[tape_arrival_index(c)].more = h->more;
		} else if (!strcmp(name, tape_class_name(c))) {
			r->info.alpha_before[c] = h->before;
			r->info.alpha_after[c] = h->after;
			r->info.alpha_less[c] = (float)h->less;
			r->info.alpha_more[c] = (float)h->more;
		}
}

int tape_trace_read_alpha(struct tape_trace *t, struct tape_rank *r,
			  const struct tape_text *x, char *rest, int at_end)
{
	struct tape_alpha_measure m = { 0 };
	char *name = tape_text_word(&rest);
	struct tape_alpha_info *a;
	int bounded, known;
	struct held h;
	double sum;

	if (!name || tape_text_double(tape_text_word(&rest), &m.before) ||
	    tape_text_double(tape_text_word(&rest), &m.after) ||
	    m.before < 0 || m.after < 0 || m.before > ALPHA_MAX ||
	    m.after > ALPHA_MAX)
		return bad_line(t, x, "bad alpha");
	sum = m.before + m.after;
	bounded = read_range(&rest, sum, &m.least, &m.most);
	if (bounded < 0)
		return bad_line(t, x, "bad bounds of alpha");
	known = read_range(&rest, sum, &m.low, &m.high);
	if (known < 0)
		return bad_line(t, x, "bad interval of alpha");
	m.ranged = known;
	r->info.alpha_bounded |= bounded;
	if (!is_known_constant(name))
		return 0;
	a = add_constant(t, r, name);
	if (!a)
		return tape_trace_no_memory(t);
	if (at_end && !a->measured && t->streamed)
		return 0;
	if (at_end && a->measured) {
		a->end = m;
		a->again = 1;
	} else {
		a->begin = m;
	}
	a->measured = 1;
	h = average_constant(a, t->streamed);
	store_constant(r, a->name, &h);
	return 0;
}

int tape_trace_read_pace(struct tape_trace *t, struct tape_rank *r,
			 const struct tape_text *x, char *rest)
{
	struct tape_pace p;

	if (tape_text_double(tape_text_word(&rest), &p.chain) ||
	    tape_text_double(tape_text_word(&rest), &p.independent) ||
	    !(p.chain > 0) || !(p.independent > 0) || p.chain > ALPHA_MAX ||
	    p.independent > ALPHA_MAX)
		return bad_line(t, x, "bad pace");
	/* at the start of the run, and again at its end */
	if (!r->info.paces)
		r->info.pace[0] = p;
	r->info.pace[1] = p;
	r->info.paces += r->info.paces < 2;
	return 0;
}

/* ---- does calibration agree with itself? ---- */

static int compare_ratios(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Some calls share one measure: their lines follow each other. */
static int is_repeated(const struct tape_rank_info *r, size_t i)
{
	const struct tape_alpha_measure *a = &r->alphas[i].begin;
	const struct tape_alpha_measure *b = &r->alphas[i].end;

	return i && r->alphas[i - 1].again &&
	       !memcmp(a, &r->alphas[i - 1].begin, sizeof *a) &&
	       !memcmp(b, &r->alphas[i - 1].end, sizeof *b);
}

int tape_rank_drift(const struct tape_rank_info *r, struct tape_drift *d)
{
	double *ratios = malloc((r->n_alphas + 1) * sizeof *ratios);

	memset(d, 0, sizeof *d);
	if (!ratios)
		return 0;
	for (size_t i = 0; i < r->n_alphas; i++) {
		const struct tape_alpha_info *a = &r->alphas[i];
		double begin = a->begin.before + a->begin.after;
		double end = a->end.before + a->end.after;

		if (!a->again || !a->begin.ranged || !a->end.ranged ||
		    is_repeated(r, i))
			continue;
		d->n++;
		if (a->begin.high >= a->end.low && a->end.high >= a->begin.low)
			continue;
		if (begin > 0 && end > 0)
			ratios[d->apart++] = end / begin;
	}
	tape_sort(ratios, d->apart, sizeof *ratios, compare_ratios);
	if (d->apart)
		d->ratio = (ratios[(d->apart - 1) / 2] + ratios[d->apart / 2]) /
			   2;
	free(ratios);
	d->work = 1;
	if (r->paces == 2)
		d->work = r->pace[1].independent / r->pace[0].independent;
	return d->apart > 0;
}
