/*
 * tico: a trace in global time -> the same trace without the probe effect,
 * and the correction report (conservative approximation; Maillet 1996,
 * chapter 4). Two passes: the first learns from the trace's own messages how
 * long a transit takes, the second corrects.
 */
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "number_text.h"
#include "escape.h"
#include "contention.h"
#include "damage.h"
#include "parallel_result.h"
#include "job.h"
#include "lua_model.h"
#include "machine.h"
#include "program_options.h"
#include "tool.h"
#include "report.h"
#include "resolve.h"
#include "writer.h"

/* Threads that have work besides the one that goes through the trace; from
 * how many bytes of events on the time is longer than that of their start. */
#define THREADS_MOST 64
#define THREADS_PAY 4
#define THREADS_BYTES 1000000

/* What processes of a job tell each other of it. */
enum { INVITATION = 80, PLACE, SETTLED };

struct options {
	struct model_files models;
	struct how how;
	double share;           /* INFINITY: any certificate is good enough */
	const char *input;
	const char *reference;  /* name of that trace; or NULL */
	char output[4200];
	int threads;            /* 0: as many as pay */
	int json;
	int links;              /* messages share links */
	int verbose;
};

static double parse_amount(const char *text, const char *option)
{
	double v;

	if (tape_parse_real(text, 0, 1e15, &v, NULL))
		tape_die(TAPE_USAGE, "--%s %s: not a number from 0 to 1e15",
			 option, text);
	return v;
}

static int parse_threads(const char *text)
{
	double n = parse_amount(text, "threads");

	if (n < 1 || n > THREADS_MOST || n != floor(n))
		tape_die(TAPE_USAGE,
			 "--threads %s: not a number of threads "
			 "from 1 to %d",
			 text, THREADS_MOST);
	return (int)n;
}

/* The ns of an option, or ns:rate. */
static void parse_ns_rate(char *text, const char *option, double *ns,
			  double *rate)
{
	char *second = strchr(text, ':');

	if (second) {
		*second = '\0';
		*rate = parse_amount(second + 1, option);
	}
	*ns = parse_amount(text, option);
}

/* Sets the rule of that name. Returns 0 if there is none. */
static int find_rule(const char *name, enum tape_rule *rule)
{
	static const struct {
		const char *letter, *name; /* "m" as in -sm */
		enum tape_rule rule;
	} rules[] = {
	    {"m", "minimal", TAPE_RULE_MINIMAL},
	    {"f", "full", TAPE_RULE_FULL},
	    {"t", "target", TAPE_RULE_TARGET},
	    {"sm94", "sm94", TAPE_RULE_SM94},
	    {"thesis", "thesis", TAPE_RULE_THESIS},
	};

	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (!strcmp(name, rules[i].letter) ||
		    !strcmp(name, rules[i].name)) {
			*rule = rules[i].rule;
			return 1;
		}
	return 0;
}

/* What goes with what. */
static void check_options(const struct options *o)
{
	if (o->how.rule == TAPE_RULE_TARGET && !o->models.n)
		tape_die(TAPE_USAGE,
			 "-st needs -m FILE: the model of the target library");
	if (o->share < INFINITY && !how_certifies(&o->how))
		tape_die(TAPE_USAGE,
			 "--certain needs -sm: the other rules give no "
			 "guaranteed bounds");
	if (o->reference && !how_certifies(&o->how))
		tape_die(TAPE_USAGE, "--reference needs -sm");
}

