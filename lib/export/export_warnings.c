/* The warnings of an export; see export.h. */
#include <inttypes.h>

#include "damage.h"
#include "export_state.h"
#include "tool.h"

static const char *flow_end_reason(enum tape_end end)
{
	switch (end) {
	case TAPE_END_NONE:
		return "killed, or still running";
	case TAPE_END_FINALIZE:
		return "events were dropped because the stream was full";
	case TAPE_END_EXIT:
		return "the process ended before MPI_Finalize";
	case TAPE_END_ABORT:
		return "MPI_Abort";
	case TAPE_END_FULL:
		return "the disk was full";
	case TAPE_END_LIMIT:
		return "the trace had reached its maximum size";
	case TAPE_END_ERROR:
		return "tracing failed";
	}
	return "finished";
}

/* Warns of flows that end before the end of the run. */
static void warn_of_early_ends(const struct tape_export *x)
{
	const struct tape_flow_info *first = NULL;
	enum tape_end end, first_end = TAPE_END_FINALIZE;
	uint64_t lost, events = 0;
	size_t n = 0;

	for (size_t i = 0; i < x->flows; i++) {
		const struct tape_flow_info *f = tape_trace_flow(x->t, i);

		end = tape_replay_end(x->replay, i, &lost);
		if (tape_trace_damage(x->t, i, NULL) ||
		    (!lost && (end == TAPE_END_FINALIZE ||
			       (end == TAPE_END_EXIT && f->thread))))
			continue;
		if (!n++) {
			first = f;
			first_end = end;
		}
		events += lost;
	}
	if (!n)
		return;
	tape_warn("%s: incomplete: %zu of %zu flows end early; rank %d: %s",
		  tape_trace_path(x->t), n, x->flows, first->rank,
		  flow_end_reason(first_end));
	if (events)
		tape_warn("%s: %" PRIu64 " events were lost",
			  tape_trace_path(x->t), events);
}

void tape_export_warn(struct tape_export *x)
{
	uint64_t sends = tape_unmatched_sends(x->unmatched);
	uint64_t receives = tape_unmatched_receives(x->unmatched);
	const char *path = tape_trace_path(x->t);
	char text[1024];

	warn_of_early_ends(x);
	tape_damage_warn(x->t);
	if (tape_not_recorded_text(x->missing, text, sizeof text))
		tape_warn("%s: not recorded: %s", path, text);
	if (x->backward)
		tape_warn("%s: %" PRIu64 " of %" PRIu64 " messages arrive "
			  "before they were sent%s",
			  path, x->backward, x->messages,
			  tape_trace_base(x->t) == TAPE_BASE_LOCAL
			      ? ": run sba on it first"
			      : "");
	if (sends || receives) {
		tape_warn("%s: not in the trace: the other side of %" PRIu64
			  " sends and %" PRIu64 " receives",
			  path, sends, receives);
		tape_unmatched_text(x->unmatched, x->t, stderr);
	}
}
