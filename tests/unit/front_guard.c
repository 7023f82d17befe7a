/* What tape asks its guard, also where there is none; nanosleep is counted. */
#include <signal.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "guard.h"
#include "pass_signals.h"
#include "tap.h"

static int pauses;

int nanosleep(const struct timespec *time, struct timespec *left)
{
	(void)time, (void)left;
	pauses++;
	return 0;
}

int main(void)
{
	struct guard g = {-1};
	int fds[2];

	signals_hold();
	ok(!guard_saw(&g, SIGTERM) && !pauses,
	   "without a guard there is no answer, and nothing to wait for");

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return 2;
	g.fd = fds[0];
	close(fds[1]);
	ok(!guard_saw(&g, SIGTERM) && !pauses && g.fd < 0,
	   "nor where the guard was killed");

	guard_start(&g, NULL);
	ok(g.fd >= 0 && !guard_saw(&g, SIGTERM) && pauses == 5,
	   "a guard that has not seen the signal is asked again");
	guard_stop(&g);
	return done();
}
