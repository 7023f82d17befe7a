/*
 * t2np: a trace -> New PICL, the format of ParaGraph. Streams: the merged
 * events go to translate.c, whose records order.c sorts and picl.c writes.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "result.h"
#include "tape_reader.h"
#include "translate.h"

static const char usage[] = "t2np [-hV] [-o output] trace";

/* Local dates of one clock are global as they are. */
static void check_base(const struct tape_trace *t)
{
	if (tape_trace_base(t) == TAPE_BASE_LOCAL && tape_trace_domains(t) > 1)
		tape_die(TAPE_FAILED, "%s is in the local time of %zu clocks; "
			 "run sba on it first", tape_trace_path(t),
			 tape_trace_domains(t));
}

static void export(struct tape_trace *t, FILE *f)
{
	unsigned long long events = 0;
	const struct tape_event *e;
	struct tape_merge *merge;
	struct translate *x = translate_new(t, f);
	int rc;

	if (tape_merge_open(t, &merge))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	while ((rc = tape_merge_next(merge, &e)) == 1) {
		translate_event(x, e);
		if (!(++events & 0x3ffff))
			tape_progress(events, 0);
	}
	tape_progress(events, 1);
	if (rc < 0)
		tape_die(TAPE_FAILED, "%s", tape_merge_error(merge));
	translate_end(x);
	tape_merge_close(merge);
}

int main(int argc, char **argv)
{
	char name[4200] = "";
	struct tape_trace *t;
	int c;

	tape_tool("t2np");
	while ((c = getopt(argc, argv, "ho:V")) != -1)
		if (c == 'o' && *optarg && strlen(optarg) < sizeof name)
			strcpy(name, optarg);
		else
			tape_usage(c, usage);
	if (optind != argc - 1)
		tape_usage('?', usage);
	if (tape_trace_open(argv[optind], &t))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	check_base(t);
	if (!*name)
		result_name(argv[optind], name, sizeof name);
	export(t, result_begin(name));
	result_commit();
	tape_trace_close(t);
	return TAPE_DONE;
}
