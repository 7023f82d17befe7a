/* What one pass comes to; see engine.h and engine_parts.h. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_parts.h"
#include "tool.h"

/* Threads of unknown creation may cost this share of the run. */
#define UNKNOWN_SHARE 0.01

void result_new(struct result *r, const struct tape_trace *t)
{
	size_t n = tape_trace_ranks(t);

	memset(r, 0, sizeof *r);
	r->missing = tape_not_recorded_new(t);
	r->ranks = calloc(n, sizeof *r->ranks);
	r->unmatched = tape_unmatched_new();
	if (!r->ranks || !r->unmatched)
		tape_die_no_memory();
	for (size_t i = 0; i < n; i++) {
		struct rank_result *q = &r->ranks[i];

		q->first_ns = q->first_ta = INT64_MAX;
		q->first_lo = q->first_hi = INT64_MAX;
		q->last_ns = q->last_ta = INT64_MIN;
		q->last_lo = q->last_hi = INT64_MIN;
	}
}

void result_free(struct result *r)
{
	free(r->ranks);
	r->ranks = NULL;
	free(r->notes.list);
	r->notes = (struct tape_notices){NULL, 0};
	free(r->open);
	r->open = NULL;
	blames_free(r->blames);
	r->blames = NULL;
	tape_not_recorded_free(r->missing);
	r->missing = NULL;
	tape_unmatched_free(r->unmatched);
	r->unmatched = NULL;
}

void result_add_event(struct result *all, const struct flow *f)
{
	const struct tape_event *e = f->e;
	struct rank_result *r = &all->ranks[e->rank];
	double alpha = e->alpha_before_ns + e->alpha_after_ns;

	r->seen = 1;
	r->events++;
	r->alpha_ns += alpha;
	r->unknown_threads_ns += f->has_unknown_thread ? alpha : 0;
	all->events++;
}

/* The cost of a counted call is between 0 and that of a recorded call. */
void result_add_counted(struct result *all, const struct tape_trace *t,
			const struct tape_event *e)
{
	const struct tape_rank_info *r = tape_trace_rank(t, e->rank);
	const struct tape_counted *u = &e->u.counted;
	unsigned c = u->region ? TAPE_CLASS_ENTER
			       : tape_call_class(r->sites[u->site].call);
	double ticks =
	    r->alpha_before[c] + r->alpha_after[c] + r->alpha_more[c];

	all->counted_ns += (double)u->calls * ticks *
			   tape_trace_tick_ns(t, r->domain);
}

/* ---- dates ---- */

