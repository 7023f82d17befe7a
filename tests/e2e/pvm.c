/*
 * A PVM program whose tasks say themselves what they do: each writes a line
 * for each message that it sends or takes, and each call that packs, to the
 * file truth.TID, and the first one prints what came out.
 *
 *	pvm TASKS
 *	pvm wrong
 *
 * The second form calls what fails, and prints each result, errno and
 * pvm_errno.
 * Of the tasks spawned the first one leaves by pvm_exit, the second one ends
 * without, and the third one is killed.
 */
#include <errno.h>
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST 16

extern int pvm_errno;

static FILE *truth;
static int me, parent, n, tids[MOST + 1];
static char group[64];

static void sent(const char *call, int to, int tag)
{
	int bytes, t, from;

	pvm_bufinfo(pvm_getsbuf(), &bytes, &t, &from);
	fprintf(truth, "%s %d %d %d\n", call, to, tag, bytes);
}

static int took(const char *call, int buffer)
{
	int bytes, tag, from;

	if (buffer <= 0)
		return 0;
	pvm_bufinfo(buffer, &bytes, &tag, &from);
	fprintf(truth, "%s %d %d %d\n", call, from, tag, bytes);
	return from;
}

static void send_int(int to, int tag, int value)
{
	pvm_initsend(tag % 2 ? PvmDataDefault : PvmDataRaw);
	pvm_pkint(&value, 1, 1);
	fprintf(truth, "pvm_pkint 4\n");
	pvm_send(to, tag);
	sent("pvm_send", to, tag);
}

static int unpacked(void)
{
	int value = -1;

	pvm_upkint(&value, 1, 1);
	fprintf(truth, "pvm_upkint 4\n");
	return value;
}

static int number_of(int tid)
{
	for (int i = 0; i < n; i++)
		if (tids[i] == tid)
			return i;
	return n;
}

/* ---- the first task ---- */

static void wildcards(void)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		int from = took("pvm_recv", pvm_recv(-1, -1));

		sum += (number_of(from) + 1) * unpacked();
	}
	printf("wildcards %d\n", sum);
}

static void typed(void)
{
	double values[] = { 1, 2, 3 };
	char back[8] = "";
	int from, tag, bytes;

	pvm_psend(tids[0], 3, values, 3, PVM_DOUBLE);
	fprintf(truth, "pvm_psend %d 3 24\n", tids[0]);
	pvm_precv(-1, -1, back, sizeof back, PVM_BYTE, &from, &tag, &bytes);
	fprintf(truth, "pvm_precv %d %d %d\n", from, tag, bytes);
	printf("typed %d %d %s\n", tag, bytes, back);
}

static void polling(void)
{
	struct timeval soon = { 0, 20000 }, late = { 100, 0 };
	int buffer;

	/* not there, then there */
	printf("timeout %d\n", pvm_trecv(-1, 99, &soon));
	for (int i = 0; i < n; i++)
		send_int(tids[i], 4, i);
	for (int i = 0; i < n; i++) {
		while (!(buffer = pvm_nrecv(tids[i], 5)))
			;
		took("pvm_nrecv", buffer);
		printf("polled %d\n", unpacked());
		while (pvm_probe(tids[i], 6) <= 0)
			;
		took("pvm_trecv", pvm_trecv(tids[i], 6, &late));
		printf("probed %d\n", unpacked());
	}
}

static void contexts(void)
{
	int context = pvm_newcontext(), old;

	for (int i = 0; i < n; i++)
		send_int(tids[i], 7, context);
	old = pvm_setcontext(context);
	for (int i = 0; i < n; i++) {
		took("pvm_recv", pvm_recv(tids[i], 2));
		printf("context %d\n", unpacked());
	}
	pvm_setcontext(old);
	pvm_freecontext(context);
	for (int i = 0; i < n; i++) {
		took("pvm_recv", pvm_recv(tids[i], 2));
		printf("back %d\n", unpacked());
	}
}

/* ---- all of them ---- */

static void groups(void)
{
	int all = n + 1, mine = me & 0xff, sums[2] = { 1, 2 };
	int *parts = calloc((size_t)all, sizeof *parts);
	int number = pvm_joingroup(group);

	if (parent < 0) {
		for (int i = 0; i < n; i++)
			send_int(tids[i], 9, 0);
	} else if (number < 1) {
		printf("number %d\n", number);
	}
	pvm_barrier(group, all);
	if (parent < 0) {
		pvm_initsend(PvmDataDefault);
		pvm_pkint(&all, 1, 1);
		fprintf(truth, "pvm_pkint 4\n");
		pvm_bcast(group, 8);
		sent("pvm_bcast", 0, 8);
	} else {
		took("pvm_recv", pvm_recv(parent, 8));
		unpacked();
	}
	mine = 10;
	pvm_reduce(PvmSum, sums, 2, PVM_INT, 11, group, 0);
	pvm_gather(parts, &mine, 1, PVM_INT, 12, group, 0);
	if (parent < 0)
		printf("groups %d %d %d %d\n", sums[0], sums[1], parts[0],
		       parts[all - 1]);
	pvm_scatter(&mine, parts, 1, PVM_INT, 13, group, 0);
	pvm_barrier(group, all);
	free(parts);
}

/* ---- the others ---- */

