/*
 * sba: a trace in local time -> the same trace in global time, and the clock
 * report. Flows are not rewritten: meta gets the map from ticks to dates, the
 * rest is linked. "Samples before and after" (Maillet 1996, 3.4).
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "clock.h"
#include "json.h"
#include "message.h"
#include "output.h"
#include "resolve.h"
#include "tape_reader.h"

static const char usage[] = "sba [-hjV] [-o output] trace";

/* What is known of one clock domain. */
struct domain {
	const struct tape_domain_info *info;
	double rate;             /* ns per tick of its own clock */
	uint64_t origin;         /* tick that its ns count from */
	struct tape_clock_fit fit;
	int status;              /* 0 fitted, 1 the reference, < 0 not fitted */
	struct tape_clock_piece piece;
	double lo, hi;           /* guaranteed error of its dates, ns */
	int64_t offset_ns;       /* its reading less the reference's, at its
				  * first sample */
};

/* Ticks of a clock as ns from its origin. */
static double local_ns(const struct domain *d, uint64_t tick)
{
	return (double)(int64_t)(tick - d->origin) * d->rate;
}

/* The first tick seen of each domain becomes its origin. */
static void set_origins(const struct tape_trace *t, struct domain *d)
{
	size_t n;
	const struct tape_sample *s = tape_trace_samples(t, &n);

	for (size_t i = 0; i < tape_trace_domains(t); i++) {
		d[i].info = tape_trace_domain(t, (uint32_t)i);
		d[i].rate = tape_trace_tick_ns(t, (uint32_t)i);
		d[i].origin = d[i].info->first.tick;
	}
	if (n)
		d[0].origin = s[0].s_ref;
	for (size_t k = n; k-- > 0;)
		d[s[k].domain].origin = s[k].domain ? s[k].r_j : d[0].origin;
}

static int fit(const struct tape_trace *t, struct domain *d, struct domain *ref)
{
	size_t n, k = 0;
	const struct tape_sample *s = tape_trace_samples(t, &n);
	struct tape_clock_round *r = malloc((n + 1) * sizeof *r);
	int rc;

	if (!r)
		return TAPE_ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (s[i].domain == d->info->index)
			r[k++] = (struct tape_clock_round){
				local_ns(ref, s[i].s_ref),
				local_ns(d, s[i].r_j), local_ns(d, s[i].s_j),
				local_ns(ref, s[i].r_ref), s[i].after };
	rc = tape_clock_fit(r, k, &d->fit);
	free(r);
	return rc;
}

/*
 * The map of domain d: j = ref + a + b ref, so ref = (j - a)/(1 + b); the date
 * of tick k is that of the reference at ref.
 */
static void map(struct domain *d, const struct domain *ref)
{
	double a = d->status ? 0 : d->fit.offset_ns;
	double b = d->status ? 0 : d->fit.drift;

	d->piece.tick0 = d->origin;
	d->piece.rate = d->rate / (1 + b);
	d->piece.ns0 = ref->piece.ns0 + llrint(-a / (1 + b));
}

/* The widest guaranteed error of its dates during the run. */
static void guarantee(struct domain *d, const struct domain *ref)
{
	double from = local_ns(ref, ref->info->first.tick);
	double to = local_ns(ref, ref->info->last.tick), lo, hi;

	d->lo = 0;
	d->hi = 0;
	if (d->status == 1)
		return;
	d->lo = -INFINITY;
	d->hi = INFINITY;
	if (d->status)
		return;
	d->lo = INFINITY;
	d->hi = -INFINITY;
	for (int i = 0; i < 2; i++) {
		tape_clock_guarantee(&d->fit, i ? to : from, &lo, &hi);
		/* a larger true offset makes the true date earlier */
		d->lo = fmin(d->lo, -hi);
		d->hi = fmax(d->hi, -lo);
	}
}

static int64_t bounded(double ns)
{
	return ns > 9e18 ? INT64_MAX : ns < -9e18 ? INT64_MIN : llrint(ns);
}

/* ---- report ---- */

static double epsilon(const struct domain *d, size_t n)
{
	double worst = 0;

	for (size_t i = 0; i < n; i++)
		worst = fmax(worst, fmax(-d[i].lo, d[i].hi));
	/* two clocks may err in opposite directions */
	return n > 2 ? 2 * worst : worst;
}

