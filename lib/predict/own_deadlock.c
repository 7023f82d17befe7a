/*
 * Reports on what ranks are blocked, when no rank can continue; see
 * own_state.h.
 */
#include <inttypes.h>
#include <stdio.h>

#include "own_state.h"

static const char *const names[TAPE_ACTION_KINDS] = {
	[TAPE_ACTION_INIT] = "init", [TAPE_ACTION_FINALIZE] = "finalize",
	[TAPE_ACTION_COMPUTE] = "compute", [TAPE_ACTION_PACK] = "pack",
	[TAPE_ACTION_SLEEP] = "sleep", [TAPE_ACTION_SEND] = "send",
	[TAPE_ACTION_SSEND] = "ssend", [TAPE_ACTION_ISEND] = "isend",
	[TAPE_ACTION_ISSEND] = "issend", [TAPE_ACTION_RECV] = "recv",
	[TAPE_ACTION_IRECV] = "irecv", [TAPE_ACTION_PROBE] = "probe",
	[TAPE_ACTION_WAIT] = "wait", [TAPE_ACTION_COLL] = "collective",
	[TAPE_ACTION_ICOLL] = "collective", [TAPE_ACTION_COMM] = "communicator",
	[TAPE_ACTION_COMM_FREE] = "communicator",
	[TAPE_ACTION_WIN] = "window", [TAPE_ACTION_WIN_FREE] = "window",
	[TAPE_ACTION_PUT] = "put", [TAPE_ACTION_GET] = "get",
	[TAPE_ACTION_ACCUMULATE] = "accumulate",
	[TAPE_ACTION_FENCE] = "fence", [TAPE_ACTION_LOCK] = "lock",
	[TAPE_ACTION_UNLOCK] = "unlock", [TAPE_ACTION_FLUSH] = "flush",
	[TAPE_ACTION_POST] = "post", [TAPE_ACTION_START] = "start",
	[TAPE_ACTION_COMPLETE] = "complete",
	[TAPE_ACTION_WAIT_WIN] = "wait of a window" };

const char *own_describe_action(const struct own *o, int rank)
{
	static char text[120];
	const struct own_rank *k = &o->ranks[rank];
	const char *name = "?";
	int n;

	if ((unsigned)k->a->kind < TAPE_ACTION_KINDS)
		name = names[k->a->kind];
	n = snprintf(text, sizeof text, "rank %d, action %" PRIu64 " (%s",
		     rank, k->actions, name);
	if (k->a->event)
		n += snprintf(text + n, sizeof text - (size_t)n,
			      ", event %" PRIu64, k->a->event);
	snprintf(text + n, sizeof text - (size_t)n, ")");
	return text;
}

/* The rank that has been blocked longest. */
static int find_first_blocked(const struct own *o)
{
	int first = -1;

	for (int r = 0; r < o->n; r++)
		if (o->ranks[r].state == OWN_BLOCKED &&
		    (first < 0 || o->ranks[r].now_ns < o->ranks[first].now_ns))
			first = r;
	return first;
}

void own_report_deadlock(struct own *o)
{
	int rank = find_first_blocked(o), entered, all;
	const struct tape_action *a = o->ranks[rank].a;
	const char *place = own_describe_action(o, rank);

	switch ((int)a->kind) {
	case TAPE_ACTION_RECV:
	case TAPE_ACTION_PROBE:
		own_fail(o, TAPE_ECYCLE, "%s: waits for a message of rank %d "
			 "with tag %d that is never sent", place, (int)a->peer,
			 (int)a->tag);
		break;
	case TAPE_ACTION_SEND:
	case TAPE_ACTION_SSEND:
		own_fail(o, TAPE_ECYCLE,
			 "%s: waits for rank %d to receive its message with "
			 "tag %d, but there is no such receive",
			 place, (int)a->peer, (int)a->tag);
		break;
	case TAPE_ACTION_WAIT:
		own_fail(o, TAPE_ECYCLE,
			 "%s: waits for %zu request%s that never complete",
			 place, o->ranks[rank].pending,
			 o->ranks[rank].pending == 1 ? "" : "s");
		break;
	case TAPE_ACTION_COLL:
	case TAPE_ACTION_COMM:
		entered = own_count_entered(o, rank, &all);
		own_fail(o, TAPE_ECYCLE,
			 "%s: waits for all %d members of its communicator, "
			 "but only %d arrive",
			 place, all, entered);
		break;
	default:
		own_fail(o, TAPE_ECYCLE,
			 "%s: waits for ranks that never arrive", place);
		break;
	}
}
