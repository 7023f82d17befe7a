/* What the correction found and did, as a JSON object; see report.h. */
#include <inttypes.h>
#include <stdio.h>

#include "contention.h"
#include "damage.h"
#include "drift.h"
#include "json.h"
#include "place.h"
#include "report.h"

/* By the options that say so. */
static const char *const rules[] = {
	[TAPE_RULE_MINIMAL] = "sm",
	[TAPE_RULE_FULL] = "sf",
	[TAPE_RULE_TARGET] = "st",
	[TAPE_RULE_SM94] = "sm94",
	[TAPE_RULE_THESIS] = "thesis",
};

static void json_counts(const struct report *p)
{
	const struct tape_perturb_count *c = &p->r->count;
	const struct result *r = p->r;

	printf("\"nbcom\":%" PRIu64 ",\"nbcomf\":%" PRIu64
	       ",\"nbcomfa\":%" PRIu64 ",\"nbsim\":%" PRIu64
	       ",\"decided\":%" PRIu64 ",\"nbsim_sm\":%" PRIu64
	       ",\"rendezvous\":%" PRIu64 ",\"clamped\":%" PRIu64
	       ",\"leaves\":[", c->nbcom, c->nbcomf, c->nbcomfa, c->nbsim,
	       c->decided, c->nbsim_sm, c->rendezvous, c->clamped);
	for (size_t i = 0; i < sizeof c->leaf / sizeof *c->leaf; i++)
		printf("%s%" PRIu64, i ? "," : "", c->leaf[i]);
	printf("],\"unmatched_sends\":%" PRIu64
	       ",\"unmatched_receives\":%" PRIu64
	       ",\"open_collectives\":%" PRIu64 ",\"let_go\":%" PRIu64
	       ",\"unknown_requests\":%" PRIu64 ",\"by_any_receive\":%" PRIu64
	       ",\"incomplete\":%d,\"threads\":%d,\"handed_over\":%" PRIu64
	       ",\"not_matched\":%" PRIu64 ",\"by_table\":%" PRIu64
	       ",\"by_shape\":%" PRIu64 ",\"no_pairs\":%" PRIu64
	       ",\"eager_sends\":%" PRIu64 ",\"contradictions\":%" PRIu64,
	       tape_unmatched_sends(r->unmatched),
	       tape_unmatched_receives(r->unmatched), r->rounds_open, r->forced,
	       r->unknown, r->guessed, r->incomplete, r->threads, r->handed,
	       r->left_out, r->by_table, r->by_shape, r->refuted, r->eager,
	       r->contradictions);
	printf(",\"unmatched\":");
	tape_unmatched_json(r->unmatched, p->inputs->t, stdout);
}

static void json_reference(const struct report *p)
{
	const struct reference_counts *c = &p->r->reference;

	if (!p->reference)
		return;
	printf(",\"reference\":{\"trace\":");
	tape_json_string(p->reference);
	printf(",\"events\":%" PRIu64 ",\"apart\":%" PRIu64
	       ",\"gap_ns\":%.0f,\"moved_ns\":%.0f,\"origin_ns\":%.0f}",
	       c->events, c->apart, c->gap_ns, c->moved_ns,
	       reference_origin_width(p->how->reference));
}

static void json_violations(const char *name, const struct violations *v)
{
	printf("\"%s\":{\"violations\":%" PRIu64 ",\"worst_ns\":%" PRId64 "}",
	       name, v->n, v->worst_ns);
}

static void json_causality(const struct result *r)
{
	const struct causality *c = &r->causality;
	struct violations after = causality_sum_after(c);

	printf(",\"causality\":{");
	json_violations("before", &c->before);
	putchar(',');
	json_violations("after", &after);
	putchar(',');
	json_violations("messages", &c->messages);
	putchar(',');
	json_violations("meetings", &c->meetings);
	putchar(',');
	json_violations("inside", &c->inside);
	putchar(',');
	json_violations("order", &c->order);
	printf(",\"looked_at\":{\"messages\":%" PRIu64 ",\"meetings\":%" PRIu64
	       "}},\"moved\":{\"dates\":%" PRIu64 ",\"sum_ns\":%.0f"
	       ",\"worst_ns\":%" PRId64 "}", c->n_messages, c->n_meetings,
	       r->moves.n, r->moves.sum_ns, r->moves.worst_ns);
}

