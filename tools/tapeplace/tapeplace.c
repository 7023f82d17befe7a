/*
 * tapeplace: assigns ranks to slots. From the traffic between ranks and the
 * hierarchy of the hardware it finds a rank order with less traffic over the
 * most expensive level, predicts its gain (with tapesim), and writes a file for
 * MPI launchers.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number_text.h"
#include "advice.h"
#include "damage.h"
#include "is_trace.h"
#include "escape.h"
#include "prediction.h"
#include "order.h"
#include "program_options.h"
#include "rankfile.h"
#include "tool.h"

struct asked {
	const char *input, *levels, *output;
	int each; /* slots of each host; 0: the slots of the run */
	struct place_machine machine;
	double times, message_bytes; /* times 0: not given */
	enum place_format format;
	int json;
};

/* The input. */
struct input {
	struct tape_trace *t; /* NULL: files of actions */
	struct tape_actions *s;
};

/* ---- options ---- */

static double parse_bounded(const char *text, const char *option, double least,
			    double most)
{
	double v;

	if (tape_parse_real(text, least, most, &v, NULL))
		tape_die(TAPE_USAGE, "--%s %s: not a number from %g to %g",
			 option, text, least, most);
	return v;
}

static enum place_format parse_format(const char *name)
{
	if (!strcmp(name, "rankfile"))
		return PLACE_RANKFILE;
	if (!strcmp(name, "hosts"))
		return PLACE_HOSTS;
	tape_die(TAPE_USAGE, "--format %s: expected rankfile or hosts", name);
}

static void set_place_option(struct asked *a, int c, const char **models)
{
	if (c == 'b')
		a->message_bytes = parse_bounded(optarg, "bytes", 0, 1e12);
	else if (c == 'f')
		a->format = parse_format(optarg);
	else if (c == 'j')
		a->json = 1;
	else if (c == 'k')
		a->times = parse_bounded(optarg, "times", 1, 1e6);
	else if (c == 'l')
		a->levels = optarg;
	else if (c == 'm')
		models[a->machine.models++] = optarg;
	else if (c == 'n')
		a->each =
		    (int)parse_bounded(optarg, "slots", 1, PLACE_SLOTS_MOST);
	else if (c == 'o')
		a->output = optarg;
	else if (c == 'p')
		a->machine.platform = optarg;
	else
		tape_option_refuse("tapeplace", c);
}

static void parse_place_options(int argc, char **argv, struct asked *a)
{
	const char **models = tape_must(calloc((size_t)argc, sizeof *models));
	int c;

	*a = (struct asked){.message_bytes = 1000};
	a->machine.model = models;
	while ((c = tape_option_next("tapeplace", argc, argv)) != -1)
		set_place_option(a, c, models);
	if (optind != argc - 1)
		tape_option_usage("tapeplace");
	a->input = argv[optind];
	if (a->each && !a->levels)
		tape_die(TAPE_USAGE, "--slots needs --levels: the slots are on "
				     "the hosts of that file");
	if (a->machine.platform && a->machine.models)
		tape_die(
		    TAPE_USAGE,
		    "-p and -m exclude each other: both define message times");
	if (a->json && a->output && !strcmp(a->output, "-"))
		tape_die(TAPE_USAGE,
			 "-j and -o - both write to standard output");
}

/* ---- input ---- */

static void open_input(struct input *in, const struct asked *a)
{
	const struct tape_actions_how how = {0};
	int rc;

	memset(in, 0, sizeof *in);
	if (!tape_is_trace(a->input)) {
		if (!a->each)
			tape_die(TAPE_USAGE,
				 "action files do not name hosts: "
				 "give --levels FILE and --slots N");
		rc = tape_actions_open_files(a->input, &in->s);
	} else {
		if (tape_trace_open(a->input, &in->t))
			tape_die(TAPE_FAILED, "%s", tape_trace_error(in->t));
		rc = tape_actions_open_trace(in->t, &how, &in->s);
	}
	if (rc)
		tape_die(TAPE_FAILED, "%s", tape_actions_error(in->s));
}

static struct tape_network *read_levels(const char *path)
{
	struct tape_network_fault fault = {0, NULL};
	struct tape_network *n = NULL;
	char name[300];
	int rc = tape_network_read(&n, path, &fault);

