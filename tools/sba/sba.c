/*
 * sba: a trace in local time -> the same trace in global time, and the clock
 * report. Flows are not rewritten: meta gets the map from ticks to timestamps,
 * other files are linked. "Samples before and after" (Maillet 1996, 3.4), and
 * messages during the run: tree.c and compose.c relate clocks by their samples,
 * message_bounds.c and refine_by_messages.c by messages, clock_map.c writes the
 * map.
 */
#include <float.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "number_text.h"
#include "coefficients.h"
#include "file_output.h"
#include "program_options.h"
#include "refine_by_messages.h"
#include "damage.h"
#include "job.h"
#include "tool.h"
#include "output.h"
#include "clock_map.h"
#include "plot.h"
#include "clock_report.h"
#include "resolve.h"
#include "parallel_messages.h"
#include "tape_files.h"
#include "tape_reader.h"

struct options {
	const char *trace, *save, *plot;
	char output[4200];
	int json, verbose;
	struct linear_options linear;
	struct tape_peers *peers; /* NULL: one process */
};

static int has_file(const struct tape_trace *t, const char *name)
{
	return tape_trace_bytes(t, name, 0, NULL, 0) >= 0;
}

static void link_ranks(struct tape_output *o, const struct tape_trace *t)
{
	char name[64];

	for (size_t i = 0; i < tape_trace_flows(t); i++) {
		const struct tape_flow_info *f = tape_trace_flow(t, i);

		snprintf(name, sizeof name, "flow.%d.%d", f->rank, f->thread);
		/* a damaged flow may have no file */
		if (tape_trace_damage(t, i, NULL) && !has_file(t, name))
			continue;
		tape_output_take(o, t, name, tape_trace_flow_bytes(t, i));
	}
	for (size_t r = 0; r < tape_trace_ranks(t); r++) {
		if (!tape_trace_rank(t, (int)r)->host)
			continue;
		snprintf(name, sizeof name, "rank.%zu", r);
		tape_output_take(o, t, name, UINT64_MAX);
	}
}

static void link_all(struct tape_output *o, const struct tape_trace *t)
{
	const char *name;

	if (!tape_trace_in_containers(t))
		link_ranks(o, t);
	for (size_t i = 0; (name = tape_trace_container(t, i)); i++)
		tape_output_take(o, t, name, UINT64_MAX);
	if (has_file(t, "clocks"))
		tape_output_take(o, t, "clocks", UINT64_MAX);
}

static double parse_nonnegative(const char *text)
{
	double v;

	if (tape_parse_real(text, 0, DBL_MAX, &v, NULL))
		tape_option_usage("sba");
	return v;
}

static void parse_sba_options(int argc, char **argv, struct options *x)
{
	int c;

	x->linear = (struct linear_options){.hours = 24, .wander = -1};
	while ((c = tape_option_next("sba", argc, argv)) != -1)
		if (c == 'a')
			x->linear.hours = parse_nonnegative(optarg);
		else if (c == 'j')
			x->json = 1;
		else if (c == 'l')
			x->linear.load = optarg;
		else if (c == 'm')
			; /* messages are always used */
		else if (c == 'o' && strlen(optarg) < sizeof x->output)
			strcpy(x->output, optarg);
		else if (c == 'p')
			x->plot = optarg;
		else if (c == 's')
			x->save = optarg;
		else if (c == 'v')
			x->verbose = 1;
		else if (c == 'w')
			x->linear.wander = parse_nonnegative(optarg) * 1e-6;
		else
			tape_option_refuse("sba", c);
	if (optind != argc - 1)
		tape_option_usage("sba");
	x->trace = argv[optind];
	if (!*x->output)
		tape_output_name(x->trace, "sba.tape", x->output,
				 sizeof x->output);
}

