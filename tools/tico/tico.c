/*
 * tico: a trace in global time -> the same trace without the probe effect,
 * and the correction report (conservative approximation; Maillet 1996,
 * chapter 4). Two passes: the first learns from the trace's own messages how
 * long a transit takes, the second corrects.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escape.h"
#include "gaps.h"
#include "lua.h"
#include "machine.h"
#include "tool.h"
#include "report.h"
#include "resolve.h"
#include "writer.h"

static const char usage[] =
	"tico [-hjlpV] [-b beta] [-t tau] [-m model] [-e bytes] [-d ns[:rate]]\n"
	"     [-C beta[:tau]] [-c share] [-n threads] [-sm | -sf | -r rule]\n"
	"     [-o output] trace\n"
	"tico -T [-jl] [-b beta] [-t tau] [-m model] [-e bytes] [-g page] trace";

/*
 * Open MPI counts its own header, at most this long, against the limit: the
 * largest message that did not wait for its receive was that much shorter.
 */
#define HEADER_BYTES 56

/* What is used where the trace does not say. */
#define EAGER_DEFAULT 4096

/* Events that a model is learnt from: so many, and so many for each flow. */
#define SAMPLE_EVENTS 262144
#define SAMPLE_FLOW 1024

/* Threads that have work beside the one that goes through the trace; from
 * how many bytes of events on the time is longer than that of their start. */
#define THREADS_MOST 64
#define THREADS_PAY 4
#define THREADS_BYTES 1000000

struct options {
	double beta_ns, tau_ns; /* NAN: not given */
	double dc_ns, dc_rate;  /* the same */
	const char *model;      /* a file, or NULL */
	int64_t eager_bytes;    /* -1: as the trace says */
	struct how how;
	double share;           /* INFINITY: any certificate is good enough */
	const char *input;
	char output[4200];
	int threads;            /* 0: as many as pay */
	int json;
	int shared;             /* messages share links */
	int test;               /* of the model, nothing else */
	char correction;        /* an option that such a test has no use for */
	const char *page;       /* its plots, or NULL */
};

static double number(const char *text, int option)
{
	char *end;
	double v;

	errno = 0;
	v = strtod(text, &end);
	if (end == text || *end || errno || !(v >= 0) || v > 1e15)
		tape_die(TAPE_USAGE, "-%c %s: not a number from 0 to 1e15",
			 option, text);
	return v;
}

static int threads(const char *text)
{
	double n = number(text, 'n');

	if (n < 1 || n > THREADS_MOST || n != floor(n))
		tape_die(TAPE_USAGE, "-n %s: not a number of threads from 1 "
			 "to %d", text, THREADS_MOST);
	return (int)n;
}

/* The ns of an option, or ns:rate. */
static void read_line(char *text, int option, double *ns, double *rate)
{
	char *second = strchr(text, ':');

	if (second) {
		*second = '\0';
		*rate = number(second + 1, option);
	}
	*ns = number(text, option);
}

/* What goes with what. */
static void check_options(const struct options *o)
{
	if (isnan(o->beta_ns) != isnan(o->tau_ns))
		tape_die(TAPE_USAGE, "-b and -t are given together, or neither");
	if (o->page && !o->test)
		tape_die(TAPE_USAGE, "-g goes with -T");
	if (o->test && o->correction)
		tape_die(TAPE_USAGE, "-T corrects nothing: no -%c with it",
			 o->correction);
	if (o->model && !isnan(o->beta_ns))
		tape_die(TAPE_USAGE, "-m goes without -b and -t");
	if (o->share < INFINITY && !how_certifies(&o->how))
		tape_die(TAPE_USAGE, "-c goes with -sm: by another rule "
			 "nothing is certain");
}

