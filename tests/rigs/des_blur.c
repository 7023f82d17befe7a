/* Costs and clocks that are only known to an interval; see des.h. */
#include "des.h"
#include "tape_ids.h"
#include "tape_reader.h"

/* Shares of the sum, in percent; some of what may be off is nothing. */
static void draw_interval(struct des_program *p, int64_t sum, int64_t *less,
			  int64_t *more)
{
	*less = sum * des_random(p, 101) / 100;
	*more = sum * (des_random(p, 3) ? des_random(p, 201) : 0) / 100;
}

/* How much more one part of the sum may have been. */
static int64_t off(struct des_program *p, int64_t part, int64_t sum,
		   int64_t less, int64_t more)
{
	if (!part)
		return 0;
	less = part * less / sum;
	more = part * more / sum;
	/* the ends are worth trying */
	switch (des_random(p, 4)) {
	case 0:
		return -less;
	case 1:
		return more;
	default:
		return des_random(p, less + more + 1) - less;
	}
}

static void blur_step(struct des_program *p, const struct des_rank *r,
		      struct des_step *s)
{
	unsigned c = tape_call_class((unsigned)s->call);
	int64_t before, after, sum;

	/* polls have no constants here, and those before them are measured */
	if (s->kind == DES_MISS || s->kind == DES_POLL || s->kind == DES_IPROBE)
		return;
	if (c == TAPE_CLASS_TEST || c == TAPE_CLASS_IPROBE ||
	    c == TAPE_CLASS_IMPROBE || c == TAPE_CLASS_WINTEST)
		return;
	before = r->before[c];
	after = r->after[c];
	sum = before + after;
	s->off_before = off(p, before, sum, r->less[c], r->more[c]);
	s->off_after = off(p, after, sum, r->less[c], r->more[c]);
	for (int i = 1; s->kind == DES_WAIT && i < s->n; i++)
		s->off_after += off(p, r->done_after, r->done_after,
				    r->less[64], r->more[64]);
}

void des_blur(struct des_program *p)
{
	p->blurred = 1;
	for (int i = 0; i < p->ranks; i++) {
		struct des_rank *r = &p->rank[i];

		for (int c = 0; c < TAPE_CLASS_COUNT; c++)
			draw_interval(p, r->before[c] + r->after[c],
				      &r->less[c], &r->more[c]);
		draw_interval(p, r->done_after, &r->less[64], &r->more[64]);
		for (int k = 0; k < r->n; k++)
			blur_step(p, r, &r->step[k]);
	}
}

/* ---- clocks ---- */

static void bend(struct des_program *p, struct des_clock *c, int64_t last)
{
	int64_t width = 1 + des_random(p, 2) * des_random(p, 3000);
	int64_t since = 1000000 - 1000;

	c->n = 2 + (int)des_random(p, DES_KNOTS - 1);
	for (int k = 0; k < c->n; k++) {
		c->at[k] = since + (last + 2000 - since) * k / (c->n - 1);
		c->ahead[k] = des_random(p, 2 * width) - width;
		/* to a knot a clock may gain or lose a tenth of the time */
		if (k && c->ahead[k] - c->ahead[k - 1] >
			     (c->at[k] - c->at[k - 1]) / 10)
			c->ahead[k] =
			    c->ahead[k - 1] + (c->at[k] - c->at[k - 1]) / 10;
		if (k && c->ahead[k - 1] - c->ahead[k] >
			     (c->at[k] - c->at[k - 1]) / 10)
			c->ahead[k] =
			    c->ahead[k - 1] - (c->at[k] - c->at[k - 1]) / 10;
		/* what is shown is whole ns */
		c->below[k] = 1 + des_random(p, width);
		c->above[k] = 1 + des_random(p, width);
	}
}

void des_bend(struct des_program *p)
{
	int64_t last = 1000000;

	for (int r = 0; r < p->ranks; r++)
		for (int k = 0; k < p->rank[r].n; k++) {
			struct des_dates *d = &p->rank[r].step[k].d[DES_TRACED];

			last = d->end > last ? d->end : last;
		}
	p->clocks = 1;
	p->hosts = p->ranks;
	for (int r = 0; r < p->ranks; r++)
		bend(p, &p->clock[r], last);
}

int64_t des_shown(const struct des_program *p, int rank, int64_t ns)
{
	const struct des_clock *c = &p->clock[rank];
	int k = 1;

	if (!p->clocks)
		return ns;
	while (k + 1 < c->n && c->at[k] < ns)
		k++;
	return ns + c->ahead[k - 1] +
	       (int64_t)((double)(c->ahead[k] - c->ahead[k - 1]) *
			 (double)(ns - c->at[k - 1]) /
			 (double)(c->at[k] - c->at[k - 1]));
}