static void parse_tico_options(int argc, char **argv, struct options *o)
{
	int c;

	*o = (struct options){ .share = INFINITY };
	o->how = (struct how){ .rule = TAPE_RULE_MINIMAL,
			       .longest_ns = INFINITY };
	while ((c = tape_option_next("tico", argc, argv)) != -1) {
		if (c == 'c')
			o->share = parse_amount(optarg, "certain");
		else if (c == 'd')
			parse_ns_rate(optarg, "longest", &o->how.longest_ns,
				      &o->how.longest_rate);
		else if ((c == 's' || c == 'r') &&
			 find_rule(optarg, &o->how.rule))
			;
		else if (c == 'l')
			o->links = 1;
		else if (c == 'j')
			o->json = 1;
		else if (c == 'm')
			inputs_add_file(&o->models, optarg);
		else if (c == OPTION_REFERENCE)
			o->reference = optarg;
		else if (c == 'n')
			o->threads = parse_threads(optarg);
		else if (c == 'p')
			o->how.no_packing = 1;
		else if (c == 'o' && strlen(optarg) < sizeof o->output)
			strcpy(o->output, optarg);
		else if (c == 'v')
			o->verbose = 1;
		else
			tape_option_refuse("tico", c);
	}
	if (optind != argc - 1)
		tape_option_usage("tico");
	check_options(o);
	o->input = argv[optind];
	if (!*o->output)
		tape_output_name(o->input, "tico.tape", o->output,
				 sizeof o->output);
}

/* Where nobody guarantees how wrong a clock may be, nothing is certain. */
static void check_certain(const struct tape_trace *t, const struct options *o)
{
	const char *host;
	int rank = o->how.loose - 1;
	char waits[512];

	if (o->share == INFINITY)
		return;
	if (tape_contention_text(t, waits, sizeof waits))
		tape_die(TAPE_FAILED,
			 "%s: %s: there are no guaranteed bounds, so "
			 "--certain %g "
			 "cannot be satisfied",
			 tape_trace_path(t), waits, o->share);
	if (rank < 0)
		return;
	host = tape_trace_rank(t, rank)->host;
	tape_die(TAPE_FAILED,
		 "%s: the clock error of rank %d (host %s) has no guaranteed "
		 "bound, so "
		 "--certain %g cannot be satisfied",
		 tape_trace_path(t), rank, host ? host : "?", o->share);
}

/* Nothing lost on the way to standard output? */
static int flush_output(void)
{
	return fflush(stdout) || ferror(stdout) ? TAPE_FAILED : TAPE_DONE;
}

static void write_history(char *text, size_t n, const struct options *o,
			  const struct report *p)
{
	static const char *const rules[] = {
		[TAPE_RULE_MINIMAL] = "", [TAPE_RULE_FULL] = " -sf",
		[TAPE_RULE_TARGET] = " -st",
		[TAPE_RULE_SM94] = " -r sm94",
		[TAPE_RULE_THESIS] = " -r thesis" };
	const struct inputs *b = p->inputs;
	char model[300] = "fitted", longest[64] = "";
	const uint64_t *limit = b->eager.bytes;

	if (b->files.n)
		inputs_file_names(b, model, sizeof model);
	for (int d = TAPE_SELF + 1; !b->files.n && d < TAPE_DISTANCES; d++) {
		struct tape_comm_line line =
		    inputs_model_line(b, p->model, d, 0);
		size_t used = strlen(model);

		if (b->far.has[d] || d == TAPE_SHM || d == TAPE_NET)
			snprintf(model + used, sizeof model - used,
				 " %s %.6g %.6g", tape_distance_name[d],
				 line.beta_ns, line.tau_ns);
	}
	if (o->how.longest_ns < INFINITY)
		snprintf(longest, sizeof longest, " -d %.6g:%.6g",
			 o->how.longest_ns, o->how.longest_rate);
	snprintf(text, n, "tico " TAPE_VERSION "%s%s%s%s%s model %s eager %" PRIu64
		 " %" PRIu64 " %" PRIu64, o->reference ? " --reference" : "",
		 o->how.no_packing ? " -p" : "",
		 o->links ? " -l" : "", rules[p->how->rule], longest,
		 model, limit[TAPE_SELF], limit[TAPE_SHM], limit[TAPE_NET]);
}

/*
 * How long the run was as measured and as corrected, ns, and if that is certain
 * its bounds.
 */
