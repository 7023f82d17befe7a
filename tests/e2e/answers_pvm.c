/*
 * Planted faults in PVM: answers_pvm CASE. The first task spawns three others.
 * Others wait for a task that sleeps. The first task prints the truth as the
 * programs of answers.h do, with the tid of the task in place of its rank.
 * SECONDS is what all of them waited while that task slept.
 */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 5, TASKS = 4, SAY = 1, ASK, ANSWER };

static int me, tids[TASKS];

static void sleep_for(int ms)
{
	struct timespec left = {0, ms * 1000000L};

	while (nanosleep(&left, &left))
		;
}

static void send_number(int to, int tag)
{
	pvm_initsend(PvmDataDefault);
	pvm_pkint(&me, 1, 1);
	pvm_send(tids[to], tag); /* P_SEND */
}

static void receive_number(int from, int tag)
{
	int number;

	pvm_recv(tids[from], tag); /* P_RECV */
	pvm_upkint(&number, 1, 1);
}

static void print_truth(const char *mark, int task, double seconds)
{
	if (!me)
		printf("truth %s %d %.6f\n", mark, tids[task], seconds);
}

/* Task 2 comes late to each barrier. */
static void slow_task(void)
{
	char name[40];

	/* a group of this run only */
	snprintf(name, sizeof name, "answers%x", (unsigned)tids[0]);
	pvm_joingroup(name);
	for (int i = 0; i < STEPS; i++) {
		if (me == 2)
			sleep_for(40);
		pvm_barrier(name, TASKS); /* P_BARRIER */
	}
	pvm_lvgroup(name);
	print_truth("P_BARRIER", 2, STEPS * 40e-3 * (TASKS - 1));
}

static void late_sender(void)
{
	for (int i = 0; i < STEPS; i++) {
		if (me == 1)
			sleep_for(40);
		if (me == 1)
			send_number(0, SAY);
		if (me == 0)
			receive_number(1, SAY);
	}
	print_truth("P_SEND", 1, STEPS * 40e-3);
}

/* Each answer costs the first task 15 ms, while the others wait. */
static void serial_master(void)
{
	for (int i = 0; i < STEPS; i++) {
		if (me) {
			send_number(0, ASK);
			receive_number(0, ANSWER);
			continue;
		}
		for (int t = 1; t < TASKS; t++) {
			int number;

			receive_number(t, ASK);
			pvm_upkint(&number, 0, 1); /* P_ASKED */
			sleep_for(15);
			send_number(t, ANSWER);
		}
	}
	print_truth("P_ASKED", 0, STEPS * 15e-3 * (TASKS - 1));
}

/* Tells all tasks who they are. */
static int start_tasks(char **argv)
{
	char *arguments[] = {argv[1], NULL};

	tids[0] = pvm_mytid();
	if (pvm_parent() < 0) {
		if (pvm_spawn("answers_pvm", arguments, PvmTaskDefault, "",
			      TASKS - 1, tids + 1) != TASKS - 1)
			return 1;
		for (int t = 1; t < TASKS; t++) {
			pvm_initsend(PvmDataDefault);
			pvm_pkint(&t, 1, 1);
			pvm_pkint(tids, TASKS, 1);
			pvm_send(tids[t], 9);
		}
		return 0;
	}
	pvm_recv(pvm_parent(), 9);
	pvm_upkint(&me, 1, 1);
	pvm_upkint(tids, TASKS, 1);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 2 || start_tasks(argv)) {
		pvm_exit();
		return 1;
	}
	if (!strcmp(argv[1], "slow_task"))
		slow_task();
	else if (!strcmp(argv[1], "late_sender"))
		late_sender();
	else
		serial_master();
	pvm_exit();
	return 0;
}
