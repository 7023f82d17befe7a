/* Start and stop of the tracing of this process; see process.h. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "back_pressure.h"
#include "sigbus.h"
#include "counters.h"
#include "error.h"
#include "flows.h"
#include "own_stack.h"
#include "process.h"
#include "processor.h"
#include "processor_marks.h"
#include "message.h"
#include "sink.h"

static void stop_at_exit(int status, void *unused)
{
	(void)status, (void)unused;
	if (tape_process.state != TAPE_RUNNING ||
	    tape_process.pid != getpid())
		return;
	if (tape_own && tape_own->window) {
		tape_processor_border(tape_own);
		tape_processor_mark(tape_own);
	}
	tape_process.ends_inside =
	    tape_process.starting ||
	    (tape_own && tape_own->current && !tape_current);
	tape_core_stop(TAPE_END_EXIT);
}

/*
 * After whatever the program does at exit, MPI_Finalize for instance. The
 * destructors of libraries that do not need Tape's may run after this one: what
 * is registered meanwhile, on behalf of no library, runs after them all.
 */
__attribute__((destructor)) static void at_exit(void)
{
	if (on_exit(stop_at_exit, NULL))
		stop_at_exit(0, NULL);
}

/*
 * Blocks of events are skipped where nothing else wants each of them: counters,
 * a limit of the rate, regions that switch the recording.
 */
static int may_skip_blocks(const struct tape_config *c)
{
	return c->in_situ && !c->n_counters && !c->max_rate && !*c->regions;
}

int tape_core_start(char *error, size_t n)
{
	static int hooks;
	struct tape_flow *f;

	if (!hooks) {
		tape_flows_hook();
		hooks = 1;
	}
	tape_say_start();
	/* the handler of SIGBUS finds it there */
	tape_page_bytes();
	tape_process.pid = getpid();
	tape_flows_switch_off(0);
	tape_sigbus_start();
	tape_process.blocks = may_skip_blocks(&tape_process.config);
	f = tape_flow_open(error, n);
	if (!f) {
		tape_sigbus_stop();
		tape_file_close(&tape_process.defines);
		return TAPE_EIO;
	}
	tape_back_start(f);
	tape_flow_attach(f, tape_tick());
	tape_process.state = TAPE_RUNNING;
	tape_current = f->self;
	return 0;
}

/*
 * Is the thread of f, another one, outside of every call? Then it will not
 * store any more: its flow can be closed.
 */
static int is_at_rest(struct tape_flow *f)
{
	if (!f->self)
		return 1; /* switched off */
	if (__atomic_load_n(f->current, __ATOMIC_RELAXED) != f)
		return 0;
	f->self = NULL;
	f->limit = NULL;
	/* its next call finds nothing to record into */
	__atomic_store_n(f->current, NULL, __ATOMIC_SEQ_CST);
	for (int i = 0; i < 1000; i++) {
		if (!__atomic_load_n(&f->moving, __ATOMIC_ACQUIRE))
			return 1;
		sched_yield();
	}
	return 0;
}

static void stop_flows(void *why_)
{
	enum tape_end reason = *(const enum tape_end *)why_;
	int others = 0;

	tape_process.state = TAPE_STOPPED;
	tape_current = NULL;
	if (tape_lock_or_give_up())
		return;
	for (struct tape_flow *f = tape_process.flows; f; f = f->next) {
		int ours = f == tape_own || !f->current;

		if (!f->current)
			tape_flow_close(f, TAPE_END_EXIT, ours);
		else if (ours || f->end ||
			 (reason == TAPE_END_FINALIZE && is_at_rest(f)))
			tape_flow_close(f, reason, ours);
		else
			others = 1;
	}
	tape_unlock();
	if (tape_process.sink)
		tape_process.sink->stop(reason);
	if (reason == TAPE_END_FINALIZE && tape_own)
		tape_counters_thread_end(tape_own);
	if (!others) {
		tape_file_close(&tape_process.defines);
		tape_sigbus_stop();
	}
}

void tape_core_stop(enum tape_end reason)
{
	int e = errno;

	if (tape_process.state == TAPE_RUNNING)
		tape_run_on_own_stack(stop_flows, &reason);
	errno = e;
}

int tape_core_reset(void)
{
	struct tape_flow *f = tape_process.flows;

	if (tape_process.state != TAPE_STOPPED || !f || f != tape_own ||
	    f->end != TAPE_END_FINALIZE || f->next)
		return -1;
	tape_flow_attach(NULL, 0);
	tape_process.flows = NULL;
	tape_process.threads = 0;
	tape_flow_free(f);
	tape_process.state = TAPE_IDLE;
	return 0;
}
