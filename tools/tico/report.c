/* What the correction found and did, as text; see report.h. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "contention.h"
#include "damage.h"
#include "interval.h"
#include "drift.h"
#include "sort.h"
#include "tool.h"
#include "place.h"
#include "report.h"
#include "row_selection.h"

/* Call sites shown, of those that cost most. */
enum { SITES_SHOWN = 10 };

static const char *const leaves[] = {
    [TAPE_LEAF_ARRIVED_EARLY] =
	"arrived; the receiver was not delayed more than the sender",
    [TAPE_LEAF_ARRIVED_BOUND] = "arrived, by a bound on its transit",
    [TAPE_LEAF_ARRIVED_MODEL] = "arrived, by the model",
    [TAPE_LEAF_LATE_MODEL] = "arrived; the model predicts a wait",
    [TAPE_LEAF_WAITED] =
	"waited for; the receiver was not delayed less than the sender",
    [TAPE_LEAF_WAITED_STILL] = "waited for; the wait remains",
    [TAPE_LEAF_WAITS_NO_MORE] = "waited for; had arrived without tracing",
};
#define LEAVES (sizeof leaves / sizeof *leaves)

static double percent_of(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

/* How the model is used, by the options that say so. */
static const char *const uses[] = {
    [TAPE_RULE_MINIMAL] = "used where the trace does not decide (-sm)",
    [TAPE_RULE_FULL] = "used for every communication (-sf)",
    [TAPE_RULE_TARGET] = "used for every communication, as the "
			 "target's (-st)",
    [TAPE_RULE_SM94] = "used by the rule of Sarukkai and Malony "
		       "(-r sm94)",
    [TAPE_RULE_THESIS] = "used by the thesis's tree alone "
			 "(-r thesis)",
};

const char *report_alpha(const struct report *p)
{
	const char *said = tape_trace_meta(p->inputs->t, "alpha", 0);

	return !said			    ? ""
	       : !strcmp(said, "measured")   ? "measured"
	       : !strcmp(said, "calibrated") ? "calibrated"
	       : !strcmp(said, "in-situ")    ? "in-situ"
					     : "";
}

/* What events cost where they stand, all places together. */
static void text_in_situ(const struct report *p)
{
	const struct in_situ *all = &p->inputs->in_situ;
	double least = INFINITY, most = 0, constant = 0, error = 0;
	double width = (double)p->r->total_hi - (double)p->r->total_lo;
	char from[32] = "";
	uint64_t skipped = 0;
	size_t used = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct in_situ_place *x = &all->place[i];

		skipped += x->skipped;
		if (!x->used)
			continue;
		used++;
		least = fmin(least, x->fit.cost);
		most = fmax(most, x->fit.cost);
		error = fmax(error, x->fit.error);
		constant = fmax(constant, x->constant_ns);
	}
	if (!all->n)
		return;
	if (used > 1)
		snprintf(from, sizeof from, "%.1f to ", least);
	printf("  in-situ          event cost measured in place at %zu of %zu "
	       "frequent regions and call sites\n",
	       used, all->n);
	if (used)
		printf("%19san event costs %s%.1f ns there, +-%.1f "
		       "(calibrated: %s%.1f)\n", "", from, most, error,
		       used > 1 ? "up to " : "", constant);
	if (used && how_certifies(p->how) && width > 0)
		printf("%19sthat error is %.2g%% of the uncertainty of the "
		       "total time\n",
		       "", fmin(percent_of(2 * all->most_ns, width), 100));
	printf("%19s%" PRIu64
	       " events were only counted for this measurement\n",
	       "", skipped);
}

static void text_mode(const struct report *p)
{
	const char *alpha = report_alpha(p);

	printf("alpha              removed%s%s\n", *alpha ? ", as " : "",
	       alpha);
	text_in_situ(p);
	printf("packing            %s\n"
	       "model              %s\n",
	       p->how->no_packing ? "removed (--no-packing)" : "stays",
	       uses[p->how->rule]);
}

static void text_messages(const struct report *p)
{
	const struct tape_perturb_count *c = &p->r->count;
	double all = (double)c->nbcom;

	printf("messages           %12" PRIu64 "  asynchronous (NBCOM)\n"
	       "  had arrived      %12" PRIu64
	       "  as measured (NBCOMF), %.0f%%\n"
	       "                   %12" PRIu64 "  after correction (NBCOMFA), "
	       "%.0f%%\n"
	       "  model used       %12" PRIu64 "  (NBSIM), %.0f%%; its value "
	       "became a timestamp %" PRIu64 " times\n"
	       "                   %12" PRIu64 "  by the rule of Sarukkai and "
	       "Malony (NBSIM_SM), %.0f%%\n"
	       "  rendezvous       %12" PRIu64 "\n",
	       c->nbcom, c->nbcomf, percent_of((double)c->nbcomf, all),
	       c->nbcomfa, percent_of((double)c->nbcomfa, all), c->nbsim,
	       percent_of((double)c->nbsim, all), c->decided, c->nbsim_sm,
	       percent_of((double)c->nbsim_sm, all), c->rendezvous);
	for (size_t i = 0; i < LEAVES; i++)
		if (c->leaf[i])
			printf("  case %zu           %12" PRIu64 "  %s\n",
			       i + 1, c->leaf[i], leaves[i]);
}

