/*
 * taperaces: which calls of a traced program could have taken another message
 * than they did, and which of these races are first.
 */
#include <unistd.h>

#include "damage.h"
#include "program_options.h"
#include "race_sums.h"
#include "resolve.h"
#include "tool.h"

/* Exit status: the program has races. */
enum { HAS_RACES = 3 };

int main(int argc, char **argv)
{
	struct tape_trace *t;
	struct race_sums *s;
	int json = 0, status, c;

	tape_tool("taperaces");
	while ((c = tape_option_next("taperaces", argc, argv)) != -1)
		if (c == 'j')
			json = 1;
		else
			tape_option_refuse("taperaces", c);
	if (optind != argc - 1)
		tape_option_usage("taperaces");
	if (tape_trace_open(argv[optind], &t))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	tape_resolve(t);
	s = race_sums_new(t);
	tape_damage_warn(t);
	if (json)
		race_print_json(s);
	else
		race_print_text(s);
	status = s->racing ? HAS_RACES : TAPE_DONE;
	race_sums_free(s);
	tape_trace_close(t);
	return status;
}
