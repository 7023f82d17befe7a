/*
 * Start and stop of the tracing of a process, flows of threads, tape_on and
 * tape_off. The only file with process-wide state.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
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

void tape_lock(void)
{
	while (__atomic_exchange_n(&tape_process.lock, 1, __ATOMIC_ACQUIRE))
		;
}

/*
 * For the end of the process: exit may have been called by a signal handler
 * on top of whoever holds the lock.
 */
int tape_lock_or_give_up(void)
{
	for (int i = 0; i < 10000000; i++)
		if (!__atomic_exchange_n(&tape_process.lock, 1,
					 __ATOMIC_ACQUIRE))
			return 0;
	return -1;
}

void tape_unlock(void)
{
	__atomic_store_n(&tape_process.lock, 0, __ATOMIC_RELEASE);
}

/* ---- flows ---- */

static void free_flow(struct tape_flow *f)
{
	if (f->sites)
		munmap(f->sites, TAPE_SITES_MAX * sizeof *f->sites);
	munmap(f, sizeof *f);
}

static struct tape_flow *new_flow(char *error, size_t n)
{
	struct tape_flow *f = mmap(NULL, sizeof *f, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (f == MAP_FAILED) {
		snprintf(error, n, "out of memory");
		return NULL;
	}
	f->file.fd = -1;
	/* address space only: pages come as sites are used */
	f->sites = mmap(NULL, TAPE_SITES_MAX * sizeof *f->sites,
			PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (f->sites == MAP_FAILED) {
		f->sites = NULL;
		free_flow(f);
		snprintf(error, n, "out of memory");
		return NULL;
	}
	tape_lock();
	f->rank = tape_process.rank;
	f->thread = tape_process.threads++;
	tape_unlock();
	f->extras = tape_process.config.measured ? TAPE_EXTRA_MEASURED : 0;
	f->arrived = tape_process.config.arrived;
	f->last = f->thread ? tape_tick() : tape_process.first_tick;
	if (tape_output_open(f)) {
		snprintf(error, n, "cannot make room in %.800s: %s",
			 tape_process.dir, strerror(errno));
		free_flow(f);
		return NULL;
	}
	f->self = f;
	tape_lock();
	f->next = tape_process.flows;
	tape_process.flows = f;
	tape_unlock();
	tape_own = f;
	pthread_setspecific(thread_end, f);
	tape_counters_thread(f);
	if (off_for_all) {
		f->switched_off = 1;
		f->self = NULL;
		tape_buffer_mark(f, TAPE_CODE_OFF, 0);
	}
	return f;
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
	f = new_flow(error, sizeof error);
	if (!f) {
		tape_say("rank %d: a thread is not traced: %s",
			 tape_process.rank, error);
	} else {
		f->extra_before += tape_tick() - t0;
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
	if (f->file.fd < 0)
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

static void end_thread(void *flow)
{
	struct tape_flow *f = flow;

	tape_own = &no_flow;
	tape_current = NULL;
	if (f == &no_flow || tape_process.state != TAPE_RUNNING ||
	    tape_process.pid != getpid())
		return;
	tape_lock();
	for (struct tape_flow **q = &tape_process.flows; *q; q = &(*q)->next)
		if (*q == f) {
			*q = f->next;
			break;
		}
	close_flow(f, TAPE_END_EXIT, 1);
	tape_unlock();
	tape_counters_thread_end(f);
	if (f->scratch)
		munmap(f->scratch, f->scratch_bytes);
	if (f->room)
		munmap(f->room, f->room_bytes);
	free_flow(f);
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
	tape_process.state = TAPE_RUNNING;
	tape_current = f->self;
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
		int ours = f == tape_own;

		if (ours || reason == TAPE_END_FINALIZE || f->end)
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

/* ---- public ---- */

TAPE_EXPORT void tape_off(void)
{
	struct tape_flow *f = tape_flow_now();

	off_for_all = 1;
	if (!f)
		return;
	tape_buffer_mark(f, TAPE_CODE_OFF, 0);
	if (f->end)
		return;
	f->switched_off = 1;
	f->self = NULL;
	tape_current = NULL;
}

TAPE_EXPORT void tape_on(void)
{
	struct tape_flow *f = tape_own;

	off_for_all = 0;
	if (!f || !f->switched_off || f->end ||
	    tape_process.state != TAPE_RUNNING)
		return;
	f->switched_off = 0;
	f->self = f;
	tape_buffer_mark(f, TAPE_CODE_ON, 0);
	tape_current = f->self;
}

TAPE_EXPORT void tape_leave(void)
{
	struct tape_flow *f = tape_flow_now();

	if (!f || !(tape_process.config.groups & TAPE_GROUP_REGION) ||
	    !f->depth)
		return;
	if (--f->depth >= TAPE_REGION_DEPTH)
		return;
	tape_buffer_mark(f, TAPE_CODE_LEAVE, f->regions_open[f->depth]);
}
