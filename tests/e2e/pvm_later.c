/*
 * A PVM program whose tasks come one after the other:
 *
 *	pvm_later TASKS
 *
 * TASKS times it has a task on each of the other hosts, waits until they are
 * gone, and for a second and a half more.
 */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ASK = 1, ANSWER, GONE, MOST = 16 };

static int help(int parent)
{
	pvm_recv(parent, ASK);
	pvm_initsend(PvmDataDefault);
	pvm_send(parent, ANSWER);
	return pvm_exit();
}

static int hire(char *program, char *host)
{
	int tid;

	if (pvm_spawn(program, NULL, PvmTaskHost, host, 1, &tid) != 1) {
		fprintf(stderr, "pvm_later: nothing is spawned on %s\n", host);
		exit(1);
	}
	pvm_notify(PvmTaskExit, GONE, 1, &tid);
	pvm_initsend(PvmDataDefault);
	pvm_send(tid, ASK);
	return tid;
}

int main(int argc, char **argv)
{
	int me = pvm_mytid(), parent = pvm_parent(), hosts, arch;
	struct pvmhostinfo *host;

	if (parent > 0)
		return help(parent);
	if (argc != 2 || me < 0 || pvm_config(&hosts, &arch, &host) < 0 ||
	    hosts > MOST)
		return 2;
	for (int n = atoi(argv[1]); n > 0; n--) {
		int tids[MOST];

		for (int i = 1; i < hosts; i++)
			tids[i] = hire(argv[0], host[i].hi_name);
		for (int i = 1; i < hosts; i++)
			pvm_recv(tids[i], ANSWER);
		for (int i = 1; i < hosts; i++)
			pvm_recv(-1, GONE);
		usleep(1500000);
	}
	return pvm_exit();
}