static void parse(int argc, char **argv, struct options *o)
{
	int c;

	*o = (struct options){ .beta_ns = NAN, .tau_ns = NAN,
			       .dc_ns = NAN, .eager_bytes = -1,
			       .share = INFINITY };
	o->how = (struct how){ .rule = TAPE_RULE_MINIMAL,
			       .longest_ns = INFINITY };
	while ((c = getopt(argc, argv,
			   "b:C:c:d:e:g:hjlm:n:o:pr:s:t:TV")) != -1) {
		if (strchr("Ccdnoprs", c))
			o->correction = (char)c;
		if (c == 'b')
			o->beta_ns = number(optarg, c);
		else if (c == 'c')
			o->share = number(optarg, c);
		else if (c == 'd')
			read_line(optarg, c, &o->how.longest_ns,
				  &o->how.longest_rate);
		else if (c == 'C')
			read_line(optarg, c, &o->dc_ns, &o->dc_rate);
		else if (c == 's' && !strcmp(optarg, "m"))
			o->how.rule = TAPE_RULE_MINIMAL;
		else if (c == 's' && !strcmp(optarg, "f"))
			o->how.rule = TAPE_RULE_FULL;
		else if (c == 'r' && !strcmp(optarg, "sm94"))
			o->how.rule = TAPE_RULE_SM94;
		else if (c == 'l')
			o->shared = 1;
		else if (c == 'r' && !strcmp(optarg, "thesis"))
			o->how.rule = TAPE_RULE_THESIS;
		else if (c == 't')
			o->tau_ns = number(optarg, c);
		else if (c == 'e')
			o->eager_bytes = (int64_t)number(optarg, c);
		else if (c == 'g')
			o->page = optarg;
		else if (c == 'j')
			o->json = 1;
		else if (c == 'T')
			o->test = 1;
		else if (c == 'm')
			o->model = optarg;
		else if (c == 'n')
			o->threads = threads(optarg);
		else if (c == 'p')
			o->how.no_packing = 1;
		else if (c == 'o' && strlen(optarg) < sizeof o->output)
			strcpy(o->output, optarg);
		else
			tape_usage(c, usage);
	}
	if (optind != argc - 1)
		tape_usage('?', usage);
	check_options(o);
	/* of a target, all is said */
	if (o->how.rule == TAPE_RULE_FULL && !isnan(o->dc_ns))
		o->how.rule = TAPE_RULE_TARGET;
	o->input = argv[optind];
	if (!*o->output)
		tape_output_name(o->input, "tico.tape", o->output,
				 sizeof o->output);
}

/*
 * meta says "eager DISTANCE BYTES" for each transport that the run had; what
 * was measured has no header in it.
 */
static void read_eager(const struct tape_trace *t, const struct options *o,
		       const struct tape_machine *m, struct eager *e)
{
	const char *line;
	char name[16], how[16];
	uint64_t bytes, header;
	int words;

	for (int d = 0; d < TAPE_DISTANCES; d++)
		e->bytes[d] = EAGER_DEFAULT;
	for (size_t i = 0; (line = tape_trace_meta(t, "eager", i)); i++) {
		words = sscanf(line, "%15s %" SCNu64 " %15s", name, &bytes,
			       how);
		if (words < 2)
			continue;
		header = words == 3 && !strcmp(how, "measured") ? 0
								: HEADER_BYTES;
		for (int d = 0; d < TAPE_DISTANCES; d++)
			if (!strcmp(name, tape_distance_name[d])) {
				e->bytes[d] = bytes > header ? bytes - header
							     : 0;
				e->known = 1;
			}
	}
	for (int d = 0; d < TAPE_DISTANCES; d++) {
		int64_t given = o->eager_bytes >= 0 ? o->eager_bytes
						    : m->limit_bytes[d];

		if (given < 0)
			continue;
		e->bytes[d] = (uint64_t)given;
		e->known = 1;
	}
	if (!e->known)
		tape_warn("%s: does not say from which size messages wait for "
			  "their receive; %d bytes are assumed (option -e)",
			  tape_trace_path(t), EAGER_DEFAULT);
}

/*
 * Dates of several clocks have to be comparable. Where they are, but nobody
 * guarantees how well, nothing is certain.
 */
static void check_clocks(const struct tape_trace *t, struct options *o)
{
	const char *path = tape_trace_path(t);
	const char *host;
	int rank, several;
	enum clocks known = clocks_known(t, &several, &rank);

	if (known == CLOCKS_BOUNDED)
		return;
	host = tape_trace_rank(t, rank)->host;
	if (known == CLOCKS_APART)
		tape_die(TAPE_FAILED, "%s: nothing relates the clock of rank "
			 "%d, host %s, to those of others: their dates cannot "
			 "be compared, and no messages relate them; "
			 "runs with sampling = on do", path, rank,
			 host ? host : "?");
	o->how.loose = rank + 1;
	if (o->share < INFINITY)
		tape_die(TAPE_FAILED, "%s: nobody guarantees how wrong the "
			 "clock of rank %d, host %s, may be: nothing is "
			 "certain, and -c %g cannot be met", path, rank,
			 host ? host : "?", o->share);
}

static void check_base(const struct tape_trace *t, struct options *o)
{
	switch (tape_trace_base(t)) {
	case TAPE_BASE_COMPENSATED:
		tape_die(TAPE_FAILED, "%s is corrected already",
			 tape_trace_path(t));
	case TAPE_BASE_LOCAL:
		if (tape_trace_domains(t) > 1)
			tape_die(TAPE_FAILED,
				 "%s has %zu clocks in local time; run sba on "
				 "it first", tape_trace_path(t),
				 tape_trace_domains(t));
		break;
	case TAPE_BASE_GLOBAL:
		check_clocks(t, o);
		break;
	}
}