static void verdict(char *text, size_t size, const struct domain *d, size_t n,
		    const struct check *c)
{
	double eps = epsilon(d, n);
	int phases = 2, bounds = 1;

	for (size_t i = 1; i < n; i++) {
		if (d[i].status < 0) {
			snprintf(text, size, "Clock domain %zu was not sampled: "
				 "its dates cannot be compared with those of "
				 "others; run with sampling = on", i);
			return;
		}
		phases = d[i].fit.phases < phases ? d[i].fit.phases : phases;
		bounds &= d[i].fit.bounded;
	}
	if (n < 2)
		snprintf(text, size, "All ranks read one clock: dates can be "
			 "compared to the tick");
	else if (!bounds)
		snprintf(text, size, "No straight line meets the bounds of all "
			 "rounds: a clock changed its pace during the run (a "
			 "change of temperature, a suspended machine); a "
			 "shorter run has better dates");
	else if (phases < 2)
		snprintf(text, size, "Clocks were sampled at one end only: the "
			 "dates are extrapolated, and their error grows with "
			 "the distance from the samples");
	else if (c->violations)
		snprintf(text, size, "The clocks agree to within %.3f us only: "
			 "some messages seem to arrive before they were sent; "
			 "sample more rounds, on an idle network", eps / 1e3);
	else if (c->transits && eps > (double)c->least_ns)
		snprintf(text, size, "The clocks agree to within %.3f us, more "
			 "than the least transit of %.3f us: single messages "
			 "may seem to arrive before they were sent; sample more "
			 "rounds, on an idle network", eps / 1e3,
			 (double)c->least_ns / 1e3);
	else
		snprintf(text, size, "The clocks agree to within %.3f us: dates "
			 "can be compared across machines", eps / 1e3);
}

static void print_unmatched(const struct tape_trace *t, const struct check *now)
{
	uint64_t sends = tape_unmatched_sends(now->unmatched);
	uint64_t receives = tape_unmatched_receives(now->unmatched);

	if (sends || receives)
		printf("unmatched          %" PRIu64 " sends, %" PRIu64
		       " receives\n", sends, receives);
	if (now->unknown)
		printf("unknown requests   %" PRIu64 " completed, their "
		       "creation is not in the trace\n", now->unknown);
	tape_unmatched_text(now->unmatched, t, stdout);
}

static void print_text(const struct tape_trace *t, const struct domain *d,
		       size_t n, const struct check *raw,
		       const struct check *now, const char *output)
{
	char text[512];

	printf("clock  samples      drift +- 95%%        offset +- 95%%"
	       "        guaranteed           least trip\n"
	       "       kept/out     ppm                us"
	       "                    us                   us\n");
	for (size_t i = 0; i < n; i++) {
		const struct tape_clock_fit *f = &d[i].fit;

		if (d[i].status == 1)
			printf("%5zu  reference, %.6f MHz, %s\n", i,
			       1e3 / d[i].rate, d[i].info->name);
		else if (d[i].status)
			printf("%5zu  not sampled, %s\n", i, d[i].info->name);
		else
			printf("%5zu  %4zu/%-4zu  %10.5f +-%8.5f %16.3f +-%6.3f"
			       "  [%8.3f, %8.3f] %10.3f\n", i, f->kept,
			       f->rejected, f->drift * 1e6, f->drift_ci * 1e6,
			       (double)d[i].offset_ns / 1e3, f->offset_ci_ns / 1e3,
			       d[i].lo / 1e3, d[i].hi / 1e3,
			       f->least_trip_ns / 1e3);
	}
	printf("epsilon            %.3f us\n", epsilon(d, n) / 1e3);
	printf("messages           %" PRIu64 "\n", now->transits);
	if (now->transits)
		printf("smallest transit   %.3f us\n",
		       (double)now->least_ns / 1e3);
	printf("causality          %" PRIu64 " violations before, worst %.3f us;"
	       " %" PRIu64 " after, worst %.3f us\n", raw->violations,
	       (double)raw->worst_ns / 1e3, now->violations,
	       (double)now->worst_ns / 1e3);
	print_unmatched(t, now);
	verdict(text, sizeof text, d, n, now);
	printf("%s.\nwritten to %s\n", text, output);
}

static void json_number(const char *name, double v)
{
	printf(",\"%s\":", name);
	tape_json_number(v);
}

static void print_json(const struct tape_trace *t, const struct domain *d,
		       size_t n, const struct check *raw,
		       const struct check *now, const char *output)
{
	char text[512];

	printf("{\"clocks\":[");
	for (size_t i = 0; i < n; i++) {
		const struct tape_clock_fit *f = &d[i].fit;

		printf("%s{\"domain\":%zu,\"status\":\"%s\"", i ? "," : "", i,
		       d[i].status == 1 ? "reference"
		       : d[i].status	? "unsampled"
					: "fitted");
		json_number("tick_ns", d[i].rate);
		if (!d[i].status) {
			printf(",\"kept\":%zu,\"rejected\":%zu,\"phases\":%d",
			       f->kept, f->rejected, f->phases);
			json_number("drift_ppm", f->drift * 1e6);
			json_number("drift_ci_ppm", f->drift_ci * 1e6);
			json_number("offset_us", (double)d[i].offset_ns / 1e3);
			json_number("offset_ci_us", f->offset_ci_ns / 1e3);
			json_number("least_trip_us", f->least_trip_ns / 1e3);
		}
		json_number("guaranteed_lo_us", d[i].lo / 1e3);
		json_number("guaranteed_hi_us", d[i].hi / 1e3);
		printf("}");
	}
	verdict(text, sizeof text, d, n, now);
	printf("],\"messages\":%" PRIu64, now->transits);
	json_number("epsilon_us", epsilon(d, n) / 1e3);
	json_number("smallest_transit_us",
		    now->transits ? (double)now->least_ns / 1e3 : INFINITY);
	printf(",\"violations_before\":%" PRIu64 ",\"violations_after\":%" PRIu64
	       ",\"unmatched_sends\":%" PRIu64 ",\"unmatched_receives\":%" PRIu64
	       ",\"unknown_requests\":%" PRIu64 ",\"unmatched\":",
	       raw->violations, now->violations,
	       tape_unmatched_sends(now->unmatched),
	       tape_unmatched_receives(now->unmatched), now->unknown);
	tape_unmatched_json(now->unmatched, t);
	printf(",\"verdict\":");
	tape_json_string(text);
	printf(",\"output\":");
	tape_json_string(output);
	printf("}\n");
}