	tape_clean(path, name, sizeof name);
	if (rc == TAPE_EIO)
		tape_die(TAPE_FAILED, "%s: %s", name, strerror(errno));
	if (rc == TAPE_ENOMEM)
		tape_die_no_memory();
	if (rc && fault.line)
		tape_die(TAPE_FAILED, "%s:%u: %s", name, fault.line,
			 fault.what);
	if (rc)
		tape_die(TAPE_FAILED, "%s: %s", name, fault.what);
	return n;
}

static void read_slots(struct place_slots *s, const struct input *in,
		       const struct asked *a)
{
	struct tape_network *n = a->levels ? read_levels(a->levels) : NULL;
	size_t ranks = tape_actions_ranks(in->s);
	char name[300];

	if (a->each)
		place_slots_read_hosts(s, n, a->levels, a->each);
	else
		place_slots_read_run(s, in->t, n, a->levels);
	tape_network_free(n);
	if (a->each && s->n < ranks)
		tape_die(TAPE_FAILED,
			 "%s: %zu ranks are more than the %zu slots "
			 "of its hosts",
			 tape_clean(a->levels, name, sizeof name), ranks, s->n);
}

/* ---- main ---- */

static const char *machine_name(const struct place_machine *m)
{
	return m->platform ? m->platform : m->models ? m->model[0] : NULL;
}

/* Predicts both runs. An order that takes longer is rejected. */
static void predict_runs(struct place_advice *f, const struct place_machine *m,
			 uint32_t *after)
{
	size_t n = f->p->ranks;

	f->before_ns = place_predict_run(m, f->input, f->s, n, f->before);
	f->after_ns = f->before_ns;
	if (!memcmp(f->before, after, n * sizeof *after))
		return;
	f->after_ns = place_predict_run(m, f->input, f->s, n, after);
	if (f->after_ns > f->before_ns) {
		f->refused_ns = f->after_ns;
		f->after_ns = f->before_ns;
		memcpy(after, f->before, n * sizeof *after);
	}
}

int main(int argc, char **argv)
{
	struct place_advice found = {
	    .before_ns = -1, .after_ns = -1, .refused_ns = -1};
	struct place_cost cost;
	struct place_pairs pairs;
	struct place_slots slots;
	uint32_t *before, *after;
	struct asked a;
	struct input in;

	tape_tool("tapeplace");
	parse_place_options(argc, argv, &a);
	open_input(&in, &a);
	read_slots(&slots, &in, &a);
	place_pairs_read(&pairs, in.s,
			 a.machine.platform ? TAPE_COLL_SMPI
					    : TAPE_COLL_OPEN_MPI);
	if (in.t)
		tape_damage_warn(in.t);
	found.machine = machine_name(&a.machine);
	if (found.machine && a.times == 0)
		place_predict_costs(&a.machine, &slots, &cost);
	else
		place_cost_set_levels(&cost, &slots, a.times > 0 ? a.times : 10,
				      a.message_bytes);
	before = tape_must(calloc(pairs.ranks + 1, sizeof *before));
	after = tape_must(calloc(pairs.ranks + 1, sizeof *after));
	for (uint32_t r = 0; r < pairs.ranks; r++)
		before[r] = after[r] = r;
	place_order_find(&slots, &pairs, &cost, after);
	found.input = a.input;
	found.s = &slots;
	found.p = &pairs;
	found.c = &cost;
	found.before = before;
	found.after = after;
	if (found.machine)
		predict_runs(&found, &a.machine, after);
	if (a.output)
		place_rankfile_write(a.output, a.format, &slots, pairs.ranks,
				     after);
	if (!a.output || strcmp(a.output, "-") != 0) {
		if (a.json)
			place_advice_print_json(&found);
		else
			place_advice_print_text(&found);
	}
	free(before);
	free(after);
	place_cost_free(&cost);
	place_pairs_free(&pairs);
	place_slots_free(&slots);
	tape_actions_close(in.s);
	tape_trace_close(in.t);
	free((void *)(uintptr_t)a.machine.model);
	return fflush(stdout) || ferror(stdout) ? TAPE_FAILED : TAPE_DONE;
}
