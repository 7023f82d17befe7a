/*
 * tico: a trace in global time -> the same trace without the probe effect,
 * and the correction report (conservative approximation; Maillet 1996,
 * chapter 4). Two passes: the first learns from the trace's own messages how
 * long a transit takes, the second corrects.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "report.h"
#include "resolve.h"
#include "writer.h"

static const char usage[] =
	"tico [-hjpV] [-b beta] [-t tau] [-e bytes] [-d ns[:rate]]\n"
	"     [-C beta:tau] [-c share] [-sm | -sf | -r rule] [-o output]\n"
	"     trace";

/*
 * Open MPI counts its own header, at most this long, against the limit: the
 * largest message that did not wait for its receive was that much shorter.
 */
#define HEADER_BYTES 56

/* What is used where the trace does not say. */
#define EAGER_DEFAULT 4096

struct options {
	double beta_ns, tau_ns; /* NAN: fitted */
	int64_t eager_bytes;    /* -1: as the trace says */
	struct how how;
	double share;           /* INFINITY: any certificate is good enough */
	const char *input;
	char output[4200];
	int json;
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

static void parse(int argc, char **argv, struct options *o)
{
	int c;

	*o = (struct options){ .beta_ns = NAN, .tau_ns = NAN,
			       .eager_bytes = -1, .share = INFINITY };
	o->how = (struct how){ .rule = TAPE_RULE_MINIMAL,
			       .longest_ns = INFINITY, .dc_ns = NAN };
	while ((c = getopt(argc, argv, "b:C:c:d:e:hjo:pr:s:t:V")) != -1) {
		if (c == 'b')
			o->beta_ns = number(optarg, c);
		else if (c == 'c')
			o->share = number(optarg, c);
		else if (c == 'd')
			read_line(optarg, c, &o->how.longest_ns,
				  &o->how.longest_rate);
		else if (c == 'C')
			read_line(optarg, c, &o->how.dc_ns, &o->how.dc_rate);
		else if (c == 's' && !strcmp(optarg, "m"))
			o->how.rule = TAPE_RULE_MINIMAL;
		else if (c == 's' && !strcmp(optarg, "f"))
			o->how.rule = TAPE_RULE_FULL;
		else if (c == 'r' && !strcmp(optarg, "sm94"))
			o->how.rule = TAPE_RULE_SM94;
		else if (c == 'r' && !strcmp(optarg, "thesis"))
			o->how.rule = TAPE_RULE_THESIS;
		else if (c == 't')
			o->tau_ns = number(optarg, c);
		else if (c == 'e')
			o->eager_bytes = (int64_t)number(optarg, c);
		else if (c == 'j')
			o->json = 1;
		else if (c == 'p')
			o->how.no_packing = 1;
		else if (c == 'o' && strlen(optarg) < sizeof o->output)
			strcpy(o->output, optarg);
		else
			tape_usage(c, usage);
	}
	if (optind != argc - 1)
		tape_usage('?', usage);
	if (isnan(o->beta_ns) != isnan(o->tau_ns))
		tape_die(TAPE_USAGE, "-b and -t are given together, or neither");
	/* of a target, all is said */
	if (o->how.rule == TAPE_RULE_FULL && !isnan(o->how.dc_ns))
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
		       struct eager *e)
{
	static const char *const names[] = { "self", "shm", "net" };
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
			if (!strcmp(name, names[d])) {
				e->bytes[d] = bytes > header ? bytes - header
							     : 0;
				e->known = 1;
			}
	}
	for (int d = 0; o->eager_bytes >= 0 && d < TAPE_DISTANCES; d++) {
		e->bytes[d] = (uint64_t)o->eager_bytes;
		e->known = 1;
	}
	if (!e->known)
		tape_warn("%s: does not say from which size messages wait for "
			  "their receive; %d bytes are assumed (option -e)",
			  tape_trace_path(t), EAGER_DEFAULT);
}

/* Dates of several clocks have to be made comparable first. */
static void check_base(const struct tape_trace *t)
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
		break;
	}
}