static void slave(void)
{
	double values[3] = { 0 };
	int from, tag, items, context, old, mine;
	char text[16] = "";

	took("pvm_recv", pvm_recv(parent, 1));
	n = unpacked();
	pvm_upkint(tids, n, 1);
	fprintf(truth, "pvm_upkint %d\n", 4 * n);
	mine = number_of(me);
	send_int(parent, 20 + mine, mine + 1);
	if (!mine) {
		pvm_precv(parent, 3, values, 3, PVM_DOUBLE, &from, &tag,
			  &items);
		fprintf(truth, "pvm_precv %d 3 24\n", parent);
		pvm_psend(parent, 33, "seven", 6, PVM_BYTE);
		fprintf(truth, "pvm_psend %d 33 6\n", parent);
	}
	took("pvm_recv", pvm_recv(parent, 4));
	send_int(parent, 5, mine);
	send_int(parent, 6, 10 * mine);
	took("pvm_recv", pvm_recv(-1, 7));
	context = unpacked();
	/* two with the same tag, in the wrong order but for the context */
	send_int(parent, 2, 100 + mine);
	old = pvm_setcontext(context);
	send_int(parent, 2, 200 + mine);
	pvm_setcontext(old);
	took("pvm_recv", pvm_recv(parent, 9));
	groups();
	took("pvm_recv", pvm_recv(parent, 10));
	pvm_unpackf("%d %s", &items, text);
	fprintf(truth, "pvm_unpackf 0\n");
	pvm_lvgroup(group);
	send_int(parent, 14, items + (int)strlen(text));
	/* without pvm_exit a last message may be lost */
	took("pvm_recv", pvm_recv(parent, 15));
	if (mine == 1)
		exit(0);
	if (mine == 2) {
		fclose(truth);
		truth = fopen("ready", "w");
		pvm_recv(-1, 77); /* until it is killed */
	}
	pvm_exit();
}

/* The stack is deeper at this call than within that of pvm_exit. */
static int deep(void)
{
	volatile char room[1 << 16];

	room[0] = 1;
	return room[0] * pvm_mytid();
}

static void master(const char *program)
{
	char *args[] = { (char *)"slave", NULL };
	int got;

	unlink("ready");
	got = pvm_spawn((char *)program, args, PvmTaskDefault, NULL, n,
			tids);
	if (got != n) {
		printf("spawned %d\n", got);
		pvm_exit();
		exit(1);
	}
	pvm_initsend(PvmDataDefault);
	pvm_pkint(&n, 1, 1);
	pvm_pkint(tids, n, 1);
	fprintf(truth, "pvm_pkint 4\npvm_pkint %d\n", 4 * n);
	pvm_mcast(tids, n, 1);
	sent("pvm_mcast", 0, 1);
	wildcards();
	typed();
	polling();
	contexts();
	groups();
	for (int i = 0; i < n; i++) {
		pvm_packf("%+ %d %s", PvmDataDefault, 42, "text");
		fprintf(truth, "pvm_packf 0\n");
		pvm_send(tids[i], 10);
		sent("pvm_send", tids[i], 10);
		took("pvm_recv", pvm_recv(tids[i], 14));
		printf("format %d\n", unpacked());
		send_int(tids[i], 15, 0);
	}
	while (n > 2 && access("ready", F_OK))
		usleep(1000);
	if (n > 2)
		pvm_kill(tids[2]);
	pvm_lvgroup(group);
	deep();
	pvm_exit();
}

/* ---- what fails ---- */

static int fails(int rc)
{
	int e = errno;

	printf("%d %d %d\n", rc, e, pvm_errno);
	errno = 7;
	return rc;
}

static int wrong(void)
{
	int value = 1, t, list[2] = { 1, 2 };
	struct timeval none = { 0, 0 };

	errno = 7;
	fails(pvm_send(pvm_mytid() + 77, 1));
	pvm_initsend(PvmDataDefault);
	fails(pvm_send(0x7fffffff, 1));
	fails(pvm_send(pvm_mytid(), -3));
	fails(pvm_mcast(list, -1, 1));
	fails(pvm_nrecv(-7, 1));
	fails(pvm_probe(-7, 1));
	fails(pvm_trecv(-1, 1, &none));
	fails(pvm_psend(-7, 1, &value, 1, 99));
	fails(pvm_upkint(&value, 1, 1));
	fails(pvm_pkint(&value, -1, 1));
	fails(pvm_unpackf("%q", &value));
	fails(pvm_setrbuf(12345));
	fails(pvm_freebuf(12345));
	fails(pvm_setcontext(12345) < 0);
	fails(pvm_getinst((char *)"nobody", pvm_mytid()));
	fails(pvm_barrier((char *)"nobody", 1));
	fails(pvm_bcast((char *)"nobody", 1));
	fails(pvm_reduce(PvmSum, &value, 1, PVM_INT, 1, (char *)"nobody", 0));
	fails(pvm_spawn((char *)"/nonexistent", NULL, 0, NULL, 1, &t));
	return pvm_exit();
}

int main(int argc, char **argv)
{
	char name[64];

	if (argc > 1 && !strcmp(argv[1], "wrong"))
		return wrong();

	me = pvm_mytid();
	parent = pvm_parent();
	n = parent < 0 && argc > 1 ? atoi(argv[1]) : 0;
	if (me < 0 || n > MOST)
		return 2;
	snprintf(name, sizeof name, "truth.%d", me);
	truth = fopen(name, "w");
	snprintf(group, sizeof group, "tape.%x", parent < 0 ? me : parent);
	if (parent < 0)
		master(argv[0]);
	else
		slave();
	fclose(truth);
	return parent < 0 ? 3 : 0;
}
