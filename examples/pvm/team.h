/*
 * The tasks of the PVM examples: one is started from the shell, spawns copies
 * of itself, and all of them form a group.
 *
 *	struct team t;
 *	team_open(&t, "jacobi", atoi(argv[1]), argv);
 *	if (t.rank == 0) ...		the one from the shell
 *	pvm_send(t.tid[t.rank + 1], 1);
 *	team_close(&t);
 *
 * A task's rank is its instance number in the group. All come out of team_open
 * and team_close together; on trouble all of them end.
 */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEAM_MOST = 128 };

struct team {
	char name[64]; /* of the group: no two runs have the same */
	int rank, ranks;
	int tid[TEAM_MOST];
};

/* The program cannot go on: the copies end before the word is said. */
static _Noreturn void team_fail(struct team *t, const char *why)
{
	for (int r = 0; r < t->ranks; r++)
		if (r != t->rank && t->tid[r] > 0)
			pvm_kill(t->tid[r]);
	fprintf(stderr, "%s: %s\n", t->name, why);
	pvm_exit();
	exit(1);
}

static void team_open(struct team *t, const char *program, int ranks,
		      char **argv)
{
	int me = pvm_mytid(), parent = pvm_parent(), copies = 0;

	*t = (struct team){ .ranks = ranks };
	snprintf(t->name, sizeof t->name, "%s-%x", program,
		 (unsigned)(parent == PvmNoParent ? me : parent));
	if (me < 0)
		team_fail(t, "there is no PVM");
	/* the first to join, before there is another, becomes rank 0 */
	t->rank = pvm_joingroup(t->name);
	if (t->rank < 0)
		team_fail(t, "there is no group");
	if (parent == PvmNoParent && ranks > 1)
		copies = pvm_spawn(argv[0], argv + 1, PvmTaskDefault, "",
				   ranks - 1, t->tid + 1);
	if (parent == PvmNoParent && copies < ranks - 1)
		team_fail(t, "not all tasks could be spawned");
	/* from here on the group's members are known without its server */
	if (pvm_freezegroup(t->name, ranks) < 0)
		team_fail(t, "the group is not complete");
	for (int r = 0; r < ranks; r++)
		t->tid[r] = pvm_gettid(t->name, r);
}

static void team_close(struct team *t)
{
	pvm_barrier(t->name, t->ranks);
	pvm_lvgroup(t->name);
	pvm_exit();
}
