/*
 * tapesim: predicts how long a program takes on another machine, from its trace
 * or actions, and can write the trace of that run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contention.h"
#include "damage.h"
#include "is_trace.h"
#include "hostfile.h"
#include "resolve.h"
#include "sim_simgrid.h"
#include "target.h"
#include "tool.h"
#include "totals.h"

/* The input of the simulation. */
struct input {
	struct tape_trace *t;   /* NULL: files of actions */
	struct tape_actions *s;
	size_t ranks;
};

static int open_actions(const struct input *in, const struct sim_options *o,
			struct tape_actions **s)
{
	struct tape_actions_how how = { .rate = o->rate,
					.no_packing = o->no_packing };

	return in->t ? tape_actions_open_trace(in->t, &how, s)
		     : tape_actions_open_files(o->input, s);
}

static void open_input(struct input *in, const struct sim_options *o)
{
	memset(in, 0, sizeof *in);
	if (!tape_is_trace(o->input)) {
		if (o->output)
			tape_die(TAPE_USAGE,
				 "-o needs a trace as input: action files do "
				 "not name the calls");
	} else if (tape_trace_open(o->input, &in->t)) {
		tape_die(TAPE_FAILED, "%s", tape_trace_error(in->t));
	}
	if (open_actions(in, o, &in->s))
		tape_die(TAPE_FAILED, "%s", tape_actions_error(in->s));
	in->ranks = tape_actions_ranks(in->s);
}

static struct tape_output *begin_output(const struct input *in,
					const struct sim_options *o)
{
	struct tape_output *out;

	if (!o->output)
		return NULL;
	tape_resolve(in->t);
	out = tape_output_begin(o->output);
	tape_resolve_write(out, in->t);
	return out;
}

static void write_result_meta(struct tape_output *out, const struct input *in,
			      const struct sim_options *o,
			      const struct sim_named *named)
{
	char history[1200];
	size_t n;

	n = (size_t)snprintf(history, sizeof history,
			     "tapesim " TAPE_VERSION " engine %s machine %s",
			     named->engine, named->machine);
	if (o->no_packing)
		n += (size_t)snprintf(history + n, sizeof history - n, " -p");
	if (o->links)
		n += (size_t)snprintf(history + n, sizeof history - n, " -l");
	if (o->rate > 0)
		n += (size_t)snprintf(history + n, sizeof history - n,
				      " rate %g", o->rate);
	if (o->speed > 0)
		n += (size_t)snprintf(history + n, sizeof history - n,
				      " speed %g", o->speed);
	if (o->latency >= 0)
		n += (size_t)snprintf(history + n, sizeof history - n,
				      " latency %g", o->latency);
	if (o->bandwidth > 0)
		snprintf(history + n, sizeof history - n, " bandwidth %g",
			 o->bandwidth);
	tape_output_meta(out, in->t, "compensated", "clock 0 0 0 1 0 0\n",
			 history, 1);
}

/*
 * Dies with the error message. Adds the input's name if the message does not
 * begin with it.
 */
__attribute__((noreturn)) static void die_for_input(const char *input,
						    const char *why)
{
	if (!strncmp(why, input, strlen(input)))
		tape_die(TAPE_FAILED, "%s", why);
	tape_die(TAPE_FAILED, "%s: %s", input, why);
}

/* Runs Tape's own engine. Dies with its error message. */
static void run_own(const struct input *in, const struct sim_options *o,
		    struct target *target, struct sim_totals *totals,
		    struct sim_named *named, struct sim_outcome *outcome)
{
	struct sim_times times = {totals, sim_totals_put};

	target_open(target, o, in->t, in->ranks);
	named->machine = target->name;
	named->hosts = target->hosts;
	named->links = sim_net_is_shared(&target->net);
	if (sim_own_run(in->s, &target->machine, &times, outcome))
		die_for_input(o->input, outcome->error);
}

/* ---- SimGrid ---- */

/* What is needed to open the actions again. */
struct again {
	const struct input *in;
	const struct sim_options *o;
};

static int reopen_actions(void *self, struct tape_actions **s)
{
	const struct again *x = self;

	return open_actions(x->in, x->o, s);
}