/* Are the times possible, and how many had to be moved for that? */
static void text_causality(const struct result *r)
{
	const struct violations *before = &r->causality.before;
	struct violations after = causality_sum_after(&r->causality);

	printf("causality          %" PRIu64 " violations before, worst %.3f "
	       "us; %" PRIu64 " after, worst %.3f us\n", before->n,
	       (double)before->worst_ns / 1e3, after.n,
	       (double)after.worst_ns / 1e3);
	if (r->moves.n)
		printf("moved              %12" PRIu64 "  timestamps, because "
		       "alphas exceeded the time available, or\n%31s  clocks "
		       "disagreed: %.3f us in all, at most %.3f us\n",
		       r->moves.n, "", r->moves.sum_ns / 1e3,
		       (double)r->moves.worst_ns / 1e3);
}

/* Calls that depend on when messages arrive. */
static void text_order(const struct report *p)
{
	const struct order_counts *o = &p->r->order;
	char place[TAPE_PLACE_BYTES];

	if (!o->calls)
		return;
	printf("order of messages  %12" PRIu64 "  calls depend on it", o->calls);
	if (result_may_reorder(p->r))
		printf("; without tracing %" PRIu64 " might end otherwise,\n"
		       "%31s  %" PRIu64 " would\n", o->open, "", o->turned);
	else
		puts("; each ends alike without tracing");
	for (uint64_t i = 0; i < o->sites; i++) {
		const struct order_site *q = &o->site[i];
		const struct tape_site_info *site =
		    &tape_trace_rank(p->inputs->t, q->rank)->sites[q->site];

		printf("%19s%12" PRIu64 "  of these %s  %s of rank %d\n", "",
		       q->open + q->turned, tape_call_name(site->call),
		       tape_place_text(site, place, sizeof place), q->rank);
	}
}

static void text_trouble(const struct report *p)
{
	const struct result *r = p->r;
	char text[1024];

	if (r->contradictions)
		printf("contradictions     %12" PRIu64
		       "  actions ended before the event that they waited for "
		       "began,\n"
		       "%31s  by more than the clocks may err: the trace or "
		       "its clocks are wrong\n",
		       r->contradictions, "");
	if (r->count.clamped)
		printf("negative intervals %12" PRIu64
		       "  set to 0: by the clocks, an action ended before the "
		       "event\n"
		       "%31s  that it waited for began\n",
		       r->count.clamped, "");
	if (r->eager)
		printf("eager sends        %12" PRIu64 "  ended before their "
		       "receives began: the eager limit is\n%31s  higher than "
		       "assumed\n", r->eager, "");
	if (r->refuted)
		printf("no pairs           %12" PRIu64
		       "  receives of threads ended before the send that the "
		       "order\n"
		       "%31s  assigns to them: which message they received is "
		       "unknown\n",
		       r->refuted, "");
	if (tape_unmatched_sends(r->unmatched) ||
	    tape_unmatched_receives(r->unmatched))
		printf("unmatched          %12" PRIu64 "  sends, %" PRIu64
		       " receives\n", tape_unmatched_sends(r->unmatched),
		       tape_unmatched_receives(r->unmatched));
	if (r->by_table || r->by_shape)
		printf("collectives        %12" PRIu64 "  exits by the library's "
		       "algorithm, %" PRIu64 " by shape\n", r->by_table,
		       r->by_shape);
	if (r->rounds_open)
		printf("open collectives   %12" PRIu64 "  not left by all "
		       "members\n", r->rounds_open);
	if (r->guessed)
		printf(
		    "wildcard receives  %12" PRIu64
		    "  sends waited for one of several receives; the interval\n"
		    "%31s  covers each of them\n",
		    r->guessed, "");
	if (r->forced)
		printf("partner missing    %12" PRIu64 "  events whose partner "
		       "is not in the trace\n", r->forced);
	if (r->unknown)
		printf("unknown requests   %12" PRIu64 "  completed, their "
		       "creation is not in the trace\n", r->unknown);
	if (r->threads)
		printf("threads            %12d  in addition to each rank's "
		       "first\n", r->threads);
	if (r->handed)
		printf("  cross-thread     %12" PRIu64
		       "  requests begun by one thread and completed by "
		       "another,\n%31s  %" PRIu64 " of them at the earliest "
		       "possible time after correction\n",
		       r->handed, "", r->handed_late);
	if (r->incomplete)
		printf("incomplete         %12d  flows without MPI_Finalize or "
		       "pvm_exit\n", r->incomplete);
	if (r->left_out)
		printf("not matched        %12" PRIu64
		       "  sends, receives and collectives of channels on which "
		       "other\n"
		       "%31s  calls were only counted: their waits are as "
		       "measured\n",
		       r->left_out, "");
	if (tape_not_recorded_text(r->missing, text, sizeof text))
		printf("not recorded       %s\n%19sneither those events nor the "
		       "waits for them are corrected\n", text, "");
}

