/*
 * "pvm_churn ROUNDS": five tasks, each of which joins a group, reduces with the
 * others, leaves it, and comes back. Numbers in the group change from round to
 * round, and so does the root. One comes to the reduction only when others have
 * made their part and left: all that PVM asks for is that the one that adds up
 * has counted the members. Every fifth round the last of the tasks stays away;
 * every seventh they gather and scatter too. At the end the tasks send each
 * other messages that functions take (pvm_addmhf), one of which answers. The
 * sums are printed.
 */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TASKS = 5, TAG_TASKS = 90, TAG_SUM, TAG_GATHER, TAG_SCATTER, TAG_LEFT,
       TAG_TOLD, TAG_ASKED, TAG_ANSWER, TAG_END };

static int tids[TASKS], me, told, answers;
static char group[64];

int pvm_grphostinfo(char *name, int host, int *adder, int *here, int *hosts);

/* ---- the one that adds up has counted who is in the group ---- */

static char counted[64];

static void add(int *type, void *x, void *y, int *n, int *rc)
{
	FILE *f = fopen(counted, "w");

	PvmSum(type, x, y, n, rc);
	if (f)
		fclose(f);
}

static void wait_for_count(void)
{
	while (access(counted, F_OK))
		usleep(200);
}

/* ---- one round ---- */

static int tell(int tid)
{
	pvm_initsend(PvmDataDefault);
	return pvm_send(tid, TAG_LEFT);
}

/* The last of the members that neither adds up nor is the root. */
static int slow_one(int n, int adder, int root)
{
	while (tids[n - 1] == adder || tids[n - 1] == root)
		n--;
	return tids[n - 1];
}

static int reduce(int n, int round, int *sum)
{
	int here, hosts, adder, root = pvm_gettid(group, round % n), slow, rc;
	int mine = pvm_mytid(), quick = n - 2;

	if (pvm_grphostinfo(group, pvm_tidtohost(mine), &adder, &here,
			    &hosts) < 0)
		return -1;
	slow = slow_one(n, adder, root);
	quick -= root != adder;
	for (int i = 0; mine == slow && i < quick; i++)
		pvm_recv(-1, TAG_LEFT);
	rc = pvm_reduce(add, sum, 1, PVM_INT, TAG_SUM, group, round % n);
	if (mine == slow || mine == root || mine == adder)
		return rc;
	wait_for_count();
	if (pvm_lvgroup(group) < 0)
		return -1;
	return tell(slow) < 0 ? -1 : 1;
}

/* One round of n tasks. */
static int meet(int n, int round)
{
	int one[2] = { round + me, 1 }, all[2 * TASKS], mine[2] = { 0, 0 };
	int sum = one[0], number = pvm_joingroup(group), left;

	if (number < 0 || pvm_barrier(group, n) < 0)
		return -1;
	if (round % 7 == 0) {
		pvm_gather(all, one, 2, PVM_INT, TAG_GATHER, group, 0);
		pvm_scatter(mine, all, 2, PVM_INT, TAG_SCATTER, group, 0);
		if (mine[0] != one[0] || mine[1] != 1)
			return -1;
	}
	snprintf(counted, sizeof counted, "counted.%d", round);
	left = reduce(n, round, &sum);
	if (left < 0 || (!left && pvm_lvgroup(group) < 0))
		return -1;
	return number == round % n ? sum : 0;
}

/* Who is told all rounds are over by the first task. */
static void wait_for_all(int n)
{
	if (!me) {
		for (int i = 1; i < n; i++)
			pvm_recv(-1, TAG_END);
		pvm_initsend(PvmDataDefault);
		pvm_mcast(tids + 1, n - 1, TAG_END);
	} else {
		pvm_initsend(PvmDataDefault);
		pvm_send(tids[0], TAG_END);
		pvm_recv(tids[0], TAG_END);
	}
}

/* ---- messages that functions take ---- */

static int take(int mid)
{
	int n, old = pvm_setrbuf(mid);

	pvm_upkint(&n, 1, 1);
	told += n;
	pvm_setrbuf(old);
	pvm_freebuf(mid);
	return 0;
}

static int answer(int mid)
{
	int n, bytes, tag, from, old = pvm_setrbuf(mid), send;

	pvm_bufinfo(mid, &bytes, &tag, &from);
	pvm_upkint(&n, 1, 1);
	n++;
	send = pvm_setsbuf(pvm_mkbuf(PvmDataDefault));
	pvm_pkint(&n, 1, 1);
	pvm_send(from, TAG_ANSWER);
	pvm_freebuf(pvm_setsbuf(send));
	pvm_setrbuf(old);
	pvm_freebuf(mid);
	return 0;
}

static void send_one(int to, int tag, int n)
{
	pvm_initsend(PvmDataDefault);
	pvm_pkint(&n, 1, 1);
	pvm_send(tids[to], tag);
}

static void functions(void)
{
	int context = pvm_getcontext(), n;

	pvm_addmhf(-1, TAG_TOLD, context, take);
	pvm_addmhf(-1, TAG_ASKED, context, answer);
	wait_for_all(TASKS);
	for (int k = 0; k < 10; k++)
		for (int i = 1; i < TASKS; i++)
			send_one((me + i) % TASKS, TAG_TOLD, k);
	for (int i = 1; i < TASKS; i++)
		send_one((me + i) % TASKS, TAG_ASKED, i);
	for (int i = 1; i < TASKS; i++) {
		pvm_recv(-1, TAG_ANSWER);
		pvm_upkint(&n, 1, 1);
		answers += n;
	}
	wait_for_all(TASKS);
}

int main(int argc, char **argv)
{
	int parent, rounds = argc > 1 ? atoi(argv[1]) : 0, n, sum = 0, got;

	pvm_mytid();
	parent = pvm_parent();
	if (parent < 0) {
		tids[0] = pvm_mytid();
		if (pvm_spawn(argv[0], argv + 1, PvmTaskDefault, NULL,
			      TASKS - 1, tids + 1) < TASKS - 1)
			return 2;
		pvm_initsend(PvmDataDefault);
		pvm_pkint(tids, TASKS, 1);
		pvm_mcast(tids + 1, TASKS - 1, TAG_TASKS);
	} else {
		pvm_recv(parent, TAG_TASKS);
		pvm_upkint(tids, TASKS, 1);
	}
	while (tids[me] != pvm_mytid())
		me++;
	snprintf(group, sizeof group, "churn.%x", tids[0]);
	for (int round = 0; round < rounds; round++) {
		n = round % 5 == 4 ? TASKS - 1 : TASKS;
		if (me < n) {
			got = meet(n, round);
			if (got < 0)
				return 3;
			sum += got;
		}
		wait_for_all(TASKS);
	}
	functions();
	got = sum;
	pvm_joingroup(group);
	pvm_barrier(group, TASKS);
	pvm_reduce(PvmSum, &got, 1, PVM_INT, TAG_SUM, group,
		   pvm_getinst(group, tids[0]));
	pvm_barrier(group, TASKS);
	if (!me)
		printf("sum %d told %d answers %d\n", got, told, answers);
	pvm_exit();
	return 0;
}
