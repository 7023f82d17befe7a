/*
 * Two tasks that talk in turn: the second only when it was spoken to. In the
 * first door's trace and in the second's are the same events.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#include "pvm3.h"

#define PACK(x) \
	pvm_pkint(&(x), 1, 1)

enum { ASK = 3, ANSWER = 7, LAST = 40 };

static int answer(int to, int value)
{
	pvm_initsend(PvmDataDefault);
	PACK(value);
	return pvm_send /* to who asked */ (to,
		ANSWER);
}

static int slave(int master)
{
	int value = 0;

	while (value != LAST) {
		pvm_recv(master, ASK);
		pvm_upkint(&value, 1, 1);
		answer(master, value);
	}
	return pvm_exit();
}

static int ask(int slave, int value)
{
	int (*send)(int, int) = pvm_send;
	struct timeval limit = { 60, 0 };
	int got = -1;

	pvm_initsend(PvmDataDefault);
	pvm_packf("%d", value);
	value % 2 ? pvm_send(slave, ASK) : send(slave, ASK);
	pvm_trecv(slave, ANSWER, &limit);
	pvm_upkint(&got, 1, 1);
	return got;
}

static int by_size(int buffer, int tid, int tag)
{
	int bytes, with, from;

	pvm_bufinfo(buffer, &bytes, &with, &from);
	return (tid == -1 || tid == from) && (tag == -1 || tag == with);
}

int main(int argc, char **argv)
{
	int slave_tid, sum = 0, master, got;

	(void)argc;
	if ((master = pvm_parent()) > 0)
		return slave(master);
	pvm_catchout(stdout);
	if (pvm_spawn(argv[0], NULL, PvmTaskDefault, NULL, 1, &slave_tid) != 1)
		return 1;
#if 0
	pvm_barrier(not code);
#endif
	for (int i = 1; i < LAST; i++)
		sum += ask(slave_tid, i);
	pvm_recvf(by_size);
	got = ask(slave_tid, LAST);
	printf("%s:%d %s %d %d\n", __FILE__, __LINE__, __func__, sum, got);
	pvm_catchout(NULL);
	return pvm_exit();
}