/* ---- output ---- */

static void link_all(struct tape_output *o, const struct tape_trace *t)
{
	char from[4400], name[64];

	for (size_t i = 0; i < tape_trace_flows(t); i++) {
		const struct tape_flow_info *f = tape_trace_flow(t, i);

		snprintf(name, sizeof name, "flow.%d.%d", f->rank, f->thread);
		tape_output_link(o, f->file, name);
	}
	for (size_t r = 0; r < tape_trace_ranks(t); r++) {
		if (!tape_trace_rank(t, (int)r)->host)
			continue;
		snprintf(name, sizeof name, "rank.%zu", r);
		snprintf(from, sizeof from, "%.4000s/%s", tape_trace_path(t),
			 name);
		tape_output_link(o, from, name);
	}
	snprintf(from, sizeof from, "%.4000s/clocks", tape_trace_path(t));
	if (!access(from, F_OK))
		tape_output_link(o, from, "clocks");
}

static char *clock_lines(const struct domain *d, size_t n)
{
	char *text = malloc(n * 200 + 1), *p = text;

	if (!text)
		tape_die(TAPE_FAILED, "out of memory");
	*p = '\0';
	for (size_t i = 0; i < n; i++)
		p += sprintf(p, "clock %zu %" PRIu64 " %" PRId64
			     " %.17g %" PRId64 " %" PRId64 "\n", i,
			     d[i].piece.tick0, d[i].piece.ns0, d[i].piece.rate,
			     bounded(d[i].lo), bounded(d[i].hi));
	return text;
}

int main(int argc, char **argv)
{
	char output[4200] = "", *clocks;
	struct check raw, now;
	struct tape_output *o;
	struct tape_trace *t, *corrected;
	struct domain *d;
	int c, json = 0;
	size_t n;

	tape_tool("sba");
	while ((c = getopt(argc, argv, "hjo:V")) != -1)
		if (c == 'j')
			json = 1;
		else if (c == 'o' && strlen(optarg) < sizeof output)
			strcpy(output, optarg);
		else
			tape_usage(c, usage);
	if (optind != argc - 1)
		tape_usage('?', usage);
	if (tape_trace_open(argv[optind], &t))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	if (tape_trace_base(t) != TAPE_BASE_LOCAL)
		tape_die(TAPE_FAILED, "%s is in global time already",
			 argv[optind]);
	if (!*output)
		tape_output_name(argv[optind], "sba.tape", output,
				 sizeof output);
	n = tape_trace_domains(t);
	d = calloc(n, sizeof *d);
	if (!d)
		tape_die(TAPE_FAILED, "out of memory");
	set_origins(t, d);
	d[0].status = 1;
	d[0].piece.ns0 = tape_trace_date(t, 0, d[0].origin);
	for (size_t i = 0; i < n; i++) {
		if (i)
			d[i].status = fit(t, &d[i], &d[0]);
		map(&d[i], &d[0]);
		if (d[i].status < 0) /* nothing relates it to the reference */
			d[i].piece.ns0 = tape_trace_date(t, (uint32_t)i,
							 d[i].origin);
		d[i].offset_ns = tape_trace_date(t, (uint32_t)i, d[i].origin) -
				 d[i].piece.ns0;
		guarantee(&d[i], &d[0]);
	}
	check_messages(t, &raw);
	o = tape_output_begin(output);
	clocks = clock_lines(d, n);
	tape_output_meta(o, t, "global", clocks, "sba " TAPE_VERSION, 0);
	link_all(o, t);
	tape_resolve(t);
	tape_resolve_write(o, t);
	tape_output_commit(o);
	/* what the corrected dates say, read as any tool reads them */
	now = raw;
	if (n > 1) {
		if (tape_trace_open(output, &corrected))
			tape_die(TAPE_FAILED, "%s", tape_trace_error(corrected));
		tape_unmatched_free(raw.unmatched);
		check_messages(corrected, &now);
		tape_trace_close(corrected);
	}
	if (json)
		print_json(t, d, n, &raw, &now, output);
	else
		print_text(t, d, n, &raw, &now, output);
	tape_unmatched_free(now.unmatched);
	tape_trace_close(t);
	free(clocks);
	free(d);
	return fflush(stdout) || ferror(stdout) ? TAPE_FAILED : TAPE_DONE;
}
