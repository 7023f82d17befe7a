/* The clock report; see clock_report.h. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "escape.h"
#include "damage.h"
#include "json.h"
#include "clock_report.h"
#include "row_selection.h"
#include "sort.h"
#include "tool.h"

/* Diagnoses printed if there are many clocks. */
enum { SENTENCES = 8 };

/* ---- figures ---- */

void report_interval(const struct clock *c, double instant, double *lo_ns,
		     double *hi_ns)
{
	struct tape_clock_knot k = { .lo_ns = -INFINITY, .hi_ns = INFINITY };

	if (c->status == CLOCK_REFERENCE)
		k.lo_ns = k.hi_ns = 0;
	else if (c->status == CLOCK_PLACED)
		k = tape_clock_track_at(&c->track, instant);
	/* a larger true offset makes the true time earlier */
	*lo_ns = isfinite(k.hi_ns) ? 0 - k.hi_ns : -INFINITY;
	*hi_ns = isfinite(k.lo_ns) ? 0 - k.lo_ns : INFINITY;
}

void report_widest(const struct clocks *k, size_t i, double *lo_ns,
		   double *hi_ns)
{
	const struct clock *c = &k->c[i];
	double lo, hi;

	report_interval(c, k->from_ns, lo_ns, hi_ns);
	for (size_t j = 0; c->status == CLOCK_PLACED && j < c->track.n; j++) {
		report_interval(c, c->track.knot[j].ref_ns, &lo, &hi);
		*lo_ns = fmin(*lo_ns, lo);
		*hi_ns = fmax(*hi_ns, hi);
	}
}

double report_epsilon(const struct clocks *k)
{
	double worst = 0, lo, hi;

	for (size_t i = 0; i < k->n; i++) {
		report_widest(k, i, &lo, &hi);
		worst = fmax(worst, fmax(-lo, hi));
	}
	/* two clocks may err in opposite directions */
	return k->n > 2 ? 2 * worst : worst;
}

double report_drift(const struct clocks *k, size_t i)
{
	const struct tape_clock_track *t = &k->c[i].track;

	if (!t->n)
		return 0;
	return (tape_clock_track_at(t, k->to_ns).offset_ns -
		tape_clock_track_at(t, k->from_ns).offset_ns) /
	       (k->to_ns - k->from_ns);
}

/* Its reading minus that of the reference, at its first sample. */
static double offset_ns(const struct report *r, size_t i)
{
	const struct clock *c = &r->k->c[i];
	double x = clock_instant(&c->track, 0, NULL, NULL);

	return (double)(c->origin_ns - r->date_ns) - x;
}

/*
 * The 95% intervals of clock i relative to the reference, from those of the
 * independent fits between them. Returns 0 if the track does not use these
 * fits.
 */
static int confidence_interval(const struct clocks *k, size_t i,
			       double *offset_ns, double *drift)
{
	const struct clock *c = &k->c[i];

	*offset_ns = *drift = 0;
	for (; c->status == CLOCK_PLACED; c = &k->c[c->by]) {
		if (!c->fitted || c->source & (CLOCK_MESSAGES | CLOCK_FILE))
			return 0;
		*offset_ns = hypot(*offset_ns, c->fit.offset_ci_ns);
		*drift = hypot(*drift, c->fit.drift_ci);
	}
	return c->status == CLOCK_REFERENCE;
}

const char *report_source(const struct clock *c, char text[64])
{
	static const char *const names[] = { "before", "after", "file",
					     "messages" };

	*text = '\0';
	for (unsigned i = 0; i < 4; i++)
		if (c->source >> i & 1) {
			strcat(text, *text ? "+" : "");
			strcat(text, names[i]);
		}
	return text;
}

const char *report_shape(enum tape_clock_shape shape)
{
	switch (shape) {
	case TAPE_CLOCK_EVEN:
		return "even";
	case TAPE_CLOCK_BENT:
		return "bent";
	case TAPE_CLOCK_OSCILLATES:
		return "oscillates";
	case TAPE_CLOCK_SLEWED:
		return "slewed";
	case TAPE_CLOCK_SAWTOOTH:
		return "sawtooth";
	case TAPE_CLOCK_STEPPED:
		return "stepped";
	}
	return "?";
}

/* ---- text ---- */

