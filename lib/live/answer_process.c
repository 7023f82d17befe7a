/* The copy that makes the answer so far; see live.h. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "growing_array.h"
#include "live.h"
#include "tool.h"

/* The copy has so much lower a priority; its largest answer, bytes. */
enum { NICE = 10, ANSWER_MOST = 1 << 26 };
/* The next one begins after so many times the time that it computed. */
enum { REST = 9 };
/* Is the last byte of an answer that is complete. */
static const char last_byte = '\4';

struct live_answering {
	pid_t pid; /* 0: none is at work */
	int pipe;
	int rest;	 /* so many times its time until the next one */
	int64_t next_ns; /* when the next one may begin */
	char *text;
	size_t n, room;
};

struct live_answering *live_answering_new(int n)
{
	struct live_answering *a = tape_must(calloc(1, sizeof *a));

	a->pipe = -1;
	a->rest = REST * n;
	return a;
}

static int64_t count_ns(const struct timeval *t)
{
	return (int64_t)t->tv_sec * 1000000000 + (int64_t)t->tv_usec * 1000;
}

static void end_copy(struct live_answering *a)
{
	struct rusage used = {0};

	kill(a->pid, SIGKILL);
	while (wait4(a->pid, NULL, 0, &used) < 0 && errno == EINTR)
		;
	close(a->pipe);
	a->pid = 0;
	a->pipe = -1;
	a->next_ns = live_now_ns() + a->rest * (count_ns(&used.ru_utime) +
						count_ns(&used.ru_stime));
}

int live_answering_is_busy(const struct live_answering *a)
{
	return a->pid != 0;
}

int live_answering_may_start(const struct live_answering *a)
{
	return !a->pid && live_now_ns() >= a->next_ns;
}

void live_answering_stop(struct live_answering *a)
{
	if (a->pid)
		end_copy(a);
}

void live_answering_free(struct live_answering *a)
{
	if (!a)
		return;
	live_answering_stop(a);
	free(a->text);
	free(a);
}

/* Called at exit in the copy: what its parent has buffered is not written. */
static void leave_at_once(void)
{
	_exit(TAPE_FAILED);
}

/* In the copy: returns the stream of its answer. */
static FILE *begin_copy(int out)
{
	FILE *to = fdopen(out, "w");

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!to || atexit(leave_at_once))
		_exit(TAPE_FAILED);
	(void)setpriority(PRIO_PROCESS, 0, NICE);
	tape_hush(1);
	return to;
}

void live_answering_end(FILE *to)
{
	fputc(last_byte, to);
	fflush(to);
	_exit(TAPE_DONE);
}

int live_answering_start(struct live_answering *a, FILE **to)
{
	int fds[2];

	*to = NULL;
	if (a->pid || pipe2(fds, O_CLOEXEC))
		return 0;
	a->n = 0;
	a->pid = fork();
	if (!a->pid) {
		close(fds[0]);
		*to = begin_copy(fds[1]);
		return 1;
	}
	close(fds[1]);
	a->pipe = fds[0];
	if (a->pid > 0)
		return 1;
	a->pid = 0;
	close(a->pipe);
	a->pipe = -1;
	return 0;
}

char *live_answering_poll(struct live_answering *a, int *busy)
{
	struct pollfd p = {a->pipe, POLLIN, 0};
	char *text = NULL;
	ssize_t n = 1;

	while (a->pid && n > 0 && poll(&p, 1, 0) > 0) {
		a->text = tape_must(
		    tape_grow_array(a->text, &a->room, a->n + 65536, 1));
		n = read(a->pipe, a->text + a->n, a->room - a->n);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n > 0)
			a->n += (size_t)n;
		if (n > 0 && a->n < ANSWER_MOST)
			continue;
		end_copy(a);
		if (n || !a->n || a->text[a->n - 1] != last_byte)
			break;
		a->text[a->n - 1] = '\0';
		text = a->text;
		a->text = NULL;
		a->room = 0;
	}
	*busy = a->pid != 0;
	return text;
}
