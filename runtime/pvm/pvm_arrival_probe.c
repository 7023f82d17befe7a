/* Receives that are tried before they wait; see pvm_arrival_probe.h. */
#include <sys/select.h>

#include "pvm_arrival_probe.h"
#include "handlers.h"

/* Turns at most: who sends without a pause must not hold up the question. */
#define TURNS 4096

int tape_pvm_matching;

int tape_pvm_can_try(const struct tape_flow *f, int tid, int tag)
{
	return f->arrived && !tape_pvm_matching && tid >= -1 && tag >= -1 &&
	       !tape_pvm_inside.handling;
}

int tape_pvm_await_input(int wait_us)
{
	struct timeval wait = {0, wait_us};
	int *fds, n = TAPE_REAL(pvm_getfds)(&fds), last = -1;
	fd_set set;

	FD_ZERO(&set);
	for (int i = 0; i < n; i++)
		if (fds[i] >= 0 && fds[i] < FD_SETSIZE) {
			FD_SET(fds[i], &set);
			last = fds[i] > last ? fds[i] : last;
		}
	return last >= 0 && select(last + 1, &set, NULL, NULL, &wait) > 0;
}

/* An error that it meets is raised by the caller, but for a handler's own. */
static int ask_quietly(int (*ask)(int, int), int tid, int tag)
{
	int rc, said = pvmautoerr;

	tape_pvm_inside.auto_err = &said;
	pvmautoerr = 0;
	rc = ask(tid, tag);
	pvmautoerr = said;
	tape_pvm_inside.auto_err = NULL;
	return rc;
}

int tape_pvm_probe_quietly(int tid, int tag)
{
	return ask_quietly(TAPE_REAL(pvm_probe), tid, tag);
}

int tape_pvm_try(const char *call, int tid, int tag)
{
	int rc = ask_quietly(TAPE_REAL(pvm_nrecv), tid, tag);

	for (int i = 0; !rc && i < TURNS && tape_pvm_await_input(0); i++)
		rc = ask_quietly(TAPE_REAL(pvm_nrecv), tid, tag);
	if (rc < 0)
		lpvmerr(call, rc);
	return rc;
}