/* Prints what was not recorded, and the consequences. */
static void print_missing(const struct report *r)
{
	const struct check *now = r->now;
	char text[1024];

	if (!tape_not_recorded_text(r->missing, text, sizeof text))
		return;
	printf("not recorded       %s\n", text);
	if (tape_unmatched_sends(now->unmatched) ||
	    tape_unmatched_receives(now->unmatched) || now->left_out)
		printf("%19smessages of which only one end was recorded count "
		       "as unmatched\n", "");
	if (now->left_out)
		printf("not matched        %" PRIu64
		       " sends and receives, of channels on which other "
		       "messages were only counted\n",
		       now->left_out);
}

static void print_unmatched(const struct report *r)
{
	const struct check *now = r->now;
	uint64_t sends = tape_unmatched_sends(now->unmatched);
	uint64_t receives = tape_unmatched_receives(now->unmatched);

	if (sends || receives)
		printf("unmatched          %" PRIu64 " sends, %" PRIu64
		       " receives\n", sends, receives);
	if (now->unknown)
		printf("unknown requests   %" PRIu64 " completed, their "
		       "creation is not in the trace\n", now->unknown);
	tape_unmatched_text(now->unmatched, r->t, stdout);
}

/* ---- the table of clocks ---- */

enum {
	CLOCK,
	SAMPLES,
	DRIFT,
	DRIFT_CI,
	OFFSET,
	OFFSET_CI,
	GUARANTEED,
	TRIP,
	BY,
	FROM,
	HOSTS,
	COLUMNS
};

/* width < 0: at the left; the space before it is lead. */
static const struct {
	const char *title, *unit, *name;
	int lead, width;
} column[COLUMNS] = {
	[CLOCK] = { "clock", "", "clock", 0, 5 },
	[SAMPLES] = { "samples", "used/out", "samples", 2, 9 },
	[DRIFT] = { "drift", "ppm", "drift", 2, 10 },
	[DRIFT_CI] = { "+- 95%", "ppm", "drift +- 95%", 1, 10 },
	[OFFSET] = { "offset", "us", "offset", 1, 16 },
	[OFFSET_CI] = { "+- 95%", "us", "offset +- 95%", 1, 8 },
	[GUARANTEED] = { "guaranteed", "us", "guaranteed", 2, 20 },
	[TRIP] = { "min. RTT", "us", "min. RTT", 1, 10 },
	[BY] = { "by", "", "by", 2, 3 },
	[FROM] = { "from", "", "from", 2, -12 },
	[HOSTS] = { "host: ranks", "", "host: ranks", 2, -11 },
};

/* The columns that a narrow terminal does not get, the first one first. */
static const int spare[] = { TRIP, OFFSET_CI, DRIFT_CI, BY, SAMPLES };

/* Characters of a line where there is no terminal. */
enum { WIDTH = 100 };

struct layout {
	int is_shown[COLUMNS];
	int hosts_at; /* where that column begins */
	int indent;   /* of all lines */
};

static int column_width(int i)
{
	return column[i].lead + abs(column[i].width);
}

static struct layout choose_columns(int indent)
{
	struct winsize w;
	int limit = !ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) && w.ws_col
			    ? w.ws_col
			    : WIDTH;
	struct layout l = { .indent = indent };
	int width = indent;

	for (int i = 0; i < COLUMNS; i++) {
		l.is_shown[i] = 1;
		width += column_width(i);
	}
	for (size_t k = 0; k < sizeof spare / sizeof *spare; k++)
		if (width > limit) {
			l.is_shown[spare[k]] = 0;
			width -= column_width(spare[k]);
		}
	for (int i = 0; i < HOSTS; i++)
		l.hosts_at += l.is_shown[i] ? column_width(i) : 0;
	return l;
}

static void print_cell(const struct layout *l, int i, const char *text)
{
	if (l->is_shown[i])
		printf("%*s%*s", column[i].lead, "", column[i].width, text);
}

static void print_titles(const struct layout *l)
{
	printf("%*s", l->indent, "");
	for (int i = 0; i < HOSTS; i++)
		print_cell(l, i, column[i].title);
	printf("  %s\n%*s", column[HOSTS].title, l->indent, "");
	for (int i = 0; i <= GUARANTEED + l->is_shown[TRIP]; i++)
		print_cell(l, i, column[i].unit);
	putchar('\n');
}

static void print_left_out(const struct layout *l)
{
	int n = 0;

	for (int i = 0; i < COLUMNS; i++)
		if (!l->is_shown[i])
			printf("%s%s", n++ ? ", " : "Not shown: ",
			       column[i].name);
	if (n)
		printf(" (-j has all)\n");
}