static void json_ranks(const struct report *p)
{
	const char *comma = "";

	printf(",\"ranks\":[");
	for (size_t i = 0; i < tape_trace_ranks(p->inputs->t); i++) {
		const struct rank_result *q = &p->r->ranks[i];

		if (!q->seen)
			continue;
		printf("%s{\"rank\":%zu,\"measured_ns\":%" PRId64
		       ",\"corrected_ns\":%" PRId64 ",\"alpha_ns\":%.0f"
		       ",\"events\":%" PRIu64 "}", comma, i,
		       q->last_ns - q->first_ns, q->last_ta - q->first_ta,
		       q->alpha_ns, q->events);
		comma = ",";
	}
	printf("]");
}

static void json_sites(const struct report *p)
{
	size_t n;
	const struct blame_place *list = blames_sorted(p->r->blames, &n);
	char name[TAPE_PLACE_BYTES], setting[REPORT_SETTING_BYTES];

	printf(",\"sites\":[");
	for (size_t i = 0; i < n; i++) {
		const struct blame_place *b = &list[i];

		printf("%s{\"call\":", i ? "," : "");
		tape_json_string(b->site ? tape_call_name(b->site->call) : "");
		printf(",\"site\":");
		tape_json_string(b->site ? tape_place_text(b->site, name,
							   sizeof name) : "");
		printf(",\"region\":");
		tape_json_string(b->region ? b->region : "");
		printf(",\"alpha_ns\":%.0f,\"reached_ns\":%.0f,\"events\":"
		       "%" PRIu64, b->alpha_ns, b->reached_ns, b->events);
		if (report_advice(p, b, setting)) {
			printf(",\"setting\":");
			tape_json_string(setting);
		}
		printf("}");
	}
	printf("]");
}

static void json_drift(const struct tape_trace *t)
{
	struct tape_drift d;
	size_t others;
	int rank = tape_drift_worst(t, &d, &others);

	if (rank >= 0)
		printf(",\"calibration_drift\":{\"rank\":%d,\"ratio\":%.3f"
		       ",\"constants\":[%zu,%zu],\"work\":%.3f"
		       ",\"other_ranks\":%zu}", rank, d.ratio, d.apart, d.n,
		       d.work, others);
}

static void json_contention(const struct tape_contention *c)
{
	printf(",\"contention\":{\"rank\":%d,\"ns\":%" PRId64
	       ",\"cpu_ns\":%" PRId64 ",\"waited_ns\":%" PRId64
	       ",\"voluntary\":%" PRIu64 ",\"involuntary\":%" PRIu64
	       ",\"other_ranks\":%zu,\"ranks\":%zu,\"processors\":%zu}",
	       c->rank, c->of.ns, c->of.cpu_ns, c->of.waited_ns,
	       c->of.voluntary, c->of.involuntary, c->others, c->ranks,
	       c->processors);
}

/* Calls that depend on when messages arrive; how many might end otherwise. */
static void json_order(const struct report *p)
{
	const struct order_counts *o = &p->r->order;

	printf(",\"message_order\":{\"calls\":%" PRIu64 ",\"open\":%" PRIu64
	       ",\"turned\":%" PRIu64 ",\"sites\":[",
	       o->calls, o->open, o->turned);
	for (uint64_t i = 0; i < o->sites; i++)
		printf("%s{\"rank\":%d,\"site\":%u,\"open\":%" PRIu64
		       ",\"turned\":%" PRIu64 "}", i ? "," : "",
		       o->site[i].rank, o->site[i].site, o->site[i].open,
		       o->site[i].turned);
	printf("]}");
}

