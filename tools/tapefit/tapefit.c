/*
 * tapefit: fits a communication model to the messages of a trace, tests it, or
 * a given model, on them (trial.h), and writes it as a model file.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "inputs.h"
#include "escape.h"
#include "file_output.h"
#include "damage.h"
#include "program_options.h"
#include "tool.h"
#include "trial.h"

struct options {
	struct model_files models; /* to test */
	const char *output; /* file for the fitted model, or NULL */
	const char *page;   /* file for the plots, or NULL */
	const char *input;
	int json;
	int links;          /* messages share links */
};

static void parse_tapefit_options(int argc, char **argv, struct options *o)
{
	int c;

	*o = (struct options){ 0 };
	while ((c = tape_option_next("tapefit", argc, argv)) != -1) {
		if (c == 'g')
			o->page = optarg;
		else if (c == 'j')
			o->json = 1;
		else if (c == 'l')
			o->links = 1;
		else if (c == 'm')
			inputs_add_file(&o->models, optarg);
		else if (c == 'o')
			o->output = optarg;
		else
			tape_option_refuse("tapefit", c);
	}
	if (optind != argc - 1)
		tape_option_usage("tapefit");
	o->input = argv[optind];
}

/*
 * Tests the model in two passes over the same messages. The first pass fits the
 * model to one half of them unless it is given.
 */
static void test_model(const struct inputs *b, const struct options *o)
{
	struct tape_comm_model model, unused;
	struct sample all = { 0 };
	struct how how = { .rule = TAPE_RULE_MINIMAL, .longest_ns = INFINITY };
	struct trial *t = trial_new(&model, b->own ? NULL : &b->said.model);

	how.watcher = &t->watcher;
	inputs_learn_model(b, &how, &all, &model);
	trial_begin_test(t);
	inputs_learn_model(b, &how, &all, &unused);
	tape_damage_warn(b->t);
	tape_verdict_decide(&t->verdict, TRIAL_LEVEL);
	if (o->page)
		trial_page(t, o->input, o->page);
	if (o->json)
		trial_json(t, b);
	else
		trial_text(t, b);
	trial_free(t);
}

/* Fits the model to all messages and writes it: the test is complete. */
static void write_model(const struct inputs *b, const struct options *o)
{
	struct how how = { .rule = TAPE_RULE_MINIMAL, .longest_ns = INFINITY };
	struct tape_machine found;
	struct sample all = { 0 };
	char name[300];
	FILE *f;

	inputs_learn_model(b, &how, &all, &found.model);
	for (int d = 0; d < TAPE_DISTANCES; d++) {
		const struct tape_comm_line *line = found.model.line[d];
		int known = line[0].fitted || line[1].fitted ||
			    b->said.model.transit[d][0].n ||
			    b->said.model.transit[d][1].n;

		found.has_load[d] = b->said.has_load[d];
		found.limit_bytes[d] = -1;
		if (!known)
			found.model.quantile[d] = 0;
		if (!known)
			found.model.transit[d][0].n =
			found.model.transit[d][1].n =
			found.model.dc[d].n = 0;
		else if (b->eager.known && b->eager.bytes[d] < INT64_MAX)
			found.limit_bytes[d] = (int64_t)b->eager.bytes[d];
	}
	f = tape_file_begin(o->output);
	fprintf(f, "# model of a machine for tico -m, by tapefit " TAPE_VERSION
		"\n# from the messages of %s\n",
		tape_clean(o->input, name, sizeof name));
	tape_machine_write(&found, f);
	tape_file_commit();
}

int main(int argc, char **argv)
{
	struct tape_trace *t;
	struct options o;
	struct inputs b;

	tape_tool("tapefit");
	parse_tapefit_options(argc, argv, &o);
	if (tape_trace_open(o.input, &t))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	inputs_open(&b, t, &o.models, o.links);
	if (b.own && o.output)
		tape_die(TAPE_USAGE,
			 "-o %s: %s is a function, which cannot be written to "
			 "a model file",
			 o.output, b.own_path);
	test_model(&b, &o);
	if (o.output)
		write_model(&b, &o);
	inputs_close(&b);
	tape_trace_close(t);
	return fflush(stdout) || ferror(stdout) ? TAPE_FAILED : TAPE_DONE;
}
