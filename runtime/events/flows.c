/* The flows of threads, from their first call to their end; see flows.h. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "error.h"
#include "buffer.h"
#include "child.h"
#include "cost.h"
#include "counters.h"
#include "define.h"
#include "remote_trace.h"
#include "flows.h"
#include "dropped_requests.h"
#include "dropped_events.h"
#include "nonlocal_exit.h"
#include "own_stack.h"
#include "processor.h"
#include "processor_marks.h"
#include "message.h"
#include "window.h"

static pthread_key_t thread_end;
static uint32_t off_for_all; /* threads that begin later start switched off */

#define REGIONS_ROOM ((TAPE_REGIONS_MAX + 1) * sizeof(uint32_t))

/* Bytes of a flow's first page that are ahead of the flow. */
static size_t unused_bytes(void)
{
	size_t page = tape_page_bytes();

	return page > TAPE_FLOW_KEPT ? page - TAPE_FLOW_KEPT : 0;
}

void tape_flow_free(struct tape_flow *f)
{
	tape_own_stack_free(f);
	tape_gap_requests_free(f);
	if (f->sites)
		munmap(f->sites, TAPE_SITES_MAX * sizeof *f->sites);
	if (f->regions)
		munmap(f->regions, REGIONS_ROOM);
	munmap((char *)f - unused_bytes(), unused_bytes() + sizeof *f);
}

/*
 * Maps a flow. The kernel clears the first TAPE_FLOW_KEPT bytes in a copy of
 * the process: these are the end of the first page, the other fields begin on
 * the second.
 */
static struct tape_flow *map_flow(void)
{
	size_t unused = unused_bytes();
	char *p =
	    mmap(NULL, unused + sizeof(struct tape_flow),
		 PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	_Static_assert(offsetof(struct tape_flow, self) < TAPE_FLOW_KEPT &&
			   offsetof(struct tape_flow, chunk) >= TAPE_FLOW_KEPT,
		       "what a copy of the process finds as zeros");
	madvise(p, unused + TAPE_FLOW_KEPT, MADV_WIPEONFORK);
	return (struct tape_flow *)(void *)(p + unused);
}

/* A flow in memory, without a file. */
static struct tape_flow *make_flow(void)
{
	struct tape_flow *f = map_flow();

