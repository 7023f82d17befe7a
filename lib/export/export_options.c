/* The options of an export; see export.h. */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "option_number.h"
#include "export_state.h"
#include "program_options.h"
#include "result_name.h"
#include "tool.h"

static int64_t seconds_to_ns(double s)
{
	return s > 9e9 ? INT64_MAX : s < -9e9 ? INT64_MIN : (int64_t)(s * 1e9);
}

const char *tape_export_options(struct tape_export *x, int argc, char **argv)
{
	int c;

	x->from_s = -INFINITY;
	x->to_s = INFINITY;
	while ((c = tape_option_next(x->kind->tool, argc, argv)) != -1)
		if (c == 'o' && *optarg && strlen(optarg) < sizeof x->name)
			strcpy(x->name, optarg);
		else if (c == OPTION_FROM)
			x->from_s = tape_option_seconds(optarg, "--from");
		else if (c == OPTION_TO)
			x->to_s = tape_option_seconds(optarg, "--to");
		else
			tape_option_refuse(x->kind->tool, c);
	if (optind != argc - 1)
		tape_option_usage(x->kind->tool);
	if (!(x->from_s < x->to_s))
		tape_die(TAPE_USAGE, "--from %g --to %g: no events in between",
			 x->from_s, x->to_s);
	x->from_ns = seconds_to_ns(x->from_s);
	x->to_ns = seconds_to_ns(x->to_s);
	if (!*x->name)
		tape_result_name(argv[optind], ".tape", x->kind->ending,
				 x->name, sizeof x->name);
	return argv[optind];
}
