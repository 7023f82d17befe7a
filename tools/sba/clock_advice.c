/* The result and the diagnoses in words; see clock_report.h. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "clock_report.h"

/* Sampling was overloaded if 9 of 10 rounds are left out, or the median round
 * took 10 times the fastest. */
static const double out_of_ten = 9, trips = 10;

struct text {
	char *s;
	size_t size, n;
};

/* Appends a part of a sentence, after a semicolon if it is not the first. */
__attribute__((format(printf, 2, 3))) static void
append_text(struct text *x, const char *format, ...)
{
	va_list ap;

	if (x->n && x->n + 3 < x->size) {
		strcpy(x->s + x->n, "; ");
		x->n += 2;
	}
	va_start(ap, format);
	vsnprintf(x->s + x->n, x->size - x->n, format, ap);
	va_end(ap);
	x->n += strlen(x->s + x->n);
}

/* ---- one clock ---- */

static double run_seconds(const struct clocks *k, double instant)
{
	return (instant - k->from_ns) / 1e9;
}

static void append_shape(struct text *x, const struct clocks *k,
			 const struct clock *c)
{
	const struct tape_clock_diagnosis *d = &c->shape;

	switch (d->shape) {
	case TAPE_CLOCK_EVEN:
		break;
	case TAPE_CLOCK_BENT:
		append_text(
		    x,
		    "its rate changed slowly during the run (temperature): "
		    "shorter runs, or a constant load, give better timestamps");
		break;
	case TAPE_CLOCK_OSCILLATES:
		append_text(x,
			    "it oscillates by %.3f us every %.1f s, as with "
			    "cyclic cooling: %s",
			    d->amplitude_ns / 1e3, d->period_ns / 1e9,
			    c->source & CLOCK_MESSAGES
				? "only messages can track that"
				: "it has too few messages to track that");
		break;
	case TAPE_CLOCK_SLEWED:
		append_text(
		    x,
		    "its rate was changed by %.1f ppm from %.1f s to %.1f s "
		    "of the run, as NTP and PTP do: stop them during the "
		    "run, or use a clock that they do not steer (clock in "
		    "tape.conf)",
		    d->slew * 1e6, run_seconds(k, d->when_ns),
		    run_seconds(k, d->until_ns));
		break;
	case TAPE_CLOCK_SAWTOOTH:
		append_text(
		    x,
		    "it is stepped by %.3f us every %.1f s, as NTP does: "
		    "stop NTP during the run, or use a clock that it does "
		    "not steer (clock in tape.conf)",
		    d->step_ns / 1e3, d->period_ns / 1e9);
		break;
	case TAPE_CLOCK_STEPPED:
		append_text(
		    x,
		    "it was set, or its machine was paused, by %.3f us at "
		    "%.1f s of the run: timestamps near that instant are "
		    "unreliable; do not set clocks, suspend or migrate "
		    "machines during a run",
		    d->step_ns / 1e3, run_seconds(k, d->when_ns));
		break;
	}
}

static void append_source(struct text *x, const struct report *r,
			  const struct clock *c)
{
	unsigned ends = c->source & (CLOCK_BEFORE | CLOCK_AFTER);

	if (c->source & CLOCK_FILE) {
		append_text(x, "%s from %s, %.1f h old",
			    ends ? "drift" : "drift and offset", r->file,
			    r->age_s / 3600);
		if (r->age_s > r->age_limit_s / 2)
			append_text(x,
				    "that is old: quartz ages and drifts with "
				    "temperature; save new ones (-s)");
	} else if (c->source & CLOCK_MESSAGES) {
		if (!ends)
			append_text(x, "it was not sampled; only messages "
				       "relate it to other clocks");
	} else if (ends != (CLOCK_BEFORE | CLOCK_AFTER)) {
		append_text(
		    x,
		    "sampled %s the run only: its error grows with the time "
		    "%s the samples; sample both (sampling = on) or load "
		    "coefficients (-l)",
		    ends & CLOCK_BEFORE ? "before" : "after",
		    ends & CLOCK_BEFORE ? "since" : "until");
	}
}

static void append_sampling(struct text *x, const struct clock *c)
{
	const struct tape_clock_fit *f = &c->fit;

	if (!c->fitted)
		return;
	if (!f->bounded && !(c->source & (CLOCK_MESSAGES | CLOCK_FILE)))
		append_text(x, "no constant rate satisfies the bounds of all "
			       "its rounds: its rate changed, it was set, or "
			       "its machine was suspended during the run");
	if ((double)f->rejected * 10 > out_of_ten * (double)c->rounds)
		append_text(x,
			    "%zu of %zu rounds were discarded: the network or "
			    "the processors were loaded while it was sampled",
			    f->rejected, c->rounds);
	else if (c->median_trip_ns > trips * f->least_trip_ns)
		append_text(x,
			    "half of its rounds took more than %.3f us, the "
			    "fastest %.3f us: the network or the processors "
			    "were loaded while it was sampled",
			    c->median_trip_ns / 1e3, f->least_trip_ns / 1e3);
	append_text(x,
		    "an asymmetric route can hide an offset error of up to "
		    "%.3f us (half the shortest round trip)",
		    f->least_trip_ns / 2e3);
}