static void print_hosts(const struct report *r, size_t i)
{
	printf("  ");
	hosts_text(&r->hosts, (uint32_t)i);
	putchar('\n');
}

/* The reference, or an unrelated clock. */
static void print_unplaced(const struct report *r, const struct layout *l,
			   size_t i)
{
	const struct clock *c = &r->k->c[i];
	int n;

	if (c->status == CLOCK_REFERENCE)
		n = printf("%5zu  reference, %.6f MHz, ", i, 1e3 / c->rate);
	else
		n = printf("%5zu  not sampled, ", i);
	/* the name without boot and namespace */
	n += hosts_name(c->info->name, strcspn(c->info->name, ":"));
	printf("%*s", n < l->hosts_at ? l->hosts_at - n : 0, "");
	print_hosts(r, i);
}

__attribute__((format(printf, 3, 4))) static void
print_number(const struct layout *l, int i, const char *format, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	print_cell(l, i, text);
}

static void print_clock(const struct report *r, const struct layout *l,
			size_t i)
{
	const struct clock *c = &r->k->c[i];
	const struct tape_clock_fit *f = &c->fit;
	double lo, hi, drift, offset;
	char text[64];
	int has_ci;

	if (c->status != CLOCK_PLACED) {
		print_unplaced(r, l, i);
		return;
	}
	report_widest(r->k, i, &lo, &hi);
	has_ci = c->fitted && confidence_interval(r->k, i, &offset, &drift);
	print_number(l, CLOCK, "%zu", i);
	if (c->fitted)
		print_number(l, SAMPLES, "%4zu/%-4zu", f->kept, f->rejected);
	else
		print_cell(l, SAMPLES, "none");
	print_number(l, DRIFT, "%.5f", report_drift(r->k, i) * 1e6);
	if (has_ci)
		print_number(l, DRIFT_CI, "+-%8.5f", drift * 1e6);
	else
		print_cell(l, DRIFT_CI, "");
	print_number(l, OFFSET, "%.3f", offset_ns(r, i) / 1e3);
	if (has_ci)
		print_number(l, OFFSET_CI, "+-%6.3f", offset / 1e3);
	else
		print_cell(l, OFFSET_CI, "");
	print_number(l, GUARANTEED, "[%8.3f, %8.3f]", lo / 1e3, hi / 1e3);
	if (c->fitted)
		print_number(l, TRIP, "%.3f", f->least_trip_ns / 1e3);
	else
		print_cell(l, TRIP, "");
	print_number(l, BY, "%u", c->by);
	print_cell(l, FROM, report_source(c, text));
	print_hosts(r, i);
}

/* Half of the widest interval of the clock; infinite: none. */
static double half_width(const struct report *r, size_t i)
{
	double lo, hi;

	if (r->k->c[i].status != CLOCK_PLACED)
		return r->k->c[i].status == CLOCK_REFERENCE ? 0 : INFINITY;
	report_widest(r->k, i, &lo, &hi);
	return (hi - lo) / 2;
}

struct wide {
	double half;
	size_t clock;
};

static int compare_widths(const void *a, const void *b)
{
	const struct wide *x = a, *y = b;

	if (x->half != y->half)
		return x->half < y->half ? -1 : 1;
	return (x->clock > y->clock) - (x->clock < y->clock);
}

/* Clocks by width of their interval, n of them; the caller frees. */
static struct wide *sort_by_width(const struct report *r, size_t *n)
{
	struct wide *w = tape_must(calloc(r->k->n + 1, sizeof *w));

	*n = r->k->n;
	for (size_t i = 0; i < *n; i++)
		w[i] = (struct wide){ half_width(r, i), i };
	if (*n > TAPE_SHOWN_ALL)
		tape_sort(w, *n, sizeof *w, compare_widths);
	return w;
}

/* Prints the clocks; of many only quantiles by the interval's width. */
static void print_clocks(const struct report *r)
{
	size_t n, without = 0;
	struct wide *w = sort_by_width(r, &n);
	int many = n > TAPE_SHOWN_ALL;
	struct layout l = choose_columns(many ? 8 : 0);
	const char *word;

	print_titles(&l);
	for (size_t k = 0, i; (word = tape_select_row(k, n, &i)); k++) {
		printf("%-*s", many ? 8 : 0, word);
		print_clock(r, &l, w[i].clock);
	}
	print_left_out(&l);
	for (size_t i = 0; i < n; i++)
		without += w[i].half > DBL_MAX;
	if (many)
		printf("clocks             %zu, of which %zu have no "
		       "guaranteed interval; -j lists all\n", n, without);
	free(w);
}

