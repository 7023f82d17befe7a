/* See pass_signals.h. */
#include <errno.h>
#include <stddef.h>
#include <time.h>

#include "pass_signals.h"

static const int numbers[] = {SIGINT,  SIGTERM, SIGHUP,
			      SIGQUIT, SIGUSR1, SIGUSR2};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static sigset_t held, mask_before;
static struct sigaction child_before, pipe_before;

void signals_hold(void)
{
	struct sigaction a;
	sigset_t all;

	sigemptyset(&held);
	for (int i = 0; i < NUMBERS; i++)
		if (!sigaction(numbers[i], NULL, &a) && a.sa_handler != SIG_IGN)
			sigaddset(&held, numbers[i]);
	all = held;
	sigaddset(&all, SIGCHLD);
	sigprocmask(SIG_BLOCK, &all, &mask_before);
	a = (struct sigaction){.sa_handler = SIG_DFL};
	/* ignored, children would leave no status */
	sigaction(SIGCHLD, &a, &child_before);
	a.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &a, &pipe_before);
}

const sigset_t *signals_held(void)
{
	return &held;
}

void signals_as_before(void)
{
	sigaction(SIGCHLD, &child_before, NULL);
	sigaction(SIGPIPE, &pipe_before, NULL);
	sigprocmask(SIG_SETMASK, &mask_before, NULL);
}

void signals_ignore(void)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};

	for (int i = 0; i < NUMBERS; i++)
		sigaction(numbers[i], &ignore, NULL);
	signals_as_before();
}

int signals_wait(int milliseconds)
{
	struct timespec t = {milliseconds / 1000,
			     milliseconds % 1000 * 1000000L};
	sigset_t all = held;
	int signal;

	sigaddset(&all, SIGCHLD);
	signal = sigtimedwait(&all, NULL, &t);
	return signal > 0 ? signal : 0;
}

int signals_take(int signal)
{
	const struct timespec now = {0, 0};
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, signal);
	return sigtimedwait(&one, NULL, &now) == signal;
}

int signals_ends(int signal)
{
	return signal == SIGINT || signal == SIGTERM || signal == SIGHUP ||
	       signal == SIGQUIT;
}