int report_has_spread(const struct report *p)
{
	for (size_t i = 0; i < tape_trace_ranks(p->inputs->t); i++)
		if (tape_trace_rank(p->inputs->t, (int)i)->alpha_bounded)
			return 1;
	return 0;
}

/* Between which bounds the run's length is. */
static void text_total(const struct result *r)
{
	struct tape_seconds x = tape_interval_seconds((double)r->total_lo,
						       (double)r->total_hi);
	double width = (double)r->total_hi - (double)r->total_lo;
	double total = (double)(r->last_ta - r->first_ta);
	char text[200];

	if (result_uncertain_text(r, text, sizeof text))
		printf("  the total time   is not certain: %s\n", text);
	else if (x.exact)
		printf("  the total time %14.*f s exactly\n", x.digits,
		       x.from_s);
	else
		printf("  the total time %14.*f s at least, %.*f s at most: "
		       "%.3g%% of it\n",
		       x.digits, x.from_s, x.digits, x.to_s,
		       percent_of(width, total));
}

static void text_reference(const struct report *p)
{
	const struct reference_counts *c = &p->r->reference;

	if (!p->reference)
		return;
	printf("reference          %12" PRIu64
	       "  receives and completions have times of ", c->events);
	tape_put_clean(stdout, p->reference);
	printf("\n%31s  changed by up to %.3f us; common origin to %.3f us\n",
	       "", c->moved_ns / 1e3,
	       reference_origin_width(p->how->reference) / 1e3);
}

/* How certain the times are, whatever the model. */
static void text_certain(const struct report *p)
{
	const struct result *r = p->r;
	struct tape_contention c;
	int contended = tape_contention(p->inputs->t, &c);
	char text[512];

	if (tape_drift_text(p->inputs->t, text, sizeof text))
		printf("calibration        %s\n", text);
	if (tape_contention_text(p->inputs->t, text, sizeof text))
		printf("processors         %s\n", text);
	if (p->how->loose)
		printf("not certain        the error of the clock of rank %d "
		       "has no guaranteed bound\n",
		       p->how->loose - 1);
	if (!how_certifies(p->how))
		return;
	if (contended)
		puts("not certain        how long ranks wait for processors. "
		     "If they wait as long without tracing:");
	if (result_may_reorder(r))
		puts("not certain        the order of messages. If it is the "
		     "same without tracing:");
	printf("%-16s %14.3f us, half of the timestamps (99%%: %.3f us, "
	       "all: %.3f us)\n", contended ? "  certain to" : "certain to",
	       result_width(r, 0.5) / 1e3, result_width(r, 0.99) / 1e3,
	       r->widths.most / 1e3);
	text_total(r);
	if (r->threads_ns > 0)
		printf("  threads          %14.6f s by those whose creation is "
		       "not recorded\n", r->threads_ns / 1e9);
	if (r->counted_ns > 0)
		printf("  counted calls    %14.6f s at most, in the bounds of "
		       "the total time only\n", r->counted_ns / 1e9);
	printf("  includes         %s\n"
	       "  excludes         what tracing changed in scheduling, caches, "
	       "memory, network load\n", report_has_spread(p)
	       ? "the uncertainty of alpha, from its calibration"
	       : "no uncertainty of alpha: the trace does not have it");
	if (p->reference) {
		printf("  holds for        the run recorded in ");
		tape_put_clean(stdout, p->reference);
		putchar('\n');
	}
	if (r->too_long)
		printf("  exceeded         %12" PRIu64
		       "  messages took longer than the bound of option -d\n",
		       r->too_long);
}

static void text_line(const char *name, int width, int64_t measured,
		      int64_t corrected, double alpha, uint64_t events)
{
	double removed = (double)(measured - corrected);

	printf("%*s %15.6f %15.6f %13.6f %7.3f %13.6f %12" PRIu64 "\n", width,
	       name, (double)measured / 1e9, (double)corrected / 1e9,
	       removed / 1e9, percent_of(removed, (double)corrected),
	       alpha / 1e9, events);
}

