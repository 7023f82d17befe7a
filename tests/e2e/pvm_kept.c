/*
 * What PVM's calls leave as it was, by the first argument:
 *
 *	group      whether errors are said, by a collective of a group
 *	exports    the environment, by spawns that work and that fail
 *	precv      where the results of pvm_precv go, when it fails
 *	match      how often the program's matching function is called
 *	polls      nothing: runs of failed receives, a long one and short ones
 *	numbers    nothing: two tasks of a group change their numbers in it
 *	hosts      in tasks on the other hosts whose first call is a receive,
 *	           or pvm_recvf: what was received, who matches
 *
 * The tasks that it spawns do nothing, but for the last.
 */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ASK = 3, ANSWER, MOST = 16 };

static int matched;

/* As PVM's own: the first that fits. */
static int match(int buffer, int tid, int tag)
{
	int bytes, with, from;

	matched++;
	pvm_bufinfo(buffer, &bytes, &with, &from);
	return (tid == -1 || tid == from) && (tag == -1 || tag == with);
}

static void send_int(int to, int tag, int value)
{
	pvm_initsend(PvmDataDefault);
	pvm_pkint(&value, 1, 1);
	pvm_send(to, tag);
}

static int received(int from, int tag)
{
	int value = -1;

	if (pvm_recv(from, tag) > 0)
		pvm_upkint(&value, 1, 1);
	return value;
}

static void group(void)
{
	char name[64];
	int value = 5;

	snprintf(name, sizeof name, "kept.%x", pvm_mytid());
	pvm_joingroup(name);
	for (int said = 0; said < 3; said++) {
		pvm_setopt(PvmAutoErr, said ? said : 1);
		/* it changes, and is asked about again */
		pvm_lvgroup(name);
		pvm_joingroup(name);
		pvm_reduce(PvmSum, &value, 1, PVM_INT, 9, name, 0);
		printf("said %d\n", pvm_getopt(PvmAutoErr));
	}
	pvm_setopt(PvmAutoErr, 1);
	pvm_send(-7, 1);
	pvm_lvgroup(name);
}

static void spawn(const char *program)
{
	const char *exported;
	int tid, rc = pvm_spawn((char *)program, NULL, PvmTaskDefault, NULL, 1,
				&tid);

	exported = getenv("PVM_EXPORT");
	printf("%d %s\n", rc, exported ? exported : "not set");
}

static void exports(const char *program)
{
	pvm_setopt(PvmAutoErr, 0);
	spawn(program);
	spawn("/nonexistent");
	setenv("PVM_EXPORT", "HOME", 1);
	spawn(program);
	spawn("/nonexistent");
	setenv("PVM_EXPORT", "", 1);
	spawn(program);
	printf("run %s\n", pvm_mytid() > 0 ? "known"
			   : getenv("TAPE_RUN") ? "left behind" : "none");
}

static void precv(void)
{
	int tid = 11, tag = 12, length = 13, value = 14;
	int rc = pvm_precv(-1, 1, &value, 1, 99, &tid, &tag, &length);

	printf("%d: %d %d %d %d\n", rc, tid, tag, length, value);
}

static void matching(void)
{
	int me = pvm_mytid(), value = 21;

	pvm_recvf(match);
	for (int i = 0; i < 3; i++) {
		send_int(me, ASK, i);
		matched = 0;
		printf("%d", received(me, ASK));
		printf(" matched %d\n", matched);
	}
	pvm_psend(me, ASK, &value, 1, PVM_INT);
	matched = 0;
	pvm_precv(me, ASK, &value, 1, PVM_INT, NULL, NULL, NULL);
	printf("%d matched %d\n", value, matched);
	pvm_recvf(NULL);
}

static void polls(void)
{
	for (int i = 0; i < 20000; i++)
		pvm_nrecv(-1, ASK);
	for (int i = 0; i < 20; i++) {
		pvm_getrbuf();
		pvm_nrecv(-1, ASK);
	}
	printf("nothing\n");
}

/* Two tasks in turn; each collective is of both, the root is number 0. */
static void numbers(int parent, const char *program)
{
	char name[64], *args[] = { (char *)"number", NULL };
	int other = parent, number[2], values[2] = { 1, 2 };

	snprintf(name, sizeof name, "kept.%x",
		 parent > 0 ? parent : pvm_mytid());
	if (parent < 0)
		number[0] = pvm_joingroup(name);
	if (parent < 0 && pvm_spawn((char *)program, args, PvmTaskDefault,
				    NULL, 1, &other) != 1)
		return;
	if (parent > 0)
		number[0] = pvm_joingroup(name);
	pvm_barrier(name, 2);
	pvm_reduce(PvmSum, values, 2, PVM_INT, 9, name, 0);
	pvm_barrier(name, 2);
	pvm_lvgroup(name);
	if (parent < 0) {
		send_int(other, ASK, 0);
		received(other, ANSWER);
		number[1] = pvm_joingroup(name);
	} else {
		received(other, ASK);
		number[1] = pvm_joingroup(name);
		send_int(other, ANSWER, 0);
	}
	pvm_barrier(name, 2);
	pvm_reduce(PvmSum, values, 2, PVM_INT, 9, name, 0);
	pvm_barrier(name, 2);
	if (parent < 0)
		printf("numbers %d %d\n", number[0], number[1]);
}

static int received_first(void)
{
	int value = received(-1, ASK);

	send_int(pvm_parent(), ANSWER, value + 1);
	return pvm_exit();
}

static int matched_first(void)
{
	int value;

	pvm_recvf(match);
	value = received(-1, ASK);
	matched = 0;
	value += 100 * received(-1, ASK);
	send_int(pvm_parent(), ANSWER, matched ? value : -2);
	return pvm_exit();
}

static void on(char *host, const char *program, const char *what)
{
	char *args[] = { (char *)what, NULL };
	int tid, rc = pvm_spawn((char *)program, args, PvmTaskHost, host, 1,
				&tid);

	if (rc == 1) {
		send_int(tid, ASK, 41);
		send_int(tid, ASK, 42);
		printf("%s %d\n", what, received(tid, ANSWER));
	}
}

static void hosts(const char *program)
{
	struct pvmhostinfo *host;
	int n = 0, arch;

	pvm_config(&n, &arch, &host);
	printf("hosts %d\n", n);
	for (int i = 1; i < n; i++)
		on(host[i].hi_name, program, i % 2 ? "receive" : "recvf");
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	if (!strcmp(mode, "receive"))
		return received_first();
	if (!strcmp(mode, "recvf"))
		return matched_first();
	if (!strcmp(mode, "number"))
		numbers(pvm_parent(), NULL);
	else if (!strcmp(mode, "numbers"))
		numbers(-1, argv[0]);
	else if (!strcmp(mode, "group"))
		group();
	else if (!strcmp(mode, "exports"))
		exports(argv[0]);
	else if (!strcmp(mode, "precv"))
		precv();
	else if (!strcmp(mode, "match"))
		matching();
	else if (!strcmp(mode, "polls"))
		polls();
	else if (!strcmp(mode, "hosts"))
		hosts(argv[0]);
	else
		pvm_mytid();
	return pvm_exit();
}