/* Prints the diagnosis of each clock, up to SENTENCES of many. */
static void print_diagnoses(const struct report *r)
{
	char text[1024];
	size_t n = 0;

	for (size_t i = 0; i < r->k->n; i++) {
		report_diagnosis(r, i, text, sizeof text);
		if (*text && (r->k->n <= TAPE_SHOWN_ALL || n < SENTENCES))
			printf("clock %zu: %s.\n", i, text);
		n += *text != '\0';
	}
	if (r->k->n > TAPE_SHOWN_ALL && n > SENTENCES)
		printf("%zu more clocks have a diagnosis; -j prints all.\n",
		       n - SENTENCES);
}

/* Prints the intervals at start, middle and end. */
static void print_intervals(const struct report *r)
{
	const struct clocks *k = r->k;

	printf("intervals at      start                 middle                "
	       "end, us\n");
	for (size_t i = 1; i < k->n; i++) {
		if (k->c[i].status != CLOCK_PLACED)
			continue;
		printf("%5zu", i);
		for (int p = 0; p < 3; p++) {
			double lo, hi, x = k->from_ns +
					   (k->to_ns - k->from_ns) * p / 2;

			report_interval(&k->c[i], x, &lo, &hi);
			printf("  [%8.3f, %8.3f]", lo / 1e3, hi / 1e3);
		}
		printf("\n");
	}
}

static void print_followed(const struct report *r)
{
	const struct refine_result *f = r->followed;

	if (f)
		printf("followed           %" PRIu64
		       " messages and rounds; violations of linear clocks: "
		       "%" PRIu64 ", of the tracks: %" PRIu64
		       " after %u sweep%s\n",
		       f->n_used, f->n_violated_before, f->n_violated_after,
		       f->sweeps, f->sweeps == 1 ? "" : "s");
	if (r->refuted)
		printf("refuted            %" PRIu64
		       " messages: no linear clock model satisfies causality "
		       "for them\n",
		       r->refuted);
}

void report_text(const struct report *r)
{
	const struct check *raw = r->raw, *now = r->now;
	char text[1024];

	print_clocks(r);
	if (r->k->n_order > 1 && r->k->n <= TAPE_SHOWN_ALL)
		print_intervals(r);
	printf("epsilon            %.3f us\n", report_epsilon(r->k) / 1e3);
	printf("messages           %" PRIu64 "\n", now->transits);
	if (now->transits)
		printf("smallest transit   %.3f us\n",
		       (double)now->least_ns / 1e3);
	printf("causality          %" PRIu64 " violations before, worst %.3f "
	       "us; %" PRIu64 " after, worst %.3f us\n", raw->violations,
	       (double)raw->worst_ns / 1e3, now->violations,
	       (double)now->worst_ns / 1e3);
	print_followed(r);
	print_unmatched(r);
	print_missing(r);
	print_diagnoses(r);
	report_verdict(r, text, sizeof text);
	printf("%s.\nwritten to ", text);
	tape_put_clean(stdout, r->output);
	putchar('\n');
}

/* ---- JSON ---- */

static void json_field(const char *name, double v)
{
	printf(",\"%s\":", name);
	tape_json_number(v);
}

static void json_shape(const struct clock *c)
{
	const struct tape_clock_diagnosis *d = &c->shape;

	printf(",\"shape\":\"%s\"", report_shape(d->shape));
	json_field("durbin_watson_line", d->dw_line);
	json_field("durbin_watson_sine", d->dw_sine);
	json_field("residual_line_us", d->resid_line_ns / 1e3);
	json_field("residual_sine_us", d->resid_sine_ns / 1e3);
	json_field("amplitude_us", d->amplitude_ns / 1e3);
	json_field("period_s", d->period_ns / 1e9);
	json_field("step_us", d->step_ns / 1e3);
	printf(",\"steps\":%zu", d->steps);
	json_field("slew_ppm", d->slew * 1e6);
	json_field("when_s", d->when_ns / 1e9);
	json_field("until_s", d->until_ns / 1e9);
}

static void json_intervals(const struct report *r, size_t i)
{
	static const char *const names[] = { "start", "middle", "end" };
	const struct clocks *k = r->k;

	printf(",\"intervals_us\":{");
	for (int p = 0; p < 3; p++) {
		double lo, hi;

		report_interval(&k->c[i], k->from_ns +
				(k->to_ns - k->from_ns) * p / 2, &lo, &hi);
		printf("%s\"%s\":[", p ? "," : "", names[p]);
		tape_json_number(lo / 1e3);
		putchar(',');
		tape_json_number(hi / 1e3);
		putchar(']');
	}
	printf("}");
}