/* The tracks of all clocks, from the first pass over the events. */
static void place_clocks(struct tape_trace *t, const struct options *x,
			 struct clocks *k, struct report *r, struct check *raw,
			 struct bounds **b, struct refine_result *followed)
{
	r->age_s = linear_fit_open(k, t, &x->linear);
	*b = k->n > 1 ? bounds_new(k) : NULL;
	parallel_messages_check(x->peers, t, &x->linear, raw, r->missing, k,
				*b);
	r->refuted = *b ? bounds_refuted(*b) : 0;
	clocks_span(k);
	clocks_compose(k);
	if (*b) {
		refine_by_messages(k, *b, linear_fit_wander(&x->linear),
				   followed);
		r->followed = followed;
	}
	for (size_t i = 1; i < k->n; i++)
		if (k->c[i].status == CLOCK_PLACED &&
		    tape_clock_diagnose(&k->c[i].track, &k->c[i].shape) ==
			    TAPE_ENOMEM)
			tape_die_no_memory();
}

static struct tape_output *write_trace(struct tape_trace *t,
				       const struct clocks *k,
				       const char *output, int64_t date_ns)
{
	struct tape_output *o = tape_output_begin(output);
	char *lines = clock_map_text(k, date_ns), *all;

	if (asprintf(&all, "%s%s",
		     tape_trace_in_containers(t) ? "layout node\n" : "",
		     lines) < 0)
		tape_die_no_memory();
	tape_output_meta(o, t, "global", all, "sba " TAPE_VERSION, 0);
	free(all);
	link_all(o, t);
	tape_resolve(t);
	tape_resolve_write(o, t);
	free(lines);
	return o;
}

int main(int argc, char **argv)
{
	struct refine_result followed;
	struct tape_trace *t, *corrected;
	struct tape_output *o;
	struct bounds *bounds;
	struct check raw, now, none = {0};
	struct clocks k;
	struct options x = {0};
	struct report r;

	tape_tool("sba");
	x.peers = tape_job(argc, argv, "sba", parallel_messages_dismiss);
	if (x.peers && x.peers->me) {
		parallel_messages_serve(x.peers);
		tape_job_finish(x.peers);
	}
	parse_sba_options(argc, argv, &x);
	if (tape_trace_open(x.trace, &t))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	if (tape_trace_base(t) != TAPE_BASE_LOCAL)
		tape_die(TAPE_FAILED, "%s is already in global time", x.trace);
	r = (struct report){.t = t,
			    .k = &k,
			    .raw = &raw,
			    .now = &now,
			    .missing = tape_not_recorded_new(t),
			    .output = x.output,
			    .file = x.linear.load,
			    .age_limit_s = x.linear.hours * 3600};
	hosts_open(&r.hosts, t);
	place_clocks(t, &x, &k, &r, &raw, &bounds, &followed);
	tape_damage_warn(t);
	r.date_ns = k.c[0].origin_ns;
	o = write_trace(t, &k, x.output, r.date_ns);
	/* check the corrected timestamps as any tool reads them */
	now = raw;
	if (k.n > 1) {
		if (tape_output_read(o, &corrected))
			tape_die(TAPE_FAILED, "%s",
				 tape_trace_error(corrected));
		tape_unmatched_free(raw.unmatched);
		parallel_messages_check(x.peers, corrected, NULL, &now, NULL,
					NULL, NULL);
		tape_trace_close(corrected);
	}
	if (x.save)
		coefficients_save(&k, x.save);
	if (x.plot)
		plot_clocks(&k, bounds, x.plot);
	tape_file_commit();
	tape_output_commit(o);
	if (x.json)
		report_json(&r);
	else
		report_text(&r);
	if (x.verbose && x.peers)
		parallel_messages_report(x.peers, &raw, k.n > 1 ? &now : &none,
					 bounds);
	tape_unmatched_free(now.unmatched);
	tape_not_recorded_free(r.missing);
	bounds_free(bounds);
	hosts_close(&r.hosts);
	clocks_close(&k);
	tape_trace_close(t);
	return fflush(stdout) || ferror(stdout) ? TAPE_FAILED : TAPE_DONE;
}
