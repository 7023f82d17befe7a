/*
 * t2np: a trace -> New PICL, the format of ParaGraph. It streams: translate.c
 * converts events to records, sorter.c sorts them and picl.c writes them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file_output.h"
#include "damage.h"
#include "program_options.h"
#include "result_name.h"
#include "tool.h"
#include "not_recorded.h"
#include "replay.h"
#include "resolve.h"
#include "tape_reader.h"
#include "translate.h"

/* Dies if the timestamps are local to several clocks. */
static void check_base(const struct tape_trace *t)
{
	if (tape_trace_base(t) == TAPE_BASE_LOCAL && tape_trace_domains(t) > 1)
		tape_die(TAPE_FAILED, "%s is in the local time of %zu clocks; "
			 "run sba on it first", tape_trace_path(t),
			 tape_trace_domains(t));
}

/* Dies if tico has removed the tracer's time. */
static void check_overhead(const struct tape_trace *t)
{
	if (tape_trace_base(t) == TAPE_BASE_COMPENSATED)
		tape_die(TAPE_FAILED,
			 "-a: the tracer's time is already removed from %s",
			 tape_trace_path(t));
}

/* Warns of messages whose other side is not in the trace. */
static void report_unmatched(struct tape_trace *t, struct tape_unmatched *u)
{
	uint64_t sends = tape_unmatched_sends(u);
	uint64_t receives = tape_unmatched_receives(u);

	if (!sends && !receives)
		return;
	tape_warn("%s: not in the trace: the other side of %" PRIu64
		  " sends and %" PRIu64 " receives",
		  tape_trace_path(t), sends, receives);
	tape_resolve(t);
	tape_unmatched_text(u, t, stderr);
}

/* Warns of events that were not recorded. */
static void report_not_recorded(const struct tape_trace *t,
				struct tape_not_recorded *m)
{
	char text[1024];

	if (tape_not_recorded_text(m, text, sizeof text))
		tape_warn("%s: not recorded: %s", tape_trace_path(t), text);
}

static void export_trace(struct tape_trace *t, FILE *f, int overhead)
{
	struct tape_unmatched *u = tape_unmatched_new();
	struct tape_not_recorded *missing = tape_not_recorded_new(t);
	unsigned long long events = 0;
	const struct tape_item *i;
	struct tape_replay *r;
	struct translate *x;
	int rc;

	if (!u || tape_replay_open(t, TAPE_REPLAY_BEGINS |
				   TAPE_REPLAY_MESSAGES | TAPE_REPLAY_REQUESTS,
				   &r))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	x = translate_new(t, r, f, overhead);
	while ((rc = tape_replay_next(r, &i)) == 1) {
		if (i->kind == TAPE_ITEM_MESSAGE &&
		    tape_unmatched_message(u, i->message))
			tape_die_no_memory();
		if (i->kind != TAPE_ITEM_BEGIN)
			continue;
		translate_event(x, i->event);
		if (tape_not_recorded_matters(i->event))
			tape_not_recorded_event(missing, i->event);
		if (!(++events & 0x3ffff))
			tape_progress(events, 0);
	}
	tape_progress(events, 1);
	if (rc)
		tape_die_no_memory();
	translate_end(x);
	tape_replay_close(r);
	tape_damage_warn(t);
	report_not_recorded(t, missing);
	report_unmatched(t, u);
	tape_not_recorded_free(missing);
	tape_unmatched_free(u);
}

int main(int argc, char **argv)
{
	char name[4200] = "";
	struct tape_trace *t;
	int c, overhead = 0;

	tape_tool("t2np");
	while ((c = tape_option_next("t2np", argc, argv)) != -1)
		if (c == 'a')
			overhead = 1;
		else if (c == 'o' && *optarg && strlen(optarg) < sizeof name)
			strcpy(name, optarg);
		else
			tape_option_refuse("t2np", c);
	if (optind != argc - 1)
		tape_option_usage("t2np");
	if (tape_trace_open(argv[optind], &t))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	check_base(t);
	if (overhead)
		check_overhead(t);
	if (!*name)
		tape_result_name(argv[optind], ".tape", ".trf", name,
				 sizeof name);
	export_trace(t, tape_file_begin(name), overhead);
	tape_file_commit();
	tape_trace_close(t);
	return TAPE_DONE;
}
