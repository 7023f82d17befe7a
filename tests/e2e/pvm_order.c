/*
 * "pvm_order PATH KIND ROUNDS [HOW]": a task and three that it spawned, which
 * work for random times and send ROUNDS messages each. The first task prints
 * which message it got in which order. PATH: this program. HOW changes the
 * program:
 *
 *	more	it receives one message more
 *	kill	the first task kills itself after six messages
 *	worker	the first worker kills itself in the middle
 *	early	the second worker sends the first message
 *	late	the second worker sends nothing
 */
#include <pvm3.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 3, TAG_FIRST = 7, TAG_GONE = 20, TAG_HANDLED, TAG_LAST = 30 };

static char *program, *kind, *how;
static int rounds, tids[WORKERS];

static int is_kind(const char *word)
{
	return !strcmp(kind, word);
}

static int is_how(const char *word)
{
	return !strcmp(how, word);
}

/* Sleeps for a random time, of most microseconds at most. */
static void sleep_randomly(unsigned most)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	usleep((unsigned)(t.tv_nsec / 7 + getpid() * 97) % most);
}

static void work_randomly(void)
{
	sleep_randomly(3000);
}

static void send_number(int to, int tag, int number)
{
	pvm_initsend(PvmDataDefault);
	pvm_pkint(&number, 1, 1);
	pvm_send(to, tag);
}

/* Number of the message in the active buffer; -1: the daemon's. */
static int take_number(int buffer, int *tag)
{
	int bytes, tid, number = -1;

	pvm_bufinfo(buffer, &bytes, tag, &tid);
	if (*tag != TAG_GONE)
		pvm_upkint(&number, 1, 1);
	return number;
}

/* ---- the workers ---- */

/* x is the part of this task in sums whose terms come by chance. */
static void reduce_with_others(double x, int root)
{
	int me;

	sleep_randomly(100000);
	me = pvm_joingroup("order");
	pvm_barrier("order", WORKERS + 1);
	if (root == pvm_mytid())
		printf("instance %d\n", me);
	for (int k = 0; k < rounds; k++) {
		double sum = x / (k + 1);

		work_randomly();
		pvm_reduce(PvmSum, &sum, 1, PVM_DOUBLE, 2, "order",
			   pvm_getinst("order", root));
		if (root == pvm_mytid())
			printf("%a\n", sum);
		pvm_barrier("order", WORKERS + 1);
	}
	pvm_lvgroup("order");
}

/* Puts each round a mailbox that the first task asks for. */
static void put_mailboxes(void)
{
	char name[32];

	for (int k = 0; k < rounds; k++) {
		work_randomly();
		snprintf(name, sizeof name, "order.%d", k);
		pvm_initsend(PvmDataDefault);
		pvm_pkint(&k, 1, 1);
		pvm_putinfo(name, pvm_getsbuf(), PvmMboxDefault);
	}
	/* a mailbox is there as long as the task that put it */
	pvm_recv(pvm_parent(), TAG_LAST);
}

static void run_worker(int me, int parent)
{
	if (is_kind("reduce")) {
		reduce_with_others(me == 1 ? -1e16 : 1. / 3 + me, parent);
		return;
	}
	if (is_kind("mailbox")) {
		if (me == 0)
			put_mailboxes();
		return;
	}
	if (is_how("late") && me == 1)
		return;
	if (is_how("early") && me != 1)
		pvm_recv(parent, TAG_LAST);
	for (int k = 0; k < rounds; k++) {
		work_randomly();
		if (is_kind("again") && k == rounds / 2) {
			pvm_recv(-1, TAG_LAST);
			pvm_upkint(&parent, 1, 1);
		}
		if (is_how("worker") && me == 0 && k == rounds / 2)
			kill(getpid(), SIGKILL);
		if (is_kind("handler"))
			send_number(parent, TAG_HANDLED, 1);
		send_number(parent, TAG_FIRST + k % 3, me * 1000 + k);
	}
}

/* A worker that has one of its own: both send to the first task. */
static void work_in_tree(int me, int depth, int first)
{
	char number[16], deeper[16], top[16];
	char *arguments[] = {program, kind, number, how, deeper, top, NULL};
	int child;

	snprintf(number, sizeof number, "%d", rounds);
	snprintf(deeper, sizeof deeper, "%d", depth + 1);
	snprintf(top, sizeof top, "%d", first);
	if (depth < 2)
		pvm_spawn(program, arguments, PvmTaskDefault, "", 1, &child);
	run_worker(me + 10 * depth, first);
}

/* Asks for a message before anything else; tells how often in vain. */
static void ask_first(void)
{
	int failed = 0;

	while (!pvm_nrecv(-1, TAG_LAST))
		failed++;
	send_number(pvm_parent(), TAG_FIRST, failed);
}

static int find_own_number(void)
{
	int *all, n = pvm_siblings(&all);

	for (int i = 0; i < n; i++)
		if (all[i] == pvm_mytid())
			return i;
	return -1;
}

/* ---- the first task ---- */

static int handled;

/* A message handler, which runs whenever its message comes. */
static int count_message(int mid)
{
	int number;

	pvm_setrbuf(mid);
	pvm_upkint(&number, 1, 1);
	handled += number;
	pvm_freebuf(pvm_setrbuf(0));
	return 0;
}

/* Of the messages that are there, takes that of the highest tag. */
static int prefer_tag(int mid, int tid, int tag)
{
	struct pvmminfo m;

	(void)tid, (void)tag;
	pvm_getminfo(mid, &m);
	return m.ctx == pvm_getcontext() ? m.tag : 0;
}

