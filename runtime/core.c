/*
 * Start and stop of the tracing of a process, flows of threads, tape_on and
 * tape_off. The only file with process-wide state.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffer.h"
#include "core.h"
#include "error.h"
#include "output.h"
#include "tape.h"

struct tape_process tape_process = { .defines = { .fd = -1 } };
__thread struct tape_flow *tape_current;
__thread struct tape_flow *tape_own;
__thread struct tape_announced tape_announced;

static pthread_key_t thread_end;
static uint32_t off_for_all; /* threads that begin later start switched off */
static struct stat stderr_was;
static int stderr_missing;   /* it was closed when the program was started */

/* What the program opens on a free number is not standard error. */
__attribute__((constructor)) static void look_for_stderr(void)
{
	int e = errno;

	stderr_missing = fcntl(STDERR_FILENO, F_GETFD) < 0;
	errno = e;
}

/*
 * Is standard error by now something of the program's, opened after a close: a
 * file, or a socket of the library's?
 */
static int stderr_is_another_file(void)
{
	struct stat s;

	if (stderr_missing)
		return 1;
	return stderr_was.st_nlink && !fstat(STDERR_FILENO, &s) &&
	       (S_ISREG(s.st_mode) || S_ISSOCK(s.st_mode)) &&
	       (s.st_dev != stderr_was.st_dev ||
		s.st_ino != stderr_was.st_ino);
}

void tape_say(const char *format, ...)
{
	char text[1024];
	int e = errno, n;
	struct tape_hold hold;
	va_list ap;

	tape_process.said = 1;
	va_start(ap, format);
	n = vsnprintf(text + 6, sizeof text - 7, format, ap);
	va_end(ap);
	if (n >= 0 && !stderr_is_another_file()) {
		memcpy(text, "tape: ", 6);
		n = (int)strnlen(text, sizeof text - 2);
		text[n] = '\n';
		tape_hold(&hold);
		(void)!write(STDERR_FILENO, text, (size_t)n + 1);
		tape_release(&hold);
	}
	errno = e;
}

static int try_lock(void)
{
	return !__atomic_load_n(&tape_process.lock, __ATOMIC_RELAXED) &&
	       !__atomic_exchange_n(&tape_process.lock, 1, __ATOMIC_ACQUIRE);
}

void tape_lock(void)
{
	int cancelling;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
	/* whoever has it may be waiting for this very processor */
	for (int i = 1; !try_lock(); i++)
		if (i % 128 == 0)
			sched_yield();
	tape_process.cancelling = cancelling;
}

/*
 * For the end of the process: exit may have been called by a signal handler
 * on top of whoever holds the lock.
 */
int tape_lock_or_give_up(void)
{
	int cancelling;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
	for (int i = 0; i < 10000000; i++)
		if (try_lock()) {
			tape_process.cancelling = cancelling;
			return 0;
		}
	pthread_setcancelstate(cancelling, NULL);
	return -1;
}

void tape_unlock(void)
{
	int cancelling = tape_process.cancelling;

	__atomic_store_n(&tape_process.lock, 0, __ATOMIC_RELEASE);
	pthread_setcancelstate(cancelling, NULL);
}

/* ---- flows ---- */

#define REGIONS_ROOM ((TAPE_REGIONS_MAX + 1) * sizeof(uint32_t))

static void free_flow(struct tape_flow *f)
{
	if (f->sites)
		munmap(f->sites, TAPE_SITES_MAX * sizeof *f->sites);
	if (f->regions)
		munmap(f->regions, REGIONS_ROOM);
	munmap(f, sizeof *f);
}

