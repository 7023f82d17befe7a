/* Begins and ends the record and the replay of the order; see order_layer.h. */
#include <errno.h>
#include <string.h>

#include "message.h"
#include "order_layer.h"
#include "own_stack.h"
#include "core.h"
#include "yielding_wait.h"

TAPE_ON_OWN_STACK

static int records, replays;

int tape_order_is_active(void)
{
	return records || replays;
}

static void start_replay(MPI_Comm comm)
{
	char error[1200];
	int ok =
	    !tape_order_open(tape_process.config.replay, tape_process.rank,
			     error, sizeof error);

	if (!ok)
		tape_say("%s", error);
	replays = tape_is_ok_everywhere(ok, comm);
	if (replays)
		tape_next_replace(tape_order_put_replay);
	else if (!tape_process.rank)
		tape_say("nothing is replayed: the program runs in its own "
			 "order");
}

static void start_record(MPI_Comm comm)
{
	int ok = !tape_order_create();

	if (!ok)
		tape_say("rank %d: cannot record its order: %s",
			 tape_process.rank, strerror(errno));
	records = tape_is_ok_everywhere(ok, comm);
	if (records)
		tape_next_replace(tape_order_put_record);
}

/* Says which threads have no recorded order, if there may be several. */
static void report_threads(void)
{
	int level = MPI_THREAD_SINGLE;

	PMPI_Query_thread(&level);
	if (level == MPI_THREAD_MULTIPLE && !tape_process.rank)
		tape_say("MPI_THREAD_MULTIPLE: of the thread that called "
			 "MPI_Init the order is %s, of other threads it is not",
			 replays ? "replayed" : "recorded");
}

void tape_order_start(MPI_Comm comm)
{
	const struct tape_config *c = &tape_process.config;

	tape_order_choose_thread();
	if (*c->replay)
		start_replay(comm);
	if (c->record != TAPE_RECORD_EVENTS)
		start_record(comm);
	/* the functions see the calls of the program, not their parts */
	if (records || replays) {
		tape_next_has_receives = 1;
		report_threads();
	}
}

void tape_order_stop(void)
{
	if (replays)
		tape_order_end_replay();
	if (records) {
		tape_order_end_freed();
		tape_order_close(tape_order_recorded_posts());
	}
	replays = records = 0;
}
TAPE_ON_OWN_STACK_END
