/* See guard.h. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "called_programs.h"
#include "clock_ms.h"
#include "guard.h"
#include "pass_signals.h"

enum { SIGNALS = 64, ANSWER_MS = 2000 };

/* ---- the guard ---- */

/* When each signal last came; 0: it has not. */
static int64_t came_ms[SIGNALS];

static void note_signals(int fd)
{
	struct signalfd_siginfo s;

	while (read(fd, &s, sizeof s) == sizeof s)
		if (s.ssi_signo < SIGNALS)
			came_ms[s.ssi_signo] = tape_now_ms();
}

static uint64_t came_recently(void)
{
	uint64_t mask = 0;

	for (int i = 1; i < SIGNALS; i++)
		if (came_ms[i] && tape_now_ms() - came_ms[i] <= GUARD_SAME_MS)
			mask |= UINT64_C(1) << i;
	return mask;
}

/* Tells tape which signals came lately, until tape ends. */
static void answer_questions(int fd)
{
	int signals = signalfd(-1, signals_held(), SFD_CLOEXEC | SFD_NONBLOCK);
	struct pollfd p[2] = {{fd, POLLIN, 0}, {signals, POLLIN, 0}};
	uint64_t mask;
	char c;

	for (;;) {
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return;
		note_signals(signals);
		if (!p[0].revents)
			continue;
		if (recv(fd, &c, 1, 0) != 1)
			return;
		note_signals(signals);
		mask = came_recently();
		if (send(fd, &mask, sizeof mask, MSG_NOSIGNAL) < 0)
			return;
	}
}

__attribute__((noreturn)) static void run_guard(int fd,
					  const struct live_spool *spool)
{
	int unlocked = spool ? live_spool_open(spool) : -1;
	int nowhere = program_nowhere();
	sigset_t all;

	/* nobody waits for the end of tape's output because of this process */
	for (int i = 0; i < 3; i++)
		dup2(nowhere, i);
	if (spool)
		close(spool->lock);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	answer_questions(fd);
	if (spool)
		live_spool_remove_unused(spool, unlocked);
	_exit(0);
}

/* ---- tape ---- */

void guard_start(struct guard *g, const struct live_spool *spool)
{
	int fds[2];
	pid_t pid;

	g->fd = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return;
	pid = fork();
	if (!pid) {
		close(fds[0]);
		run_guard(fds[1], spool);
	}
	close(fds[1]);
	if (pid < 0)
		close(fds[0]);
	else
		g->fd = fds[0];
}

/* Returns the signals that the guard has got lately; ends a silent guard. */
static uint64_t ask_guard(struct guard *g)
{
	struct pollfd p = {g->fd, POLLIN, 0};
	uint64_t mask = 0;

	if (send(g->fd, "", 1, MSG_NOSIGNAL) != 1 ||
	    poll(&p, 1, ANSWER_MS) != 1 ||
	    recv(g->fd, &mask, sizeof mask, 0) != sizeof mask) {
		guard_stop(g);
		return 0;
	}
	return mask;
}

int guard_saw(struct guard *g, int signal)
{
	static const int pauses_ms[] = {1, 5, 20, 50, 75};
	uint64_t bit = UINT64_C(1) << signal;

	if (g->fd < 0)
		return 0;
	for (size_t i = 0; i < sizeof pauses_ms / sizeof *pauses_ms; i++) {
		struct timespec t = {0, pauses_ms[i] * 1000000L};

		if (ask_guard(g) & bit)
			return 1;
		if (g->fd < 0)
			return 0;
		nanosleep(&t, NULL);
	}
	return (ask_guard(g) & bit) != 0;
}

void guard_stop(struct guard *g)
{
	if (g->fd >= 0)
		close(g->fd);
	g->fd = -1;
}
