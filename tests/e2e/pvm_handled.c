/*
 * Messages that PVM hands to a function while a task sends to several: each
 * of TASKS tasks sends one to the first task, which is busy meanwhile. Then
 * that one calls pvm_mcast or pvm_bcast, inside of which the function takes
 * them, rests a while and answers. The first task prints for each such call
 * when it began, when the function was called first (0: not inside of the
 * call), when the call ended, in ns of CLOCK_MONOTONIC_RAW, and how many
 * messages it took since the round began:
 *
 *	call pvm_mcast 1000 1400 2000 3
 */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { TASKS = 3, ROUNDS = 4, ASK = 10, ANSWER, ALL, GO };

static int handled;
static long long first;

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int take(int mid)
{
	int bytes, tag, tid, old = pvm_setsbuf(pvm_mkbuf(PvmDataDefault));

	if (!first)
		first = now();
	pvm_bufinfo(mid, &bytes, &tag, &tid);
	usleep(2000);
	pvm_send(tid, ANSWER);
	pvm_freebuf(pvm_setsbuf(old));
	handled++;
	return 0;
}

static void child(void)
{
	int parent = pvm_parent();

	pvm_joingroup("handled");
	pvm_barrier("handled", TASKS + 1);
	for (int i = 0; i < 2 * ROUNDS; i++) {
		pvm_recv(parent, GO);
		/* the others have heard it by then */
		usleep(20000);
		pvm_initsend(PvmDataDefault);
		pvm_send(parent, ASK);
		pvm_recv(parent, ALL);
		pvm_recv(parent, ANSWER);
	}
	pvm_exit();
}

int main(void)
{
	int tids[TASKS], n = 7;

	pvm_mytid();
	if (pvm_parent() > 0) {
		child();
		return 0;
	}
	if (pvm_spawn("handled", NULL, PvmTaskDefault, NULL, TASKS, tids) !=
	    TASKS)
		return 1;
	pvm_joingroup("handled");
	pvm_barrier("handled", TASKS + 1);
	pvm_addmhf(-1, ASK, pvm_getcontext(), take);
	for (int i = 0; i < 2 * ROUNDS; i++) {
		const char *call = i % 2 ? "pvm_bcast" : "pvm_mcast";
		long long start, end;
		int before = handled;

		for (int k = 0; k < TASKS; k++) {
			pvm_initsend(PvmDataDefault);
			pvm_send(tids[k], GO);
		}
		/* they are there by now, and nobody has looked */
		usleep(100000);
		pvm_initsend(PvmDataDefault);
		pvm_pkint(&n, 1, 1);
		first = 0;
		start = now();
		if (i % 2)
			pvm_bcast("handled", ALL);
		else
			pvm_mcast(tids, TASKS, ALL);
		end = now();
		printf("call %s %lld %lld %lld %d\n", call, start, first, end,
		       handled - before);
		/* until all have been answered */
		while (handled < (i + 1) * TASKS) {
			pvm_nrecv(-1, ALL + 100);
			usleep(1000);
		}
	}
	pvm_exit();
	return 0;
}