static void json_certain(const struct report *p)
{
	const struct result *r = p->r;
	struct tape_contention c;
	int contended = tape_contention(p->inputs->t, &c);
	char total[64] = "null", reason[200];

	if (contended)
		json_contention(&c);

	if (p->how->loose)
		printf(",\"loose_clock_of_rank\":%d", p->how->loose - 1);
	if (!how_certifies(p->how))
		return;
	json_order(p);
	if (!result_is_sound(r)) {
		printf(",\"internal_error\":\"the corrected total time is out "
		       "of its bounds\"");
		return;
	}
	if (!result_uncertain_text(r, reason, sizeof reason))
		snprintf(total, sizeof total, "[%" PRId64 ",%" PRId64 "]",
			 r->total_lo, r->total_hi);
	/* if the waits for processors are the same without tracing, or so */
	printf(",\"%s\":{\"width_ns\":{\"p50\":%.0f,\"p99\":%.0f,"
	       "\"max\":%.0f},\"total_ns\":%s,%s%s%s\"threads_s\":%.9g,"
	       "\"counted_s\":%.9g,"
	       "\"too_long\":%" PRIu64
	       ",\"alpha_spread\":%s,\"left_out\":[\"scheduling\","
	       "\"caches\",\"memory\",\"network\"]}",
	       contended ? "certain_without_contention" : "certain",
	       result_width(r, 0.5), result_width(r, 0.99), r->widths.most,
	       total, *reason ? "\"why_not\":\"" : "", reason,
	       *reason ? "\"," : "", r->threads_ns / 1e9,
	       r->counted_ns / 1e9, r->too_long,
	       report_has_spread(p) ? "true" : "false");
}

static void json_in_situ(const struct report *p)
{
	const struct in_situ *all = &p->inputs->in_situ;

	printf(",\"in_situ\":[");
	for (size_t i = 0; i < all->n; i++) {
		const struct in_situ_place *x = &all->place[i];
		const struct tape_rank_info *r =
		    tape_trace_rank(p->inputs->t, x->rank);

		printf("%s{\"rank\":%d,", i ? "," : "", x->rank);
		if (x->region) {
			printf("\"region\":");
			tape_json_string(r->regions[x->region]);
		} else {
			printf("\"site\":%u,\"call\":\"%s\"", x->site,
			       tape_call_name(r->sites[x->site].call));
		}
		printf(",\"constant_ns\":%.2f,\"ns\":%.2f,\"error_ns\":%.3f,"
		       "\"groups\":%" PRIu64 ",\"events\":%" PRIu64
		       ",\"skipped\":%" PRIu64 ",\"used\":%s}",
		       x->constant_ns, x->fit.cost, x->fit.error, x->fit.n,
		       x->events, x->skipped, x->used ? "true" : "false");
	}
	putchar(']');
}

void report_json(const struct report *p)
{
	const struct result *r = p->r;

	printf("{\"measured_ns\":%" PRId64 ",\"corrected_ns\":%" PRId64
	       ",\"events\":%" PRIu64 ",\"alpha\":\"%s\",\"packing_removed\""
	       ":%s,\"rule\":\"%s\",", r->last_ns - r->first_ns,
	       r->last_ta - r->first_ta, r->events, report_alpha(p),
	       p->how->no_packing ? "true" : "false", rules[p->how->rule]);
	json_counts(p);
	json_causality(p->r);
	json_reference(p);
	putchar(',');
	inputs_print_model_json(p->inputs, p->model);
	json_drift(p->inputs->t);
	json_certain(p);
	json_in_situ(p);
	json_ranks(p);
	json_sites(p);
	tape_not_recorded_json(p->r->missing);
	tape_damage_json(p->inputs->t);
	printf(",\"output\":");
	tape_json_string(p->output);
	printf("}\n");
}