static void write_total(char *text, size_t n, const struct report *p,
			const struct result *r)
{
	struct tape_contention c;
	int64_t without = r->last_ta - r->first_ta;
	char reason[200];

	*text = '\0';
	if (r->last_ns <= r->first_ns)
		return;
	if (how_certifies(p->how) &&
	    !result_uncertain_text(r, reason, sizeof reason) &&
	    !tape_contention(p->inputs->t, &c))
		snprintf(text, n, "total %" PRId64 " %" PRId64 " %" PRId64
			 " %" PRId64 "\n", r->last_ns - r->first_ns, without,
			 r->total_lo, r->total_hi);
	else
		snprintf(text, n, "total %" PRId64 " %" PRId64 "\n",
			 r->last_ns - r->first_ns, without);
}

/* Calls that depend on the order of messages, and the first call sites of those
 * that may end otherwise without tracing. */
static void write_order(char *text, size_t n, const struct order_counts *o)
{
	size_t at = 0;

	*text = '\0';
	if (o->calls)
		at = (size_t)snprintf(text, n,
				      "order %" PRIu64 " %" PRIu64 " %" PRIu64
				      "\n", o->calls, o->open, o->turned);
	for (uint64_t i = 0; i < o->sites && at < n; i++)
		at += (size_t)snprintf(
		    text + at, n - at,
		    "order_at %" PRId32 " %" PRIu32 " %" PRIu64 " %" PRIu64
		    "\n", o->site[i].rank, o->site[i].site, o->site[i].open,
		    o->site[i].turned);
}

/* With what was found when all was written: are the dates possible? */
static void write_output_meta(struct tape_output *out, const struct report *p,
			      const char *history, const struct result *r)
{
	struct violations after = causality_sum_after(&r->causality);
	char lines[2560], total[200], order[2048];

	write_total(total, sizeof total, p, r);
	write_order(order, sizeof order, &r->order);
	snprintf(lines, sizeof lines, "clock 0 0 0 1 0 0\ncausality %" PRIu64
		 " %" PRId64 "\nmoved %" PRIu64 " %.0f %" PRId64 "\n%s%s",
		 after.n, after.worst_ns, r->moves.n, r->moves.sum_ns,
		 r->moves.worst_ns, total, order);
	tape_output_meta(out, p->inputs->t, "compensated", lines, history, 1);
}

/* Process 0 begins the new trace, and says where; the others come there. */
static struct tape_output *begin_output(const struct options *o,
					struct tape_trace *t,
					struct tape_peers *p)
{
	struct tape_output *out = NULL;
	struct tape_peers_at at = {0};
	const void *place;
	unsigned kind;
	size_t bytes;

	if (!p || !p->me) {
		out = tape_output_begin(o->output);
		for (size_t i = 0; i < tape_trace_ranks(t); i++)
			tape_write_rank(out, t, (int)i, NULL, 1);
		tape_resolve_write(out, t);
	}
	if (!p)
		return out;
	if (out)
		tape_peers_queue_to_others(p, PLACE, tape_output_place(out),
					   strlen(tape_output_place(out)) + 1);
	tape_peers_exchange_once(p);
	while (!out && (place = tape_peers_next(p, &at, &kind, &bytes)))
		if (kind == PLACE)
			out = tape_output_enter(place);
	return out;
}

/* Removes the output after all processes have closed it. */
static void abandon_output(struct tape_output *out, struct tape_peers *p)
{
	if (p && p->me)
		tape_output_abandon(out);
	if (p)
		tape_peers_exchange_once(p);
	if (!p || !p->me)
		tape_output_abandon(out);
}

/*
 * Learns from the first events, enough for any median, and corrects; should
 * the trace have many messages of sizes that are rare there, both once more
 * with all of it. In a job all learn the same, and each corrects its ranks; or
 * process 0 all of them, and the others get NULL.
 */
static struct tape_output *correct_trace(struct options *o,
					 const struct report *p,
					 struct tape_comm_model *m,
					 struct result *r)
{
	struct tape_peers **peers = &o->how.peers;
	struct tape_trace *t = p->inputs->t;
	struct sample sample = SAMPLE_FIRST;
	struct tape_output *out;
	char history[512];
	int rc;

