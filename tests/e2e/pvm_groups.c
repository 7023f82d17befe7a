/*
 * A PVM program whose groups are not what they were: of four tasks all meet,
 * then two of them in a barrier of two, then three while the last one has left,
 * then all again; each time what they reduce is printed.
 */
#include <pvm3.h>
#include <stdio.h>
#include <unistd.h>

enum { TASKS = 4, TAG_GO = 7, TAG_SUM };

static char group[64];

static void meet(int count)
{
	if (pvm_barrier(group, count) < 0)
		printf("no barrier of %d\n", count);
}

/* Of as many tasks as there are in the group. */
static void sum(int number)
{
	int value = number + 1;

	pvm_reduce(PvmSum, &value, 1, PVM_INT, TAG_SUM, group, 0);
	if (!number)
		printf("sum %d\n", value);
}

/* A message to those of these numbers. */
static void go(const int *numbers, int n)
{
	int tids[TASKS];

	for (int i = 0; i < n; i++)
		tids[i] = pvm_gettid(group, numbers[i]);
	pvm_initsend(PvmDataDefault);
	pvm_mcast(tids, n, TAG_GO);
}

int main(int argc, char **argv)
{
	int me = pvm_mytid(), parent = pvm_parent(), tids[TASKS], number, left;

	(void)argc;
	snprintf(group, sizeof group, "groups.%x", parent < 0 ? me : parent);
	number = pvm_joingroup(group);
	if (parent < 0 && pvm_spawn(argv[0], NULL, PvmTaskDefault, NULL,
				    TASKS - 1, tids) < TASKS - 1)
		return 2;
	meet(TASKS);
	sum(number);
	if (number % 2) {
		/* their numbers are not those below the count */
		meet(2);
		if (number > 1)
			go((int[]){ 0, 2 }, 2);
	} else {
		/* a group has one barrier at a time */
		pvm_recv(-1, TAG_GO);
	}
	meet(TASKS);
	if (number == TASKS - 1) {
		pvm_lvgroup(group);
		go((int[]){ 0, 1, 2 }, 3);
		pvm_recv(-1, TAG_GO);
		if (pvm_joingroup(group) != number)
			return 3;
	} else {
		pvm_bufinfo(pvm_recv(-1, TAG_GO), NULL, NULL, &left);
		meet(TASKS - 1);
		sum(number);
		meet(TASKS - 1);
		if (!number) {
			pvm_initsend(PvmDataDefault);
			pvm_send(left, TAG_GO);
		}
	}
	meet(TASKS);
	sum(number);
	meet(-1);
	pvm_exit();
	return 0;
}