/* What was removed of the rank's time, as a share of what stays. */
static double share_removed(const struct rank_result *q)
{
	double stays = (double)(q->last_ta - q->first_ta);

	return percent_of((double)(q->last_ns - q->first_ns) - stays, stays);
}

static int by_share(const void *a, const void *b)
{
	const struct rank_result *x = *(const struct rank_result *const *)a;
	const struct rank_result *y = *(const struct rank_result *const *)b;
	double of_x = share_removed(x), of_y = share_removed(y);

	if (of_x != of_y)
		return of_x < of_y ? -1 : 1;
	return (x > y) - (x < y);
}

/* Of many the quantiles, by the share that was removed; -j has all. */
static void text_ranks(const struct report *p)
{
	const struct result *r = p->r;
	size_t ranks = tape_trace_ranks(p->inputs->t), n = 0;
	const struct rank_result **seen =
		tape_must(calloc(ranks + 1, sizeof *seen));
	const char *word;
	double alpha = 0;
	char name[48];
	int width;

	for (size_t i = 0; i < ranks; i++) {
		if (!r->ranks[i].seen)
			continue;
		seen[n++] = &r->ranks[i];
		alpha += r->ranks[i].alpha_ns;
	}
	width = n > TAPE_SHOWN_ALL ? 13 : 5;
	if (n > TAPE_SHOWN_ALL)
		tape_sort(seen, n, sizeof *seen, by_share);
	printf("\n%*s      measured s     corrected s     removed s  "
	       "%% of it  own probes s       events\n", width, "rank");
	for (size_t k = 0, i; (word = tape_select_row(k, n, &i)); k++) {
		const struct rank_result *q = seen[i];

		snprintf(name, sizeof name, "%s%td", word, q - r->ranks);
		text_line(name, width, q->last_ns - q->first_ns,
			  q->last_ta - q->first_ta, q->alpha_ns, q->events);
	}
	text_line("all", width, r->last_ns - r->first_ns,
		  r->last_ta - r->first_ta, alpha, r->events);
	free(seen);
}

/* Call, site and region of a place. */
static void place_text(const struct blame_place *b, char *text, size_t n)
{
	char site[TAPE_PLACE_BYTES], region[TAPE_PLACE_BYTES];

	tape_clean(b->region ? b->region : "", region, sizeof region);
	if (b->site)
		snprintf(text, n, "%s  %s%s%s", tape_call_name(b->site->call),
			 tape_place_text(b->site, site, sizeof site),
			 b->region ? "  in " : "", region);
	else if (!b->events)
		snprintf(text, n, "places with small shares");
	else if (b->region)
		snprintf(text, n, "marks of %s", region);
	else
		snprintf(text, n, "marks");
}

static void text_advice(const struct report *p, const struct blame_place *list,
			size_t n)
{
	double total = (double)(p->r->last_ta - p->r->first_ta);
	char setting[REPORT_SETTING_BYTES], name[2 * TAPE_PLACE_BYTES];
	int any = 0;

	for (size_t i = 0; i < n && i < SITES_SHOWN; i++) {
		if (!report_advice(p, &list[i], setting))
			continue;
		if (!any++)
			puts("\nfor less perturbation, run it with");
		place_text(&list[i], name, sizeof name);
		printf("  taperun -s %-32s %6.2f%% of the time: %s\n", setting,
		       percent_of(list[i].reached_ns, total), name);
	}
}

static void text_sites(const struct report *p)
{
	size_t n;
	const struct blame_place *list = blames_sorted(p->r->blames, &n);
	char name[2 * TAPE_PLACE_BYTES];

	if (n)
		printf("\n   own probes s     reached s       events   ns each  "
		       "call and call site\n");
	for (size_t i = 0; i < n && i < SITES_SHOWN; i++) {
		place_text(&list[i], name, sizeof name);
		printf("%15.6f %13.6f %12" PRIu64 " %9.1f  %s\n",
		       list[i].alpha_ns / 1e9, list[i].reached_ns / 1e9,
		       list[i].events,
		       list[i].alpha_ns / fmax((double)list[i].events, 1),
		       name);
	}
	text_advice(p, list, n);
}

void report_text(const struct report *p)
{
	text_mode(p);
	text_messages(p);
	text_causality(p->r);
	text_order(p);
	text_trouble(p);
	inputs_print_model(p->inputs, p->model);
	text_reference(p);
	text_certain(p);
	text_ranks(p);
	text_sites(p);
	tape_unmatched_text(p->r->unmatched, p->inputs->t, stdout);
	tape_not_recorded_print(p->r->missing);
	printf("\nwritten to ");
	tape_put_clean(stdout, p->output);
	putchar('\n');
}
