/*
 * "pvm_streamed WAVES N": in each wave the master spawns a task, which echoes N
 * numbers and leaves. Prints their sum.
 */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAG_NUMBER = 1, TAG_ECHO };

static void say(int tid, int tag, int what)
{
	pvm_initsend(PvmDataDefault);
	pvm_pkint(&what, 1, 1);
	pvm_send(tid, tag);
}

static int hear(int tid, int tag)
{
	int what = 0;

	pvm_recv(tid, tag);
	pvm_upkint(&what, 1, 1);
	return what;
}

int main(int argc, char **argv)
{
	int waves = argc > 1 ? atoi(argv[1]) : 1;
	int n = argc > 2 ? atoi(argv[2]) : 1;
	int master, tid;
	long sum = 0;

	pvm_mytid();
	master = pvm_parent();
	if (master > 0) {
		for (int i = 0; i < n; i++)
			say(master, TAG_ECHO, hear(master, TAG_NUMBER));
		pvm_exit();
		return 0;
	}
	for (int w = 0; w < waves; w++) {
		if (pvm_spawn(argv[0], argv + 1, PvmTaskDefault, "", 1, &tid) !=
		    1)
			return 1;
		for (int i = 0; i < n; i++) {
			say(tid, TAG_NUMBER, i);
			sum += hear(tid, TAG_ECHO);
		}
	}
	printf("%ld\n", sum);
	pvm_exit();
	return 0;
}