/* A flow in memory, without a file. */
static struct tape_flow *make_flow(void)
{
	struct tape_flow *f = mmap(NULL, sizeof *f, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (f == MAP_FAILED)
		return NULL;
	f->file.fd = -1;
	/* address space only: pages come as sites are used */
	f->sites = mmap(NULL, TAPE_SITES_MAX * sizeof *f->sites,
			PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	f->regions = mmap(NULL, REGIONS_ROOM, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (f->sites == MAP_FAILED || f->regions == MAP_FAILED) {
		f->sites = f->sites == MAP_FAILED ? NULL : f->sites;
		f->regions = f->regions == MAP_FAILED ? NULL : f->regions;
		free_flow(f);
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

static struct tape_flow *new_flow(char *error, size_t n)
{
	struct tape_flow *f = make_flow();

	if (!f) {
		snprintf(error, n, "out of memory");
		return NULL;
	}
	f->rank = tape_process.rank;
	f->thread = number_flow();
	if (f->thread < 0) {
		snprintf(error, n, "more than %d threads at once",
			 TAPE_THREADS_MAX);
		free_flow(f);
		return NULL;
	}
	f->extras = tape_process.config.measured ? TAPE_EXTRA_MEASURED : 0;
	f->arrived = tape_process.config.arrived;
	f->last = f->thread ? tape_tick() : tape_process.first_tick;
	if (tape_output_open(f)) {
		snprintf(error, n, "cannot make room in %.800s: %s",
			 tape_process.dir, strerror(errno));
		free_flow(f);
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

/*
 * The calling thread goes on with f from here. Since t0 the tracer was at
 * work: that comes before the first mark.
 */
static void take_flow(struct tape_flow *f, uint64_t t0)
{
	int off = __atomic_load_n(&off_for_all, __ATOMIC_RELAXED) != 0;

	tape_own = f;
	pthread_setspecific(thread_end, f);
	f->frame = NULL;
	f->farewells = 0;
	f->depth = 0;
	if (f->end)
		return;
	f->self = f;
	tape_counters_thread(f);
	f->extra_before = tape_tick() - t0;
	if (f->thread)
		tape_buffer_mark(f, TAPE_CODE_THREAD, (uint32_t)gettid());
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

struct tape_flow *tape_flow_first(const void *frame)
{
	struct tape_flow *f = tape_own;
	char error[1024];
	uint64_t t0;
	int e;

	if (TAPE_LIKELY(f != NULL)) {
		if (f->end)
			f->lost++;
		else if (f->self && (uintptr_t)frame >= (uintptr_t)f->frame)
			tape_current = f; /* it was never left in order */
		return tape_current;
	}
	if (tape_process.state != TAPE_RUNNING)
		return NULL;
	e = errno;
	t0 = tape_tick();
	tape_own = &no_flow; /* what follows must not come back here */
	f = inherit_flow();
	if (!f)
		f = new_flow(error, sizeof error);
	if (!f) {
		tape_say("rank %d: a thread is not traced: %s",
			 tape_process.rank, error);
	} else {
		take_flow(f, t0);
		f->lost += f->end != TAPE_END_NONE;
		tape_current = f->self;
	}
	errno = e;
	return tape_current;
}

void tape_flow_stop(struct tape_flow *f, enum tape_end reason)
{
	if (f->end)
		return;
	tape_buffer_end(f, reason);
	f->self = NULL;
	f->limit = NULL;
	if (reason == TAPE_END_FULL || reason == TAPE_END_LIMIT ||
	    reason == TAPE_END_ERROR)
		tape_define("note stopped-after-%llu-events\n",
			    (unsigned long long)f->events);
	if (tape_own == f)
		tape_current = NULL;
}

static const char *why(enum tape_end end)
{
	switch (end) {
	case TAPE_END_FULL:
		return "the disk is full";
	case TAPE_END_LIMIT:
		return "max_size is reached";
	case TAPE_END_ERROR:
		return "the trace cannot be written";
	case TAPE_END_NONE:
	case TAPE_END_FINALIZE:
	case TAPE_END_EXIT:
	case TAPE_END_ABORT:
		break;
	}
	return NULL;
}

/* Ends the flow, says what is missing, and closes the file. */
static void close_flow(struct tape_flow *f, enum tape_end reason, int ours)
{
	if (!f->window)
		return;
	if (why(f->end)) {
		/* in place: the record was made wide enough */
		for (int i = 0; i < 9; i++)
			f->end_record[i] = (unsigned char)
				(0x80 | (f->lost >> 7 * i & 0x7f));
		tape_say("rank %d: tracing stopped after %llu events because "
			 "%s; %llu later calls are not in %s", f->rank,
			 (unsigned long long)f->events, why(f->end),
			 (unsigned long long)f->lost, tape_process.dir);
	} else {
		tape_flow_stop(f, reason);
	}
	tape_output_close(f, ours);
}

/* The regions that the thread has not left end with it. */
static void leave_all(struct tape_flow *f)
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
	leave_all(f);
	/* what it counted is this thread's */
	if (f->self && f->poll_count)
		tape_buffer_room(f);
	tape_counters_thread_end(f);
	tape_own = &no_flow;
	tape_current = NULL;
	tape_lock();
	if (!f->thread && tape_process.state == TAPE_RUNNING)
		close_flow(f, TAPE_END_EXIT, 1);
	f->self = NULL;
	f->current = NULL;
	tape_unlock();
}

/* A forked child is not part of the trace; its parent goes on. */
static void in_child(void)
{
	tape_process.state = TAPE_STOPPED;
	tape_process.lock = 0;
	/* the windows are not there: also for who is inside a wrapper now */
	for (struct tape_flow *f = tape_process.flows; f; f = f->next) {
		f->self = NULL;
		f->limit = NULL;
		tape_counters_child(f);
	}
	tape_process.flows = NULL;
	tape_file_close(&tape_process.defines);
	tape_current = NULL;
	tape_own = &no_flow;
}

/* ---- start and stop ---- */

static void at_last(int status, void *unused)
{
	(void)status, (void)unused;
	if (tape_process.state == TAPE_RUNNING &&
	    tape_process.pid == getpid())
		tape_core_stop(TAPE_END_EXIT);
}

/*
 * After whatever the program does at exit, MPI_Finalize for instance. The
 * destructors of libraries that do not need Tape's may run after this one: what
 * is registered meanwhile, on behalf of no library, runs after them all.
 */
__attribute__((destructor)) static void at_exit(void)
{
	if (on_exit(at_last, NULL))
		at_last(0, NULL);
}

int tape_core_start(char *error, size_t n)
{
	static int hooks;
	struct tape_flow *f;

	if (!hooks) {
		pthread_atfork(NULL, NULL, in_child);
		pthread_key_create(&thread_end, end_thread);
		hooks = 1;
	}
	if (fstat(STDERR_FILENO, &stderr_was))
		memset(&stderr_was, 0, sizeof stderr_was);
	tape_process.pid = getpid();
	off_for_all = 0;
	f = new_flow(error, n);
	if (!f) {
		tape_file_close(&tape_process.defines);
		return TAPE_EIO;
	}
	take_flow(f, tape_tick());
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

void tape_core_stop(enum tape_end reason)
{
	int e = errno, others = 0;

	if (tape_process.state != TAPE_RUNNING)
		return;
	tape_process.state = TAPE_STOPPED;
	tape_current = NULL;
	if (tape_lock_or_give_up())
		return;
	for (struct tape_flow *f = tape_process.flows; f; f = f->next) {
		int ours = f == tape_own || !f->current;

		if (!f->current)
			close_flow(f, TAPE_END_EXIT, ours);
		else if (ours || f->end ||
			 (reason == TAPE_END_FINALIZE && is_at_rest(f)))
			close_flow(f, reason, ours);
		else
			others = 1;
	}
	tape_unlock();
	if (reason == TAPE_END_FINALIZE && tape_own)
		tape_counters_thread_end(tape_own);
	if (!others)
		tape_file_close(&tape_process.defines);
	errno = e;
}

int tape_core_again(void)
{
	struct tape_flow *f = tape_process.flows;

	if (tape_process.state != TAPE_STOPPED || !f || f != tape_own ||
	    f->end != TAPE_END_FINALIZE || f->next)
		return -1;
	tape_own = NULL;
	pthread_setspecific(thread_end, NULL);
	tape_process.flows = NULL;
	tape_process.threads = 0;
	free_flow(f);
	tape_process.state = TAPE_IDLE;
	return 0;
}

/* ---- public ---- */

void tape_flow_switch(struct tape_flow *f)
{
	f->self = f->switched_off || f->silent ? NULL : f;
	tape_current = f->self;
}

/* This thread's flow, unless it is in a call, has ended or never began. */
static struct tape_flow *own_flow(void)
{
	struct tape_flow *f = tape_own;

	return tape_process.state == TAPE_RUNNING && f && f->chunk && !f->end &&
			       (!f->self || tape_current)
		       ? f
		       : NULL;
}

TAPE_EXPORT void tape_off(void)
{
	struct tape_flow *f = tape_flow_now();

	__atomic_store_n(&off_for_all, 1, __ATOMIC_RELAXED);
	f = own_flow();
	if (!f || f->switched_off)
		return;
	f->self = f;
	tape_buffer_mark(f, TAPE_CODE_OFF, 0);
	if (f->end)
		return;
	f->switched_off = 1;
	tape_flow_switch(f);
}

TAPE_EXPORT void tape_on(void)
{
	struct tape_flow *f = own_flow();

	__atomic_store_n(&off_for_all, 0, __ATOMIC_RELAXED);
	if (!f || !f->switched_off || f->end ||
	    tape_process.state != TAPE_RUNNING)
		return;
	f->self = f;
	tape_buffer_mark(f, TAPE_CODE_ON, 0);
	if (f->end)
		return;
	f->switched_off = 0;
	tape_flow_switch(f);
}
