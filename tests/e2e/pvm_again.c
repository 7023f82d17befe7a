/*
 * A process that is a task as often as its argument says: each time it sends
 * itself a message, and leaves but for the last time. In between it is none.
 * From the second time on it meets at a barrier, too: what a task defines is
 * not that of the one before.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

/* From deeper inside of the program than what pvm_exit calls itself. */
static void ask_from_below(void)
{
	char room[65536];

	memset(room, 0, sizeof room);
	pvm_probe(-1, -1);
	/* whatever there is on the stack stays until then */
	__asm__ volatile("" : : "r"(room) : "memory");
}

static int turn(int n)
{
	int me = pvm_mytid(), x = n;

	pvm_initsend(PvmDataDefault);
	pvm_pkint(&x, 1, 1);
	pvm_send(me, n);
	x = 0;
	pvm_recv(me, n);
	pvm_upkint(&x, 1, 1);
	return x;
}

static void meet(void)
{
	pvm_joingroup("again");
	pvm_barrier("again", 1);
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 3;

	for (int i = 1; i < times; i++) {
		printf("%d\n", turn(i));
		if (i > 1)
			meet();
		ask_from_below();
		pvm_exit();
		printf("again: %d\n", pvm_exit());
	}
	printf("%d\n", turn(times));
	meet();
	return 0;
}
