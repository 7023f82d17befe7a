/*
 * Message handlers that run while a task is in a collective call of a group, or
 * in pvm_spawn. The first task enters each collective call at once. The other
 * tasks send it a message 20 ms later, which a handler takes and answers after
 * 2 ms; then they enter the call, too. When the first task calls pvm_spawn, the
 * messages have come already. For each of its calls the first task prints its
 * start, the first call of the handler during it (0: none), and its end, in ns
 * of CLOCK_MONOTONIC_RAW:
 *
 *	call pvm_barrier 1000 1400 2000
 *
 * With an argument the program leaves at once: pvm_spawn starts it so.
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

static long long read_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int answer_request(int mid)
{
	int bytes, tag, tid, old = pvm_setsbuf(pvm_mkbuf(PvmDataDefault));

	if (!first)
		first = read_clock();
	handled++;
	pvm_bufinfo(mid, &bytes, &tag, &tid);
	usleep(2000);
	pvm_send(tid, ANSWER);
	pvm_freebuf(pvm_setsbuf(old));
	return 0;
}

static const char *const calls[] = {"pvm_barrier", "pvm_reduce", "pvm_gather",
				    "pvm_scatter", "pvm_spawn"};
enum { CALLS = sizeof calls / sizeof *calls };

static int is_spawn(const char *call)
{
	return !strcmp(call, "pvm_spawn");
}

static void make_call(const char *call)
{
	int to[TASKS + 1], from[TASKS + 1] = { 1, 2, 3, 4 }, one[1] = { 5 };
	char *idle[] = {"idle", NULL};

	if (is_spawn(call))
		pvm_spawn("group_handled", idle, PvmTaskDefault, NULL, 1, to);
	else if (!strcmp(call, "pvm_barrier"))
		pvm_barrier(GROUP, TASKS + 1);
	else if (!strcmp(call, "pvm_reduce"))
		pvm_reduce(PvmSum, one, 1, PVM_INT, DATA, GROUP, 0);
	else if (!strcmp(call, "pvm_gather"))
		pvm_gather(to, one, 1, PVM_INT, DATA, GROUP, 0);
	else /* from member 1: the first task, member 0, waits for it */
		pvm_scatter(to, from, 1, PVM_INT, DATA, GROUP, 1);
}

static void run_child(void)
{
	int parent = pvm_parent();

	pvm_joingroup(GROUP);
	pvm_recv(parent, GO);
	for (int i = 0; i < ROUNDS * CALLS; i++) {
		const char *call = calls[i % CALLS];

		pvm_recv(parent, GO);
		if (!is_spawn(call))
			usleep(20000);
		pvm_initsend(PvmDataDefault);
		pvm_send(parent, ASK);
		pvm_recv(parent, ANSWER);
		if (is_spawn(call))
			continue;
		usleep(10000);
		make_call(call);
	}
	pvm_exit();
}

static void tell_to_go(const int *tids)
{
	pvm_initsend(PvmDataDefault);
	pvm_mcast((int *)(size_t)tids, TASKS, GO);
}

int main(int argc, char **argv)
{
	long long start, end;
	int tids[TASKS];

	(void)argv;
	pvm_mytid();
	if (argc > 1) {
		pvm_exit();
		return 0;
	}
	if (pvm_parent() > 0) {
		run_child();
		return 0;
	}
	/* number 0 of the group */
	pvm_joingroup(GROUP);
	if (pvm_spawn("group_handled", NULL, PvmTaskDefault, NULL, TASKS,
		      tids) != TASKS)
		return 1;
	while (pvm_gsize(GROUP) < TASKS + 1)
		usleep(1000);
	pvm_addmhf(-1, ASK, pvm_getcontext(), answer_request);
	tell_to_go(tids);
	for (int i = 0; i < ROUNDS * CALLS; i++) {
		const char *call = calls[i % CALLS];

		first = 0;
		tell_to_go(tids);
		if (is_spawn(call))
			usleep(100000);
		start = read_clock();
		make_call(call);
		end = read_clock();
		printf("call %s %lld %lld %lld\n", call, start, first, end);
		/* members of a reduction do not wait for its root */
		while (handled < (i + 1) * TASKS) {
			pvm_nrecv(-1, DATA + 100);
			usleep(1000);
		}
	}
	pvm_exit();
	return 0;
}
