/*
 * "pvm_brief TASKS WAY": the first task spawns TASKS tasks, one on each host in
 * turn. Each sends a number, hears of it and ends as WAY says: exit (pvm_exit),
 * return (without it), kill (by a signal). Prints how many numbers came.
 */
#include <pvm3.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAG = 1 };

int main(int argc, char **argv)
{
	int tasks = atoi(argv[1]), hosts, parent, came = 0;
	struct pvmhostinfo *host;

	pvm_mytid();
	parent = pvm_parent();
	if (parent > 0) {
		pvm_initsend(PvmDataDefault);
		pvm_pkint(&tasks, 1, 1);
		pvm_send(parent, TAG);
		/* what PVM itself has not sent it loses */
		pvm_recv(parent, TAG);
		if (!strcmp(argv[2], "kill"))
			raise(SIGKILL);
		if (!strcmp(argv[2], "exit"))
			pvm_exit();
		return 0;
	}
	pvm_config(&hosts, NULL, &host);
	for (int i = 0; i < tasks; i++) {
		int tid;

		if (pvm_spawn("brief", argv + 1, PvmTaskHost,
			      host[i % hosts].hi_name, 1, &tid) != 1)
			continue;
		came += pvm_recv(tid, TAG) > 0;
		pvm_initsend(PvmDataDefault);
		pvm_send(tid, TAG);
	}
	printf("%d\n", came);
	pvm_exit();
	return 0;
}