	for (;;) {
		inputs_learn_model(p->inputs, &o->how, &sample, m);
		if (o->how.volume)
			volume_add(o->how.volume, NULL);
		out = begin_output(o, t, *peers);
		rc = engine_run(t, &p->inputs->eager, NULL, m, &o->how, &sample,
				out, r);
		if (!rc)
			break;
		result_free(r);
		abandon_output(out, *peers);
		if (rc == ENGINE_LACKS) {
			sample.most = 0;
			continue;
		}
		if ((*peers)->me)
			return NULL;
		tape_warn("%s: this trace cannot be corrected in parallel "
			  "(unresolved or out-of-order dependencies); process "
			  "0 corrects it alone",
			  o->input);
		(*peers)->busy = 0;
		*peers = NULL;
	}
	if (*peers)
		parallel_collect(*peers, t, r, o->how.volume);
	if (*peers && (*peers)->me)
		return out;
	write_history(history, sizeof history, o, p);
	write_output_meta(out, p, history, r);
	return out;
}

/*
 * Threads besides the first: the processors that this process may use, where
 * the trace is long enough.
 */
static int choose_workers(const struct tape_trace *t, const struct options *o)
{
	long long bytes = 0;
	cpu_set_t may;
	int n = 1;

	if (o->threads || o->how.peers)
		return o->threads ? o->threads - 1 : 0;
	for (size_t i = 0; i < tape_trace_flows(t); i++)
		bytes += (long long)tape_trace_flow_bytes(t, i);
	if (bytes >= THREADS_BYTES && !sched_getaffinity(0, sizeof may, &may))
		n = CPU_COUNT(&may);
	return (n < THREADS_PAY ? n : THREADS_PAY) - 1;
}

/* Goes on only where the result is as certain as was asked for. */
static void check_certificate(const struct result *r, const struct options *o)
{
	double total = (double)(r->last_ta - r->first_ta);
	double width = (double)r->total_hi - (double)r->total_lo;
	char reason[200];

	if (o->share == INFINITY)
		return;
	if (result_uncertain_text(r, reason, sizeof reason))
		tape_die(TAPE_FAILED,
			 "%s: %s, so --certain %g cannot be satisfied",
			 o->input, reason, o->share);
	if (width <= o->share * total)
		return;
	tape_die(TAPE_FAILED,
		 "%s: the total time is uncertain by %.6g s, which is %.3g of "
		 "it, more than --certain %.3g allows",
		 o->input, width / 1e9, width / fmax(total, 1), o->share);
}

/*
 * Returns 1 if several processes can correct the trace in parallel. They cannot
 * if processes started other processes, if messages share links, with a
 * reference, or with a model in Lua, whose results may depend on its earlier
 * calls.
 */
static int is_for_several(const struct inputs *b, const struct options *o)
{
	for (size_t i = 0; i < tape_trace_ranks(b->t); i++)
		if (tape_trace_rank(b->t, (int)i)->tid ||
		    tape_trace_rank(b->t, (int)i)->spawned_by >= 0)
			return 0;
	return !o->links && !b->own && !o->reference;
}

/* Process 0 asks the others to come along: all have the trace then. */
static void invite_peers(struct options *o, const struct inputs *b)
{
	struct tape_peers *p = o->how.peers;
	struct tape_trace *t = b->t;
	uint64_t size[2] = {tape_trace_ranks(t), tape_trace_flows(t)};

	if (!p)
		return;
	if (!is_for_several(b, o)) {
		tape_warn("%s: this trace cannot be corrected in parallel; "
			  "process 0 of %d corrects it alone",
			  o->input, p->n);
		o->how.peers = NULL;
		return;
	}
	p->busy = 1;
	tape_peers_queue_to_others(p, INVITATION, size, sizeof size);
	tape_peers_exchange_once(p);
	tape_peers_queue_sites(p, t);
	tape_peers_agree(p, "", NULL, NULL);
	if (tape_peers_partition(p, t))
		tape_die_no_memory();
	if (o->verbose)
		o->how.volume = volume_new(t, p->n);
}