static void json_placed(const struct report *r, size_t i)
{
	const struct clock *c = &r->k->c[i];
	const struct tape_clock_fit *f = &c->fit;
	char text[64];
	double offset, drift;

	printf(",\"by\":%u,\"from\":\"%s\"", c->by, report_source(c, text));
	json_field("drift_ppm", report_drift(r->k, i) * 1e6);
	json_field("offset_us", offset_ns(r, i) / 1e3);
	if (c->fitted) {
		printf(",\"kept\":%zu,\"rejected\":%zu,\"phases\":%d", f->kept,
		       f->rejected, f->phases);
		if (confidence_interval(r->k, i, &offset, &drift)) {
			json_field("drift_ci_ppm", drift * 1e6);
			json_field("offset_ci_us", offset / 1e3);
		}
		json_field("least_trip_us", f->least_trip_ns / 1e3);
		json_field("median_trip_us", c->median_trip_ns / 1e3);
	}
	json_intervals(r, i);
	json_shape(c);
}

static void json_clock(const struct report *r, size_t i)
{
	const struct clock *c = &r->k->c[i];
	char text[1024];
	double lo, hi;

	printf("%s{\"domain\":%zu,\"name\":", i ? "," : "", i);
	tape_json_string(c->info->name);
	printf(",\"status\":\"%s\"", c->status == CLOCK_REFERENCE ? "reference"
				     : c->status == CLOCK_UNPLACED
					     ? "unsampled"
					     : "fitted");
	printf(",\"hosts\":");
	hosts_json(&r->hosts, (uint32_t)i);
	json_field("tick_ns", c->rate);
	if (c->status == CLOCK_PLACED)
		json_placed(r, i);
	report_widest(r->k, i, &lo, &hi);
	json_field("guaranteed_lo_us", lo / 1e3);
	json_field("guaranteed_hi_us", hi / 1e3);
	report_diagnosis(r, i, text, sizeof text);
	if (*text) {
		printf(",\"diagnosis\":");
		tape_json_string(text);
	}
	printf("}");
}

static void json_followed(const struct report *r)
{
	const struct refine_result *f = r->followed;

	printf(",\"refuted\":%" PRIu64, r->refuted);
	if (f)
		printf(",\"followed\":{\"kept\":%" PRIu64
		       ",\"violated_straight\":%" PRIu64
		       ",\"violated\":%" PRIu64 ",\"sweeps\":%u}",
		       f->n_used, f->n_violated_before, f->n_violated_after,
		       f->sweeps);
	if (r->file) {
		printf(",\"coefficients\":{\"file\":");
		tape_json_string(r->file);
		json_field("age_s", r->age_s);
		printf("}");
	}
}

void report_json(const struct report *r)
{
	const struct check *now = r->now;
	char text[1024];

	printf("{\"clocks\":[");
	for (size_t i = 0; i < r->k->n; i++)
		json_clock(r, i);
	printf("],\"messages\":%" PRIu64, now->transits);
	json_field("epsilon_us", report_epsilon(r->k) / 1e3);
	json_field("smallest_transit_us",
		   now->transits ? (double)now->least_ns / 1e3 : INFINITY);
	printf(",\"violations_before\":%" PRIu64
	       ",\"violations_after\":%" PRIu64,
	       r->raw->violations, now->violations);
	json_field("worst_before_us", (double)r->raw->worst_ns / 1e3);
	json_field("worst_after_us", (double)now->worst_ns / 1e3);
	json_followed(r);
	printf(",\"unmatched_sends\":%" PRIu64
	       ",\"unmatched_receives\":%" PRIu64
	       ",\"unknown_requests\":%" PRIu64 ",\"not_matched\":%" PRIu64
	       ",\"unmatched\":", tape_unmatched_sends(now->unmatched),
	       tape_unmatched_receives(now->unmatched), now->unknown,
	       now->left_out);
	tape_unmatched_json(now->unmatched, r->t, stdout);
	tape_not_recorded_json(r->missing);
	tape_damage_json(r->t);
	report_verdict(r, text, sizeof text);
	printf(",\"verdict\":");
	tape_json_string(text);
	printf(",\"output\":");
	tape_json_string(r->output);
	printf("}\n");
}