static void run_simgrid(const struct input *in, const struct sim_options *o,
			struct sim_totals *totals, struct sim_named *named)
{
	struct sim_times times = {totals, sim_totals_put};
	struct again again = { in, o };
	double *speeds = sim_parse_rank_speeds(o, in->ranks);
	int *host = sim_chosen_hosts(o, in->ranks);
	char **names = sim_host_names(o, in->ranks);
	struct sim_simgrid run = {
	    .open = reopen_actions,
	    .self = &again,
	    .platform = o->platform,
	    .no_packing = o->no_packing,
	    .what_if = {.speed = o->speed,
			.rank_speed = speeds,
			.latency = o->latency >= 0 ? &o->latency : NULL,
			.bandwidth = o->bandwidth,
			.eager_bytes = o->eager_bytes,
			.host_of = host,
			.host_name = names,
			.ranks_per_host = o->ranks_per_host,
			.collectives = o->collectives}};
	char error[1024];

	named->engine = "simgrid";
	named->machine = o->platform;
	named->links = 1;
	for (size_t i = 0; i < in->ranks; i++) {
		int h = host ? host[i] : (int)i;

		named->hosts = h >= named->hosts ? h + 1 : named->hosts;
	}
	if (sim_simgrid_run(&run, &times, error, sizeof error))
		die_for_input(o->input, error);
	free(speeds);
	free(host);
	sim_hostfile_free(names, in->ranks);
}

/*
 * Returns 1 if SimGrid runs the simulation: the default for a platform if
 * SimGrid is available. Dies if it was requested and is missing.
 */
static int uses_simgrid(const struct sim_options *o)
{
	const char *why = sim_simgrid_why_missing();

	if (why && o->engine == SIM_SIMGRID)
		tape_die(TAPE_FAILED, "%s", why);
	return !why && o->platform && o->engine != SIM_OWN &&
	       !o->links;
}

static int flush_output(void)
{
	return fflush(stdout) || ferror(stdout) ? TAPE_FAILED : TAPE_DONE;
}

/* own: results of Tape's own engine, or NULL. */
static void print_totals(const struct sim_options *o,
			 const struct sim_totals *totals,
			 const struct sim_named *named,
			 const struct sim_measured *measured,
			 const struct sim_outcome *own)
{
	if (measured->flows_left_out)
		tape_warn("%zu threads are ignored: only the communicating "
			  "thread of each rank is used",
			  measured->flows_left_out);
	if (o->json)
		sim_totals_print_json(totals, named, measured->total_ns, own);
	else
		sim_totals_print_text(totals, named, measured->total_ns, own);
}

/*
 * The simulated host of each rank, to be freed; NULL: the hosts of the trace.
 */
static int *simulated_hosts(const struct sim_options *o, size_t ranks)
{
	int *host = sim_chosen_hosts(o, ranks);

	if (host || !o->platform)
		return host;
	host = tape_must(calloc(ranks + 1, sizeof *host));
	for (size_t i = 0; i < ranks; i++)
		host[i] = (int)i;
	return host;
}

int main(int argc, char **argv)
{
	static struct target target;
	struct sim_measured measured = { .total_ns = -1 };
	struct sim_outcome outcome;
	struct sim_totals totals;
	struct sim_options o;
	struct tape_output *out;
	struct input in;
	char waits[512] = "";
	struct sim_named named = { .engine = "own", .waits = waits };
	int by_simgrid, *host;

	tape_tool("tapesim");
	sim_parse_options(argc, argv, &o);
	by_simgrid = uses_simgrid(&o);
	open_input(&in, &o);
	named.input = o.input;
	named.measure = tape_actions_measure(in.s);
	sim_totals_open(&totals, in.ranks);
	out = begin_output(&in, &o);
	if (in.t) {
		tape_contention_text(in.t, waits, sizeof waits);
		host = simulated_hosts(&o, in.ranks);
		totals.trace = sim_trace_open(in.t, in.s, out, host);
		free(host);
	}
	if (by_simgrid)
		run_simgrid(&in, &o, &totals, &named);
	else
		run_own(&in, &o, &target, &totals, &named, &outcome);
	if (in.t)
		sim_trace_end(totals.trace, &measured);
	if (out) {
		write_result_meta(out, &in, &o, &named);
		tape_damage_warn(in.t);
		tape_output_commit(out);
	}
	print_totals(&o, &totals, &named, &measured,
		     by_simgrid ? NULL : &outcome);
	target_close(&target);
	sim_trace_free(totals.trace);
	sim_totals_close(&totals);
	tape_actions_close(in.s);
	tape_trace_close(in.t);
	return flush_output();
}