static void take_one(int i)
{
	struct timeval limit = {0, 700};
	int buffer = 0, failed = 0, tag = 0, tid, bytes, number = 0;

	if (is_kind("nrecv")) {
		while (!(buffer = pvm_nrecv(-1, -1)))
			failed++;
	} else if (is_kind("known")) {
		while (!(buffer = pvm_nrecv(tids[i % WORKERS], -1)))
			failed++;
	} else if (is_kind("trecv")) {
		while (!(buffer = pvm_trecv(-1, -1, &limit)))
			failed++;
	} else if (is_kind("probe")) {
		while (!(buffer = pvm_probe(-1, -1)))
			failed++;
		pvm_bufinfo(buffer, &bytes, &tag, &tid);
		buffer = pvm_recv(tid, tag);
	} else if (is_kind("precv")) {
		pvm_precv(-1, -1, &number, 1, PVM_INT, &tid, &tag, &bytes);
	} else {
		buffer = pvm_recv(-1, -1);
	}
	if (buffer)
		number = take_number(buffer, &tag);
	printf("%d %d %d\n", number, tag, failed);
	fflush(stdout);
}

/* Becomes another task: the workers get its tid. */
static void enrol_again(void)
{
	pvm_exit();
	for (int i = 0; i < WORKERS; i++)
		send_number(tids[i], TAG_LAST, pvm_mytid());
}

static void ask_mailboxes(void)
{
	char name[32];
	int number;

	for (int k = 0; k < rounds; k++) {
		int failed = 0;

		snprintf(name, sizeof name, "order.%d", k);
		while (pvm_recvinfo(name, 0, PvmMboxDefault) == PvmNotFound)
			failed++;
		pvm_upkint(&number, 1, 1);
		printf("%d %d\n", number, failed);
	}
	send_number(tids[0], TAG_LAST, 0);
}

/* Returns how many there are. The last one may be one that is not traced. */
static int spawn_workers(char **arguments)
{
	char *bare[] = {"-u",	      "LD_PRELOAD", program, program, kind,
			arguments[2], how,	    "2",     NULL};

	if (!is_kind("untraced"))
		return pvm_spawn(program, arguments, PvmTaskDefault, "",
				 WORKERS, tids);
	return pvm_spawn(program, arguments, PvmTaskDefault, "", WORKERS - 1,
			 tids) +
	       pvm_spawn("/usr/bin/env", bare, PvmTaskDefault, "", 1,
			 tids + WORKERS - 1);
}

/* Has workers wait, whose first call asks for a message. */
static void keep_waiting(void)
{
	int number;

	sleep_randomly(100000);
	for (int i = 0; i < WORKERS; i++)
		send_number(tids[i], TAG_LAST, 0);
	for (int i = 0; i < WORKERS; i++) {
		pvm_recv(tids[i], TAG_FIRST);
		pvm_upkint(&number, 1, 1);
		printf("%d\n", number);
	}
}

static void run_master(void)
{
	int n = WORKERS * rounds, context = -1;

	if (is_kind("tree"))
		n *= 3;
	if (is_kind("notify")) {
		pvm_notify(PvmTaskExit, TAG_GONE, WORKERS, tids);
		n += WORKERS;
	}
	if (is_how("late") || is_how("worker"))
		n = rounds;
	if (is_how("more")) {
		send_number(pvm_mytid(), TAG_LAST, 0);
		n++;
	}
	if (is_kind("recvf"))
		pvm_recvf(prefer_tag);
	if (is_kind("handler"))
		pvm_addmhf(-1, TAG_HANDLED, pvm_getcontext(), count_message);
	for (int i = 0; i < n; i++) {
		if (is_how("kill") && i == 6)
			kill(getpid(), SIGKILL);
		if (is_kind("context") && i == n / 2) {
			context = pvm_setcontext(pvm_newcontext());
			pvm_nrecv(-1, -1);
			pvm_setcontext(context);
		}
		if (is_kind("again") && i == n / 2)
			enrol_again();
		take_one(i);
		if (is_how("early") && !i) {
			send_number(tids[0], TAG_LAST, 0);
			send_number(tids[2], TAG_LAST, 0);
		}
	}
	if (is_kind("handler"))
		printf("%d handled\n", handled);
}

int main(int argc, char **argv)
{
	char *arguments[5];

	program = argv[1];
	kind = argv[2];
	rounds = atoi(argv[3]);
	how = argc > 4 ? argv[4] : "";
	if (is_how("worker") && is_kind("first")) {
		ask_first();
	} else if (pvm_parent() != PvmNoParent) {
		if (is_kind("tree"))
			work_in_tree(find_own_number(),
				     argc > 5 ? atoi(argv[5]) : 0,
				     argc > 6 ? atoi(argv[6]) : pvm_parent());
		else
			run_worker(argc > 5 ? atoi(argv[5]) : find_own_number(),
			     pvm_parent());
	} else {
		arguments[0] = program;
		arguments[1] = kind;
		arguments[2] = argv[3];
		arguments[3] = is_kind("first") ? "worker" : how;
		arguments[4] = NULL;
		if (spawn_workers(arguments) != WORKERS)
			return 1;
		if (is_kind("reduce"))
			reduce_with_others(1e16, pvm_mytid());
		else if (is_kind("mailbox"))
			ask_mailboxes();
		else if (is_kind("first"))
			keep_waiting();
		else
			run_master();
	}
	pvm_exit();
	return 0;
}