/* The trace is whole, and what others have written of it stays. */
static void settle_output(struct tape_peers *p)
{
	if (!p)
		return;
	tape_peers_queue_to_others(p, SETTLED, "", 1);
	tape_peers_exchange_once(p);
}

/* Another process than 0: has one of these come, and what is in it? */
static int receive_record(struct tape_peers *p, unsigned which, void *data,
			  size_t n)
{
	struct tape_peers_at at = {0};
	const void *record;
	unsigned kind;
	size_t bytes;

	tape_peers_exchange_once(p);
	while ((record = tape_peers_next(p, &at, &kind, &bytes)))
		if (kind == which) {
			memcpy(data, record, n < bytes ? n : bytes);
			return 1;
		}
	return 0;
}

/* Another process than 0 does its part of the work. Until 0 ends. */
static void serve_peer(struct tape_peers *p, int argc, char **argv)
{
	struct tape_comm_model model;
	struct tape_output *out;
	struct inputs inputs;
	struct options o;
	struct result r;
	struct report report = {.inputs = &inputs, .r = &r, .model = &model};
	uint64_t size[2];
	struct tape_trace *t;
	char none[1];

	if (!receive_record(p, INVITATION, size, sizeof size))
		return;
	/* process 0 has said all that there is to say */
	parse_tico_options(argc, argv, &o);
	t = tape_peers_open(p, o.input, size[0], size[1],
			    tape_peers_store_site);
	if (!t) {
		tape_peers_exchange_once(p);
		return;
	}
	if (tape_peers_partition(p, t))
		tape_die_no_memory();
	tape_hush(1);
	o.how.loose = inputs_open(&inputs, t, &o.models, o.links);
	o.how.workers = o.threads ? o.threads - 1 : 0;
	o.how.peers = p;
	if (o.verbose)
		o.how.volume = volume_new(t, p->n);
	report.how = &o.how;
	out = correct_trace(&o, &report, &model, &r);
	volume_free(o.how.volume);
	if (out) {
		result_free(&r);
		if (!receive_record(p, SETTLED, none, sizeof none)) {
			/* that was the end of process 0 */
			tape_output_abandon(out);
			tape_job_finish(p);
		}
		tape_output_leave(out);
	}
	inputs_close(&inputs);
	tape_trace_close(t);
	tape_peers_exchange_once(p);
}

int main(int argc, char **argv)
{
	struct tape_comm_model model;
	struct tape_peers *p;
	struct tape_output *out;
	struct tape_trace *t;
	struct inputs inputs;
	struct options o;
	struct result r;
	struct report report = {.inputs = &inputs, .r = &r, .model = &model};

	tape_tool("tico");
	p = tape_job(argc, argv, "tico", tape_peers_exchange_once);
	if (p && p->me) {
		serve_peer(p, argc, argv);
		tape_job_finish(p);
	}
	parse_tico_options(argc, argv, &o);
	o.how.peers = p;
	if (tape_trace_open(o.input, &t))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	o.how.loose = inputs_open(&inputs, t, &o.models, o.links);
	check_certain(t, &o);
	report.how = &o.how;
	report.output = o.output;
	tape_resolve(t);
	if (o.reference)
		o.how.reference = reference_open(o.reference, t);
	report.reference = o.reference;
	invite_peers(&o, &inputs);
	o.how.workers = choose_workers(t, &o);
	out = correct_trace(&o, &report, &model, &r);
	tape_damage_warn(t);
	check_certificate(&r, &o);
	settle_output(o.how.peers);
	tape_output_commit(out);
	if (o.json)
		report_json(&report);
	else
		report_text(&report);
	if (o.how.peers && o.how.volume)
		parallel_print_volume(o.how.peers, t, &r, o.how.volume);
	volume_free(o.how.volume);
	result_free(&r);
	inputs_close(&inputs);
	reference_free(o.how.reference);
	tape_trace_close(t);
	return flush_output();
}
