/* tapecut: a window of a trace as a trace of its own. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "cut.h"
#include "damage.h"
#include "output.h"
#include "program_options.h"
#include "tool.h"

struct options {
	const char *trace;
	char output[4200];
	int64_t from_ns, to_ns;
};

static void parse_options(struct options *o, int argc, char **argv)
{
	int c;

	while ((c = tape_option_next("tapecut", argc, argv)) != -1)
		if (c == 'o' && *optarg && strlen(optarg) < sizeof o->output)
			strcpy(o->output, optarg);
		else if (c == 'w')
			tape_cut_window(optarg, &o->from_ns, &o->to_ns);
		else
			tape_option_refuse("tapecut", c);
	if (optind != argc - 1)
		tape_option_usage("tapecut");
	o->trace = argv[optind];
	if (!*o->output)
		tape_output_name(o->trace, "cut.tape", o->output,
				 sizeof o->output);
}

int main(int argc, char **argv)
{
	struct options o = {.to_ns = INT64_MAX};
	const struct tape_item *i;
	struct tape_replay *r;
	struct tape_trace *t;
	struct tape_cut *c;
	int rc;

	tape_tool("tapecut");
	parse_options(&o, argc, argv);
	if (tape_trace_open(o.trace, &t))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	if (tape_replay_open(t,
			     TAPE_REPLAY_EVENTS | TAPE_REPLAY_MESSAGES |
				 TAPE_REPLAY_ROUNDS,
			     &r))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	c = tape_cut_new(t, o.output, o.from_ns, o.to_ns);
	while ((rc = tape_replay_next(r, &i)) == 1)
		tape_cut_item(c, r, i);
	if (rc)
		tape_die(TAPE_FAILED, "%s: %s", o.trace,
			 tape_error_text(TAPE_ENOMEM));
	tape_damage_warn(t);
	if (!tape_cut_end(c, r, "tapecut"))
		tape_die(TAPE_FAILED, "%s: no events in that window", o.trace);
	tape_replay_close(r);
	tape_trace_close(t);
	return TAPE_DONE;
}