static int64_t min_timestamp(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t max_timestamp(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Sixteenths of a power of two are the highest bits of a double's fraction. */
static unsigned width_bin(double width)
{
	uint64_t bits;

	if (!(width >= 1))
		return width > 1e-3;
	memcpy(&bits, &width, sizeof bits);
	bits = (bits >> 48) - 0x3ff0 + 2;
	return bits < WIDTH_BINS ? (unsigned)bits : WIDTH_BINS - 1;
}

void result_add_width(struct result *r, const struct tape_delay *p_end)
{
	double width = p_end->hi - p_end->lo;

	r->widths.n++;
	r->widths.bin[width_bin(width)]++;
	if (width > r->widths.most)
		r->widths.most = width;
}

/* Within a flow corrected dates do not decrease, nor do their bounds. */
void result_add_first(struct result *all, const struct tape_event *e,
		      const struct tape_delay *p)
{
	struct rank_result *r = &all->ranks[e->rank];
	int64_t start = e->start_ns;

	r->first_ns = min_timestamp(r->first_ns, start);
	r->first_ta =
	    min_timestamp(r->first_ta, tape_timestamp_minus(start, p->p));
	r->first_lo = min_timestamp(r->first_lo,
				    tape_timestamp_minus(start, ceil(p->hi)));
	r->first_hi = min_timestamp(r->first_hi,
				    tape_timestamp_minus(start, floor(p->lo)));
}

void result_add_last(struct result *all, int rank, int64_t end_ns,
		     const struct tape_delay *p)
{
	struct rank_result *r = &all->ranks[rank];

	r->last_ns = max_timestamp(r->last_ns, end_ns);
	r->last_ta =
	    max_timestamp(r->last_ta, tape_timestamp_minus(end_ns, p->p));
	r->last_lo = max_timestamp(r->last_lo,
				   tape_timestamp_minus(end_ns, ceil(p->hi)));
	r->last_hi = max_timestamp(r->last_hi,
				   tape_timestamp_minus(end_ns, floor(p->lo)));
}

void result_compute_total(struct result *r, size_t ranks)
{
	struct rank_result all = { 0 };

	all.first_ns = all.first_ta = all.first_lo = all.first_hi = INT64_MAX;
	all.last_ns = all.last_ta = all.last_lo = all.last_hi = INT64_MIN;
	r->threads_ns = 0;
	for (size_t i = 0; i < ranks; i++) {
		const struct rank_result *q = &r->ranks[i];

		if (!q->seen)
			continue;
		r->threads_ns += q->unknown_threads_ns;
		all.first_ns = min_timestamp(all.first_ns, q->first_ns);
		all.first_ta = min_timestamp(all.first_ta, q->first_ta);
		all.first_lo = min_timestamp(all.first_lo, q->first_lo);
		all.first_hi = min_timestamp(all.first_hi, q->first_hi);
		all.last_ns = max_timestamp(all.last_ns, q->last_ns);
		all.last_ta = max_timestamp(all.last_ta, q->last_ta);
		all.last_lo = max_timestamp(all.last_lo, q->last_lo);
		all.last_hi = max_timestamp(all.last_hi, q->last_hi);
	}
	if (all.last_ns < all.first_ns)
		return; /* no event */
	r->first_ns = all.first_ns;
	r->last_ns = all.last_ns;
	r->first_ta = all.first_ta;
	r->last_ta = all.last_ta;
	/* of a damaged trace these may be any dates */
	r->total_lo = (int64_t)((uint64_t)all.last_lo - (uint64_t)all.first_hi);
	r->total_hi = (int64_t)((uint64_t)all.last_hi - (uint64_t)all.first_lo);
	r->total_lo = tape_timestamp_minus(r->total_lo, ceil(r->counted_ns));
	/* others may have waited for a thread before its first event */
	if (r->threads_ns > 0)
		r->total_hi = max_timestamp(
		    r->total_hi, (int64_t)((uint64_t)all.last_ns -
					   (uint64_t)all.first_lo));
	/* clocks that may err by more than the run is long */
	if (r->total_lo < 0 && r->total_hi >= 0)
		r->total_lo = 0;
}

int result_is_sound(const struct result *r)
{
	int64_t total = r->last_ta - r->first_ta;

	return r->total_lo <= total && total <= r->total_hi;
}

int result_is_bounded(const struct result *r)
{
	return (double)r->total_hi - (double)r->total_lo <=
	       (double)r->last_ns - (double)r->first_ns;
}

int result_is_refuted(const struct result *r)
{
	return r->contradictions || r->count.clamped;
}

int result_may_reorder(const struct result *r)
{
	return r->order.open || r->order.turned;
}

int result_uncertain_text(const struct result *r, char *text, size_t n)
{
	const struct order_counts *o = &r->order;

	*text = '\0';
	if (!result_is_sound(r))
		snprintf(text, n, "internal error: the corrected total time is "
				  "out of its bounds");
	else if (r->contradictions)
		snprintf(text, n, "%" PRIu64 " actions ended before the event "
			 "that they waited for began, by more than the clocks "
			 "may err", r->contradictions);
	else if (r->count.clamped)
		snprintf(text, n, "%" PRIu64 " actions ended by the clocks "
			 "before the event that they waited for began",
			 r->count.clamped);
	else if (r->reference.apart)
		snprintf(text, n, "%" PRIu64 " of %" PRIu64 " times of the "
			 "reference are out of the bounds of the trace, by up "
			 "to %.3g us: the runs differ by more than tracing",
			 r->reference.apart, r->reference.events,
			 r->reference.gap_ns / 1e3);
	else if (r->reference.tests)
		snprintf(text, n, "how often %" PRIu64 " tests and probes fail "
			 "without tracing is not known", r->reference.tests);
	else if (tape_not_recorded_unknown(r->missing))
		snprintf(text, n, "what calls cost that the settings exclude, "
				  "or while tracing was off, is not known");
	else if (result_may_reorder(r))
		snprintf(text, n, "%" PRIu64 " of %" PRIu64 " calls that "
			 "depend on when messages arrive might end otherwise "
			 "without tracing", o->open + o->turned, o->calls);
	else if (o->calls && r->counted_ns + r->threads_ns > 0)
		snprintf(text, n, "%" PRIu64 " calls depend on when messages "
			 "arrive, and what tracing cost %s is known as a sum "
			 "only", o->calls, r->counted_ns > 0
			 ? "calls that were only counted" : "threads");
	else if (r->threads_ns > UNKNOWN_SHARE * ((double)r->last_ns -
						  (double)r->first_ns))
		snprintf(text, n, "when threads were created and joined is not "
				  "known");
	else if (!result_is_bounded(r))
		snprintf(text, n, "its bounds are further apart than the run "
				  "is long");
	return *text != '\0';
}

double result_width(const struct result *r, double q)
{
	const struct widths *w = &r->widths;
	double left = q * (double)w->n;
	unsigned b = 0;

	while (b < WIDTH_BINS - 1 && (left -= (double)w->bin[b]) > 0)
		b++;
	if (!b)
		return 0;
	/* the end of the bin */
	b--;
	return fmin(ldexp(1 + (b % 16) / 16.0, (int)(b / 16)), w->most);
}