/* Reports a suspended machine; less than a millisecond is ignored. */
static void append_slept(struct text *x, const struct report *r, size_t i)
{
	int64_t most = 0;

	for (size_t k = 0; k < tape_trace_ranks(r->t); k++) {
		const struct tape_rank_info *rank =
			tape_trace_rank(r->t, (int)k);

		if (rank->domain == i && rank->slept_ns > most)
			most = rank->slept_ns;
	}
	if (most >= 1000000)
		append_text(
		    x,
		    "its machine was suspended for %.3f s during the run: "
		    "timestamps across that are unreliable; run again "
		    "without",
		    (double)most / 1e9);
}

void report_diagnosis(const struct report *r, size_t i, char *text, size_t size)
{
	const struct clock *c = &r->k->c[i];
	struct text x = { text, size, 0 };

	*text = '\0';
	if (c->status == CLOCK_UNPLACED) {
		append_text(&x, "nothing relates it to the reference: run with "
				"sampling = on");
		append_slept(&x, r, i);
		return;
	}
	if (c->status == CLOCK_REFERENCE) {
		append_slept(&x, r, i);
		return;
	}
	if (c->shape.shape == TAPE_CLOCK_EVEN)
		append_text(&x,
			    c->source & CLOCK_MESSAGES ? "even"
			    : c->messages
				? "constant rate; its messages agree"
				: "constant rate, as far as its samples show");
	append_shape(&x, r->k, c);
	append_slept(&x, r, i);
	append_source(&x, r, c);
	append_sampling(&x, c);
}

/* ---- all of them ---- */

/* The number of the first unrelated clock, or 0. */
static size_t find_unplaced(const struct clocks *k)
{
	for (size_t i = 1; i < k->n; i++)
		if (k->c[i].status == CLOCK_UNPLACED)
			return i;
	return 0;
}

static int has_nonlinear(const struct clocks *k)
{
	for (size_t i = 1; i < k->n; i++)
		if (k->c[i].fitted && !k->c[i].fit.bounded &&
		    !(k->c[i].source & (CLOCK_MESSAGES | CLOCK_FILE)))
			return 1;
	return 0;
}

static int has_one_end(const struct clocks *k)
{
	for (size_t i = 1; i < k->n; i++) {
		unsigned s = k->c[i].source;

		if (!(s & (CLOCK_FILE | CLOCK_MESSAGES)) &&
		    (s & (CLOCK_BEFORE | CLOCK_AFTER)) !=
			    (CLOCK_BEFORE | CLOCK_AFTER))
			return 1;
	}
	return 0;
}

void report_verdict(const struct report *r, char *text, size_t size)
{
	double eps = report_epsilon(r->k);
	const struct check *c = r->now;
	size_t i = find_unplaced(r->k);

	if (r->k->n < 2)
		snprintf(text, size, "All ranks read one clock: timestamps can "
			 "be compared to the tick");
	else if (i)
		snprintf(text, size, "Clock domain %zu was not sampled: "
			 "its timestamps cannot be compared with those "
			 "of others; run with sampling = on", i);
	else if (has_nonlinear(r->k))
		snprintf(text, size,
			 "No constant clock rates satisfy the bounds of all "
			 "rounds: a clock changed its rate during the run (a "
			 "change of temperature, a suspended machine)");
	else if (has_one_end(r->k))
		snprintf(text, size, "Clocks were sampled at one end only: the "
			 "timestamps are extrapolated, and their error grows "
			 "with the distance from the samples");
	else if (!isfinite(eps))
		snprintf(
		    text, size,
		    "Some timestamps of a clock that was steered or set have "
		    "no bounds. tapedump -g shows the interval of each");
	else if (c->violations)
		snprintf(text, size, "The clocks agree to within %.3f us only: "
			 "some messages seem to arrive before they were sent; "
			 "sample more rounds, on an idle network", eps / 1e3);
	else if (r->refuted)
		snprintf(text, size,
			 "The clocks agree to within %.3f us: a clock changed "
			 "its rate during the run. With constant rates %" PRIu64
			 " messages would arrive before they were sent, so its "
			 "offset is derived from messages",
			 eps / 1e3, r->refuted);
	else if (c->transits && eps > (double)c->least_ns)
		snprintf(text, size, "The clocks agree to within %.3f us, more "
			 "than the least transit of %.3f us: single messages "
			 "may seem to arrive before they were sent; sample "
			 "more rounds, on an idle network", eps / 1e3,
			 (double)c->least_ns / 1e3);
	else
		snprintf(text, size, "The clocks agree to within %.3f us: "
			 "timestamps can be compared across machines",
			 eps / 1e3);
}
