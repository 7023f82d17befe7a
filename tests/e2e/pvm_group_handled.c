/*
 * Message handlers that run while a task is in a collective call of a group, or
 * in pvm_spawn. The first task is in each call early: the others send it a
 * message 20 ms later, which a handler takes and answers after 2 ms, and come
 * to the call themselves once all have been answered. The first task prints for
 * each of its calls when that began, when the handler was called first during
 * it (0: it was not), and when the call ended, in ns of CLOCK_MONOTONIC_RAW:
 *
 *	call pvm_barrier 1000 1400 2000
 */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TASKS = 3, ROUNDS = 6, ASK = 10, ANSWER, GO, DATA };

#define GROUP "handled"

static long long first;
static int handled;

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int answer(int mid)
{
	int bytes, tag, tid, old = pvm_setsbuf(pvm_mkbuf(PvmDataDefault));

	if (!first)
		first = now();
	handled++;
	pvm_bufinfo(mid, &bytes, &tag, &tid);
	usleep(2000);
	pvm_send(tid, ANSWER);
	pvm_freebuf(pvm_setsbuf(old));
	return 0;
}

static void enter(const char *call)
{
	int to[TASKS + 1], from[TASKS + 1] = { 1, 2, 3, 4 }, one[1] = { 5 };

	if (!strcmp(call, "pvm_barrier"))
		pvm_barrier(GROUP, TASKS + 1);
	else if (!strcmp(call, "pvm_reduce"))
		pvm_reduce(PvmSum, one, 1, PVM_INT, DATA, GROUP, 0);
	else if (!strcmp(call, "pvm_gather"))
		pvm_gather(to, one, 1, PVM_INT, DATA, GROUP, 0);
	else /* the first task waits for one that comes late */
		pvm_scatter(to, from, 1, PVM_INT, DATA, GROUP, 1);
}

static const char *const calls[] = { "pvm_barrier", "pvm_reduce", "pvm_gather",
				     "pvm_scatter" };
enum { CALLS = sizeof calls / sizeof *calls };

static void child(void)
{
	int parent = pvm_parent();

	pvm_joingroup(GROUP);
	pvm_recv(parent, GO);
	for (int i = 0; i < ROUNDS * CALLS; i++) {
		pvm_recv(parent, GO);
		usleep(20000);
		pvm_initsend(PvmDataDefault);
		pvm_send(parent, ASK);
		pvm_recv(parent, ANSWER);
		usleep(10000);
		enter(calls[i % CALLS]);
	}
	pvm_initsend(PvmDataDefault);
	pvm_send(parent, ASK);
	pvm_recv(parent, ANSWER);
	pvm_exit();
}

static void tell_to_go(const int *tids)
{
	pvm_initsend(PvmDataDefault);
	pvm_mcast((int *)(size_t)tids, TASKS, GO);
}

int main(int argc, char **argv)
{
	char *idle[] = { "idle", NULL };
	long long start, end;
	int tids[TASKS], tid;

	pvm_mytid();
	if (argc > 1) {
		pvm_exit();
		return 0;
	}
	if (pvm_parent() > 0) {
		child();
		return 0;
	}
	(void)argv;
	/* number 0 of the group */
	pvm_joingroup(GROUP);
	if (pvm_spawn("group_handled", NULL, PvmTaskDefault, NULL, TASKS,
		      tids) != TASKS)
		return 1;
	while (pvm_gsize(GROUP) < TASKS + 1)
		usleep(1000);
	pvm_addmhf(-1, ASK, pvm_getcontext(), answer);
	tell_to_go(tids);
	for (int i = 0; i < ROUNDS * CALLS; i++) {
		first = 0;
		tell_to_go(tids);
		start = now();
		enter(calls[i % CALLS]);
		end = now();
		printf("call %s %lld %lld %lld\n", calls[i % CALLS], start,
		       first, end);
		/* members of a reduction do not wait for its root */
		while (handled < (i + 1) * TASKS) {
			pvm_nrecv(-1, DATA + 100);
			usleep(1000);
		}
	}
	/* what the others send at the end is there, and not looked at */
	usleep(300000);
	first = 0;
	start = now();
	pvm_spawn("group_handled", idle, PvmTaskDefault, NULL, 1, &tid);
	end = now();
	printf("call pvm_spawn %lld %lld %lld\n", start, first, end);
	while (handled < (ROUNDS * CALLS + 1) * TASKS) {
		pvm_nrecv(-1, DATA + 100);
		usleep(1000);
	}
	pvm_exit();
	return 0;
}