static void learn(struct tape_trace *t, const struct eager *eager,
		  struct options *o, struct tape_comm_model *m)
{
	struct tape_comm_learner *l = tape_comm_learner_new();
	struct result r;

	o->how.seen = calloc(1, sizeof *o->how.seen);
	if (!l || !o->how.seen)
		tape_die(TAPE_FAILED, "out of memory");
	engine_run(t, eager, l, NULL, &o->how, NULL, &r);
	result_free(&r);
	tape_comm_fit(l, m);
	tape_comm_learner_free(l);
	tape_longest_fit(o->how.seen, &o->how.longest);
	free(o->how.seen);
	o->how.seen = NULL;
	for (int d = 0; !isnan(o->beta_ns) && d < TAPE_DISTANCES; d++) {
		m->beta_ns[d] = o->beta_ns;
		m->tau_ns[d] = o->tau_ns;
		memset(m->above_ns[d], 0, sizeof m->above_ns[d]);
	}
}

static void write_history(char *text, size_t n, const struct options *o,
			  const struct tape_comm_model *m,
			  const struct eager *e)
{
	static const char *const rules[] = {
		[TAPE_RULE_MINIMAL] = "", [TAPE_RULE_FULL] = " -sf",
		[TAPE_RULE_TARGET] = " -sf",
		[TAPE_RULE_SM94] = " -r sm94",
		[TAPE_RULE_THESIS] = " -r thesis" };

	snprintf(text, n, "tico " TAPE_VERSION "%s%s model %s shm %.6g %.6g "
		 "net %.6g %.6g eager %" PRIu64 " %" PRIu64 " %" PRIu64,
		 o->how.no_packing ? " -p" : "", rules[o->how.rule],
		 isnan(o->beta_ns) ? "fitted" : "given", m->beta_ns[TAPE_SHM],
		 m->tau_ns[TAPE_SHM], m->beta_ns[TAPE_NET],
		 m->tau_ns[TAPE_NET], e->bytes[TAPE_SELF], e->bytes[TAPE_SHM],
		 e->bytes[TAPE_NET]);
}

/* Goes on only where the result is as certain as was asked for. */
static void certify(const struct result *r, const struct options *o)
{
	double total = (double)(r->last_ta - r->first_ta);
	double width = (double)(r->total_hi - r->total_lo);

	if (width <= o->share * total)
		return;
	tape_die(TAPE_FAILED, "%s: the total time is certain to %.6g s, which "
		 "is %.3g of it and more than %.3g", o->input, width / 1e9,
		 width / fmax(total, 1), o->share);
}

int main(int argc, char **argv)
{
	struct eager eager = { 0 };
	struct tape_comm_model model;
	struct tape_output *out;
	struct tape_trace *t;
	struct options o;
	struct result r;
	struct report report;
	char history[512];
	size_t ranks;

	tape_tool("tico");
	parse(argc, argv, &o);
	if (tape_trace_open(o.input, &t))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	check_base(t);
	read_eager(t, &o, &eager);
	learn(t, &eager, &o, &model);
	ranks = tape_trace_ranks(t);
	write_history(history, sizeof history, &o, &model, &eager);
	out = tape_output_begin(o.output);
	tape_output_meta(out, t, "compensated", "clock 0 0 0 1 0 0\n", history,
			 1);
	for (size_t i = 0; i < ranks; i++)
		tape_write_rank(out, t, (int)i);
	tape_resolve(t);
	tape_resolve_write(out, t);
	engine_run(t, &eager, NULL, &model, &o.how, out, &r);
	certify(&r, &o);
	tape_output_commit(out);
	report = (struct report){ t, &r, &model, &eager, o.how.rule,
				  !isnan(o.beta_ns), o.output };
	if (o.json)
		report_json(&report);
	else
		report_text(&report);
	result_free(&r);
	tape_trace_close(t);
	return fflush(stdout) || ferror(stdout) ? TAPE_FAILED : TAPE_DONE;
}
