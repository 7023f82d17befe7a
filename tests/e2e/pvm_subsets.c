/*
 * Barriers of one group by ever different members of it, two or three at a
 * time: "pvm_subsets SEED ROUNDS". Who meets in which round follows from the
 * seed; the first of a round tells those of the next when it is over, for the
 * server would take anybody who comes. Each task writes the rounds it was in to
 * truth.TID.
 */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>

enum { TASKS = 5, TAG_GO = 3 };

static unsigned state;

static unsigned chance(unsigned n)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 16) % n;
}

/* The members of the next round, their number is the result. */
static int draw(int *members)
{
	int all[TASKS], n = 2 + (int)chance(2);

	for (int i = 0; i < TASKS; i++)
		all[i] = i;
	for (int i = 0; i < n; i++) {
		int k = i + (int)chance((unsigned)(TASKS - i));

		members[i] = all[k];
		all[k] = all[i];
	}
	return n;
}

static int is_in(const int *members, int n, int me)
{
	for (int i = 0; i < n; i++)
		if (members[i] == me)
			return 1;
	return 0;
}

static void go(const char *group, const int *members, int n, int round)
{
	for (int i = 0; i < n; i++) {
		pvm_initsend(PvmDataDefault);
		pvm_pkint(&round, 1, 1);
		pvm_send(pvm_gettid((char *)group, members[i]), TAG_GO);
	}
}

static int work(const char *group, int me, unsigned seed, int rounds)
{
	static const int all[TASKS] = { 0, 1, 2, 3, 4 };
	int now[TASKS], next[TASKS], n, more, told;
	char name[64];
	FILE *truth;

	snprintf(name, sizeof name, "truth.%d", pvm_mytid());
	truth = fopen(name, "w");
	state = seed;
	n = draw(now);
	for (int round = 0; truth && round < rounds; round++) {
		more = draw(next);
		if (is_in(now, n, me)) {
			if (round) {
				pvm_recv(-1, TAG_GO);
				pvm_upkint(&told, 1, 1);
				if (told != round)
					return 3;
			}
			if (pvm_barrier((char *)group, n) < 0)
				return 4;
			fprintf(truth, "%d\n", round);
			if (me == now[0])
				go(group, round + 1 < rounds ? next : all,
				   round + 1 < rounds ? more : TASKS,
				   round + 1);
		}
		n = more;
		for (int i = 0; i < n; i++)
			now[i] = next[i];
	}
	/* a group has one barrier at a time */
	pvm_recv(-1, TAG_GO);
	return !truth || fclose(truth);
}

int main(int argc, char **argv)
{
	int me = pvm_mytid(), parent = pvm_parent(), tids[TASKS], number, rc;
	char group[64];

	if (argc < 3)
		return 2;
	snprintf(group, sizeof group, "subsets.%x", parent < 0 ? me : parent);
	number = pvm_joingroup(group);
	if (parent < 0 && pvm_spawn(argv[0], argv + 1, PvmTaskDefault, NULL,
				    TASKS - 1, tids) < TASKS - 1)
		return 2;
	pvm_barrier(group, TASKS);
	rc = work(group, number, (unsigned)atoi(argv[1]), atoi(argv[2]));
	pvm_barrier(group, TASKS);
	pvm_exit();
	printf("task %d: %d\n", number, rc);
	return rc;
}
