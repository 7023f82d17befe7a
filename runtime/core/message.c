/* Messages, and the lock; see message.h. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "own_stack.h"
#include "privileged.h"
#include "message.h"

static struct stat stderr_was;
static int stderr_missing; /* it was closed when the program was started */

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
	       (s.st_dev != stderr_was.st_dev || s.st_ino != stderr_was.st_ino);
}

void tape_say_start(void)
{
	if (fstat(STDERR_FILENO, &stderr_was))
		memset(&stderr_was, 0, sizeof stderr_was);
}

struct sentence {
	const char *format;
	va_list *ap;
};

TAPE_ON_OWN_STACK
static void write_message(void *sentence)
{
	const struct sentence *s = sentence;
	struct tape_hold hold;
	char text[1024];
	int n = vsnprintf(text + 6, sizeof text - 7, s->format, *s->ap);

	if (n >= 0 && !tape_is_privileged() && !stderr_is_another_file()) {
		memcpy(text, "tape: ", 6);
		n = (int)strnlen(text, sizeof text - 2);
		text[n] = '\n';
		tape_hold(&hold);
		(void)!TEMP_FAILURE_RETRY(
		    write(STDERR_FILENO, text, (size_t)n + 1));
		tape_release(&hold);
	}
}
TAPE_ON_OWN_STACK_END

void tape_say(const char *format, ...)
{
	struct sentence s = {.format = format};
	int e = errno;
	va_list ap;

	tape_process.said = 1;
	va_start(ap, format);
	s.ap = &ap;
	tape_run_on_own_stack(write_message, &s);
	va_end(ap);
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

int tape_lock_if_free(void)
{
	int cancelling;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
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