	if (!f)
		return NULL;
	f->file.fd = -1;
	f->alive = f->plain = 1;
	/* address space only: pages come as sites are used */
	f->sites = mmap(NULL, TAPE_SITES_MAX * sizeof *f->sites,
			PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	f->regions = mmap(NULL, REGIONS_ROOM, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (f->sites == MAP_FAILED || f->regions == MAP_FAILED) {
		f->sites = f->sites == MAP_FAILED ? NULL : f->sites;
		f->regions = f->regions == MAP_FAILED ? NULL : f->regions;
		tape_flow_free(f);
		return NULL;
	}
	return f;
}

/* The number of the next flow; -1 when there are too many. */
static int number_flow(void)
{
	int n = -1;

	tape_lock();
	if (tape_process.threads < TAPE_THREADS_MAX)
		n = tape_process.threads++;
	tape_unlock();
	return n;
}

struct tape_flow *tape_flow_open(char *error, size_t n)
{
	struct tape_flow *f = make_flow();

	if (!f) {
		snprintf(error, n, "%s", tape_error_text(TAPE_ENOMEM));
		return NULL;
	}
	f->rank = tape_process.rank;
	f->thread = number_flow();
	if (f->thread < 0) {
		snprintf(error, n, "more than %d threads at once",
			 TAPE_THREADS_MAX);
		tape_flow_free(f);
		return NULL;
	}
	f->extras = tape_process.config.measured ? TAPE_EXTRA_MEASURED : 0;
	if (tape_process.config.noise.percent)
		f->extras |= TAPE_EXTRA_NOISE;
	f->arrived = tape_process.config.arrived;
	f->last = f->thread ? tape_tick() : tape_process.first_tick;
	if (tape_output_open(f)) {
		snprintf(error, n, "cannot allocate space in %.800s: %s",
			 tape_process.dir, strerror(errno));
		tape_flow_free(f);
		return NULL;
	}
	f->current = &tape_current;
	tape_lock();
	f->next = tape_process.flows;
	__atomic_store_n(&tape_process.flows, f, __ATOMIC_RELEASE);
	tape_unlock();
	return f;
}

/* The flow of a thread that has ended, but for the first one's; NULL: none. */
static struct tape_flow *inherit_flow(void)
{
	struct tape_flow *f;

	tape_lock();
	for (f = tape_process.flows; f; f = f->next)
		if (!f->current && f->thread)
			break;
	if (f)
		f->current = &tape_current;
	tape_unlock();
	return f;
}

void tape_flow_attach(struct tape_flow *f, uint64_t t0)
{
	int off = __atomic_load_n(&off_for_all, __ATOMIC_RELAXED) != 0;

	tape_own = f;
	pthread_setspecific(thread_end, f);
	if (!f)
		return;
	f->frame = NULL;
	f->farewells = 0;
	f->depth = 0;
	if (f->end)
		return;
	f->self = f;
	tape_counters_thread(f);
	if (f->thread)
		tape_processor_sample(f);
	f->extra_before = tape_tick() - t0;
	if (f->thread) {
		tape_buffer_pthread(f, TAPE_THREAD_BEGINS,
				    (uint64_t)pthread_self());
		tape_buffer_mark(f, TAPE_CODE_THREAD, (uint32_t)gettid());
	}
	if (!f->end && f->switched_off != (uint32_t)off)
		tape_buffer_mark(f, off ? TAPE_CODE_OFF : TAPE_CODE_ON, 0);
	f->switched_off = (uint32_t)off;
	/* the first thread has MPI_Init to record before that */
	f->silent = f->thread &&
		    !tape_list_changes(tape_process.config.regions);
	if (off || f->silent)
		f->self = NULL;
}

/* Not even a flow: later calls of this thread find nothing to do quickly. */
static struct tape_flow no_flow;

TAPE_ON_OWN_STACK
static void begin_flow(void *unused)
{
	uint64_t t0 = tape_tick();
	struct tape_flow *f;
	char error[1024];

	(void)unused;
	tape_own = &no_flow; /* the following calls must not recurse */
	f = inherit_flow();
	if (!f)
		f = tape_flow_open(error, sizeof error);
	if (f) {
		tape_flow_attach(f, t0);
		f->lost += f->end != TAPE_END_NONE;
		tape_current = f->self;
		return;
	}
	tape_say("rank %d: a thread is not traced: %s", tape_process.rank,
		 error);
	tape_define("note thread-%d-is-not-traced\n", (int)gettid());
}
TAPE_ON_OWN_STACK_END

struct tape_flow *tape_flow_acquire(const void *frame)
{
	struct tape_flow *f = tape_own;
	int e;

	if (TAPE_LIKELY(f != NULL)) {
		if (f->end)
			f->lost++;
		else if (f->self && !tape_call_is_nested(f, frame))
			tape_current = f; /* it was never left in order */
		else if (TAPE_UNLIKELY(tape_process.inherited_flow != NULL))
			tape_child_call();
		return tape_current;
	}
	if (tape_process.state != TAPE_RUNNING)
		return NULL;
	e = errno;
	tape_run_on_own_stack(begin_flow, NULL);
	errno = e;
	return tape_current;
}

static const char *describe_end(const struct tape_flow *f)
{
	if (f->broken)
		return "the trace file was truncated or its disk is full";
	switch (f->end) {
	case TAPE_END_FULL:
		return "the disk is full";
	case TAPE_END_LIMIT:
		return "max_size was reached";
	case TAPE_END_ERROR:
		if (tape_process.unread)
			return "no analyser consumes the stream any more";
		return "the trace cannot be written";
	case TAPE_END_NONE:
	case TAPE_END_FINALIZE:
	case TAPE_END_EXIT:
	case TAPE_END_ABORT:
		break;
	}
	return NULL;
}

/* In place: the record of the end was made wide enough. */
static void patch_lost_count(struct tape_flow *f, uint64_t lost)
{
	for (int i = 0; i < 9; i++)
		f->end_record[i] =
		    (unsigned char)(0x80 | (lost >> 7 * i & 0x7f));
}

void tape_flow_close(struct tape_flow *f, enum tape_end reason, int ours)
{
	if (!f->window)
		return;
	tape_cost_end_scratch(f); /* the process ends in the calibration */
	tape_gap_end(f, ours);
	if (f->broken)
		tape_buffer_stop(f, TAPE_END_ERROR);
	if (describe_end(f)) {
		patch_lost_count(f, f->lost + f->dropped);
		tape_say("rank %d: tracing stopped after %llu events because "
			 "%s; %llu later calls are not in %s",
			 f->rank, (unsigned long long)f->events,
			 describe_end(f), (unsigned long long)f->lost,
			 tape_process.dir);
	} else {
		tape_buffer_stop(f, reason);
		if (f->dropped)
			patch_lost_count(f, f->dropped);
	}
	if (f->dropped)
		tape_say(
		    "rank %d: stream full: %llu events dropped, %llu recorded",
		    f->rank, (unsigned long long)f->dropped,
		    (unsigned long long)f->events);
	tape_output_close(f, ours);
}

/* The regions that the thread has not left end with it. */
static void leave_open_regions(struct tape_flow *f)
{
	while (!f->end && f->depth) {
		const struct tape_open *o;

		if (--f->depth >= TAPE_REGION_DEPTH || f->switched_off)
			continue;
		o = &f->open[f->depth];
		f->self = f;
		if (o->marked)
			tape_buffer_mark(f, TAPE_CODE_LEAVE, o->id);
	}
}

static void detach_flow(void *flow)
{
	struct tape_flow *f = flow;
	uint64_t before, t0;

	leave_open_regions(f);
	tape_processor_mark(f);
	t0 = tape_tick();
	tape_processor_sample(f);
	before = tape_tick() - t0;
	/* what it counted is this thread's */
	if (f->self && f->poll_count)
		tape_buffer_room(f);
	if (f->self) {
		f->extra_before += before;
		tape_buffer_pthread(f, TAPE_THREAD_ENDS,
				    (uint64_t)pthread_self());
	}
	tape_counters_thread_end(f);
	tape_current = NULL;
	tape_lock();
	if (!f->thread && tape_process.state == TAPE_RUNNING)
		tape_flow_close(f, TAPE_END_EXIT, 1);
	f->self = NULL;
	tape_unlock();
}

/*
 * The thread has ended: its flow waits for another one. What other keys'
 * destructors call is recorded too, so ours asks to be called again until it
 * is the last.
 */
static void end_thread(void *flow)
{
	struct tape_flow *f = flow;

	if (f == &no_flow || tape_process.state != TAPE_RUNNING ||
	    tape_process.pid != getpid()) {
		tape_own = &no_flow;
		tape_current = NULL;
		return;
	}
	if (++f->farewells < PTHREAD_DESTRUCTOR_ITERATIONS) {
		pthread_setspecific(thread_end, f);
		return;
	}
	tape_run_on_own_stack(detach_flow, f);
	tape_own = &no_flow;
	/* another thread may have it from here on, and its stack */
	tape_lock();
	f->current = NULL;
	tape_unlock();
}

/* A forked child is not part of the trace; its parent goes on. */
static void in_child(void)
{
	if (tape_process.state == TAPE_RUNNING)
		tape_child_after_fork();
	tape_process.state = TAPE_STOPPED;
	tape_process.lock = tape_process.defining = 0;
	/* the windows are not there: also for a thread that is inside a wrapper
	 * now */
	for (struct tape_flow *f = tape_process.flows; f; f = f->next) {
		f->self = NULL;
		f->limit = NULL;
		tape_counters_child(f);
	}
	tape_process.flows = NULL;
	if (tape_remote_is_open())
		tape_remote_close_in_child();
	tape_process.sink = NULL;
	tape_file_close(&tape_process.defines);
	tape_current = NULL;
	tape_own = &no_flow;
}

int tape_is_child(void)
{
	if (tape_process.state == TAPE_IDLE || tape_process.pid == getpid())
		return 0;
	if (tape_process.state == TAPE_RUNNING)
		in_child();
	return 1;
}

void tape_flow_switch(struct tape_flow *f)
{
	f->self = f->switched_off || f->silent ? NULL : f;
	tape_current = f->self;
}

void tape_flows_switch_off(int off)
{
	__atomic_store_n(&off_for_all, (uint32_t)off, __ATOMIC_RELAXED);
}

void tape_flows_hook(void)
{
	pthread_atfork(tape_child_before_fork, NULL, in_child);
	pthread_key_create(&thread_end, end_thread);
}