/* What the options say of the machine; *own: a model in Lua, or NULL. */
static void read_model(const struct options *o, struct tape_machine *m,
		       struct own_model **own)
{
	const char *suffix = o->model ? strrchr(o->model, '.') : NULL;

	*own = NULL;
	tape_machine_nothing(m);
	if (suffix && !strcmp(suffix, ".lua"))
		*own = own_model_open(o->model);
	else if (o->model)
		tape_machine_read(o->model, m);
	for (int d = 0; !isnan(o->beta_ns) && d < TAPE_DISTANCES; d++)
		for (int protocol = 0; protocol < 2; protocol++)
			tape_curve_add(&m->model.transit[d][protocol], 0,
				       o->beta_ns, o->tau_ns);
	for (int d = 0; !isnan(o->dc_ns) && d < TAPE_DISTANCES; d++) {
		m->model.dc[d].n = 0; /* before what a file says */
		tape_curve_add(&m->model.dc[d], 0, o->dc_ns, o->dc_rate);
	}
}

static void learn(struct tape_trace *t, const struct eager *eager,
		  struct options *o, struct sample *sample,
		  struct tape_comm_model *m)
{
	struct tape_comm_learner *l = tape_comm_learner_new();
	struct result r;

	o->how.seen = calloc(1, sizeof *o->how.seen);
	if (!l || !o->how.seen)
		tape_die(TAPE_FAILED, "out of memory");
	engine_run(t, eager, l, NULL, &o->how, sample, NULL, &r);
	result_free(&r);
	tape_comm_fit(l, m);
	tape_comm_learner_free(l);
	tape_longest_fit(o->how.seen, &o->how.longest);
	free(o->how.seen);
	o->how.seen = NULL;
}

/* What the options say comes before what the trace tells. */
static void complete(const struct options *o, const struct report *p,
		     struct own_model *own, struct tape_comm_model *m)
{
	tape_machine_give(p->said, m);
	m->shared[TAPE_SHM] |= o->shared;
	m->shared[TAPE_NET] |= o->shared;
	if (own) {
		m->own_transit = own_model_transit;
		m->context = own;
	}
}

/* Only tests the model: the second pass is what a learner sees again. */
static void test(struct tape_trace *t, struct options *o,
		 const struct report *about, struct own_model *own)
{
	struct tape_comm_model model, unused;
	struct report p = *about;
	struct sample all = { 0 };
	struct trial *trial = trial_new(&model, own ? NULL : &p.said->model);

	p.model = &model;
	o->how.trial = trial;
	learn(t, p.eager, o, &all, &model);
	complete(o, &p, own, &model);
	trial->testing = 1;
	learn(t, p.eager, o, &all, &unused);
	tape_gaps_warn(t);
	tape_verdict_decide(&trial->verdict, TRIAL_LEVEL);
	if (o->page)
		trial_page(trial, o->input, o->page);
	if (o->json)
		trial_json(trial, &p);
	else
		trial_text(trial, &p);
	trial_free(trial);
}

/* Nothing lost on the way to standard output? */
static int ended(void)
{
	return fflush(stdout) || ferror(stdout) ? TAPE_FAILED : TAPE_DONE;
}

static void write_history(char *text, size_t n, const struct options *o,
			  const struct report *p)
{
	static const char *const rules[] = {
		[TAPE_RULE_MINIMAL] = "", [TAPE_RULE_FULL] = " -sf",
		[TAPE_RULE_TARGET] = " -sf",
		[TAPE_RULE_SM94] = " -r sm94",
		[TAPE_RULE_THESIS] = " -r thesis" };
	struct tape_comm_line shm = report_line(p, TAPE_SHM, 0);
	struct tape_comm_line net = report_line(p, TAPE_NET, 0);
	char model[300], hand[64] = "", longest[64] = "";
	const uint64_t *limit = p->eager->bytes;

	if (p->file)
		tape_clean(p->file, model, 200);
	else
		snprintf(model, sizeof model, "%s shm %.6g %.6g net %.6g %.6g",
			 p->said->model.transit[TAPE_SHM][0].n ? "given"
							       : "fitted",
			 shm.beta_ns, shm.tau_ns, net.beta_ns, net.tau_ns);
	if (!isnan(o->dc_ns))
		snprintf(hand, sizeof hand, " -C %.6g:%.6g", o->dc_ns,
			 o->dc_rate);
	if (o->how.longest_ns < INFINITY)
		snprintf(longest, sizeof longest, " -d %.6g:%.6g",
			 o->how.longest_ns, o->how.longest_rate);
	snprintf(text, n, "tico " TAPE_VERSION "%s%s%s%s%s model %s eager %" PRIu64
		 " %" PRIu64 " %" PRIu64, o->how.no_packing ? " -p" : "",
		 o->shared ? " -l" : "", rules[p->how->rule], hand, longest,
		 model, limit[TAPE_SELF], limit[TAPE_SHM], limit[TAPE_NET]);
}

/* With what was found when all was written: are the dates possible? */
static void write_meta(struct tape_output *out, const struct tape_trace *t,
		       const char *history, const struct result *r)
{
	struct violations after = causality_after(&r->causality);
	char lines[256];

	snprintf(lines, sizeof lines, "clock 0 0 0 1 0 0\ncausality %" PRIu64
		 " %" PRId64 "\nmoved %" PRIu64 " %.0f %" PRId64 "\n", after.n,
		 after.worst_ns, r->moves.n, r->moves.sum_ns,
		 r->moves.worst_ns);
	tape_output_meta(out, t, "compensated", lines, history, 1);
}

/*
 * Learns from the first events, enough for any median, and corrects; should
 * the trace have many messages of sizes that are rare there, both once more
 * with all of it.
 */
static struct tape_output *correct(struct tape_trace *t,
				   struct options *o,
				   const struct report *p,
				   struct own_model *own,
				   struct tape_comm_model *m, struct result *r)
{
	struct sample sample = { .most = SAMPLE_EVENTS +
					 SAMPLE_FLOW * tape_trace_flows(t) };
	struct tape_output *out;
	char history[512];

	for (;;) {
		learn(t, p->eager, o, &sample, m);
		complete(o, p, own, m);
		write_history(history, sizeof history, o, p);
		out = tape_output_begin(o->output);
		for (size_t i = 0; i < tape_trace_ranks(t); i++)
			tape_write_rank(out, t, (int)i);
		tape_resolve_write(out, t);
		if (!engine_run(t, p->eager, NULL, m, &o->how, &sample, out,
				r)) {
			write_meta(out, t, history, r);
			return out;
		}
		result_free(r);
		tape_output_abandon(out);
		sample.most = 0;
	}
}

/*
 * Threads beside the first: the processors that this process may use, where
 * the trace is long enough.
 */
static int workers(const struct tape_trace *t, const struct options *o)
{
	long long bytes = 0;
	cpu_set_t may;
	int n = 1;

	if (o->threads)
		return o->threads - 1;
	for (size_t i = 0; i < tape_trace_flows(t); i++)
		bytes += (long long)tape_trace_flow_bytes(t, i);
	if (bytes >= THREADS_BYTES && !sched_getaffinity(0, sizeof may, &may))
		n = CPU_COUNT(&may);
	return (n < THREADS_PAY ? n : THREADS_PAY) - 1;
}

/* Goes on only where the result is as certain as was asked for. */
static void certify(const struct result *r, const struct options *o)
{
	double total = (double)(r->last_ta - r->first_ta);
	double width = (double)r->total_hi - (double)r->total_lo;

	if (o->share == INFINITY || width <= o->share * total)
		return;
	tape_die(TAPE_FAILED, "%s: the total time is certain to %.6g s, which "
		 "is %.3g of it and more than %.3g", o->input, width / 1e9,
		 width / fmax(total, 1), o->share);
}

int main(int argc, char **argv)
{
	struct eager eager = { 0 };
	struct tape_comm_model model;
	struct tape_machine said;
	struct own_model *own;
	struct tape_output *out;
	struct tape_trace *t;
	struct options o;
	struct result r;
	struct report report = { .r = &r, .model = &model, .said = &said,
				 .eager = &eager };

	tape_tool("tico");
	parse(argc, argv, &o);
	if (tape_trace_open(o.input, &t))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	check_base(t, &o);
	read_model(&o, &said, &own);
	read_eager(t, &o, &said, &eager);
	report.t = t;
	report.how = &o.how;
	report.file = o.model;
	report.output = o.output;
	if (o.test) {
		test(t, &o, &report, own);
		own_model_close(own);
		tape_trace_close(t);
		return ended();
	}
	o.how.workers = workers(t, &o);
	tape_resolve(t);
	out = correct(t, &o, &report, own, &model, &r);
	tape_gaps_warn(t);
	certify(&r, &o);
	tape_output_commit(out);
	if (o.json)
		report_json(&report);
	else
		report_text(&report);
	result_free(&r);
	own_model_close(own);
	tape_trace_close(t);
	return ended();
}
