/*
 * A PVM program that accidents happen to:
 *
 *	pvm_survive MODE WORKERS ROUNDS
 *
 * In each round the first task asks every worker that is there, and waits until
 * each has answered or is gone; in the middle of them something happens:
 *
 *	plain		nothing
 *	kill		pvm_kill of the first worker
 *	kill9, abort	it ends by that signal
 *	silent		all of them end without pvm_exit, the first at once
 *	disk		its files cannot grow any more
 *	full		it fills the disk that ../disk.full is
 *	halt		it stops the virtual machine
 *	host		its daemon is killed, and it with that; first it says
 *			who it is in the file gone
 *	change		the last host is deleted, added, works, and is deleted
 *
 * Each task counts the messages that it has taken in the file took.TID, where
 * the count survives it.
 */
#include <pvm3.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <fcntl.h>
#include <unistd.h>

enum { ASK = 1, ANSWER, STOP, GONE, MOST = 16 };

static volatile unsigned long *took;
static int me, n, tids[MOST], there[MOST], answers[MOST];
static const char *mode;

static int is(const char *name)
{
	return !strcmp(mode, name);
}

static void count_open(void)
{
	char name[64];
	int fd;

	snprintf(name, sizeof name, "took.%d", me);
	fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0666);
	if (fd < 0 || ftruncate(fd, sizeof *took))
		exit(9);
	took = mmap(NULL, sizeof *took, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    0);
	if (took == MAP_FAILED)
		exit(9);
	close(fd);
}

/* The tag of the next message; *from and *value are its sender and content. */
static int take(int *from, int *value)
{
	int buffer = pvm_recv(-1, -1), bytes, tag = -1;

	if (buffer <= 0)
		return -1;
	++*took;
	pvm_bufinfo(buffer, &bytes, &tag, from);
	pvm_upkint(value, 1, 1);
	return tag;
}

static void tell(int tid, int tag, int value)
{
	pvm_initsend(PvmDataDefault);
	pvm_pkint(&value, 1, 1);
	pvm_send(tid, tag);
}

/* ---- a worker ---- */

/* More to be recorded than there was room made for. */
static void do_much(void)
{
	for (int i = 0; i < 300000; i++)
		pvm_getrbuf();
}

/* From here on files stay as they are. */
static void no_room(void)
{
	struct rlimit none = { 0, 0 };

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &none);
	do_much();
}

static void fill_disk(void)
{
	int fd = open("../disk.full/filler", O_WRONLY | O_CREAT, 0666);
	char bytes[4096] = { 1 };

	while (write(fd, bytes, sizeof bytes) > 0)
		;
	close(fd);
	do_much();
}

static void lose_host(void)
{
	FILE *f = fopen("gone", "w");

	fprintf(f, "%d\n", me);
	fclose(f);
	kill(getppid(), SIGKILL);
	raise(SIGKILL);
}

static void accident(void)
{
	if (is("kill9"))
		raise(SIGKILL);
	if (is("abort"))
		abort();
	if (is("silent"))
		exit(0);
	if (is("disk"))
		no_room();
	if (is("full"))
		fill_disk();
	if (is("halt"))
		pvm_halt();
	if (is("host"))
		lose_host();
}

static int work(void)
{
	int from, value;

	while (take(&from, &value) == ASK) {
		if (value < 0)
			accident();
		tell(from, ANSWER, abs(value) + 1);
	}
	/* those who are still there leave after the first task */
	if (is("host"))
		sleep(1);
	if (!is("silent"))
		pvm_exit();
	return 0;
}

/* ---- the first task ---- */

static int number_of(int tid)
{
	int i = 0;

	while (i < n && tids[i] != tid)
		i++;
	return i;
}

static void hire(char *program, char *where, int more)
{
	char *args[] = { (char *)mode, NULL };
	int got = pvm_spawn(program, args, where ? PvmTaskHost : PvmTaskDefault,
			    where, more, tids + n);

	if (got != more) {
		printf("spawned %d\n", got);
		pvm_exit();
		exit(1);
	}
	pvm_notify(PvmTaskExit, GONE, more, tids + n);
	for (; more > 0; more--)
		there[n++] = 1;
}

/* Which worker says so in the file; n: none has. */
static int gone_with_host(void)
{
	FILE *f = fopen("gone", "r");
	int tid = 0;

	if (f && fscanf(f, "%d", &tid) != 1)
		tid = 0;
	if (f)
		fclose(f);
	return number_of(tid);
}

/* value < 0: the first worker has its accident. */
static void round_of(int value)
{
	int open[MOST + 1] = { 0 }, left = 0, from, got;

	for (int i = 0; i < n; i++)
		if (there[i]) {
			tell(tids[i], ASK, i ? abs(value) : value);
			left += open[i] = 1;
		}
	if (value < 0 && is("host")) {
		/* daemons take minutes to miss another one */
		while ((got = gone_with_host()) == n)
			usleep(1000);
		left -= open[got];
		there[got] = open[got] = 0;
	}
	while (left > 0) {
		int tag = take(&from, &got), i = number_of(from);

		if (tag == ANSWER) {
			answers[i]++;
		} else if (tag == GONE) {
			i = number_of(got);
			there[i] = 0;
		} else {
			break;
		}
		left -= open[i];
		open[i] = 0;
	}
}

/* The last host; it may not have gone yet when it is to come again. */
static void change(char *program)
{
	struct pvmhostinfo *hosts;
	int count, arch, info = 0, rc;
	char *host;

	pvm_config(&count, &arch, &hosts);
	host = strdup(hosts[count - 1].hi_name);
	rc = pvm_delhosts(&host, 1, &info);
	printf("deleted %d %d\n", rc, info);
	for (int i = 0; i < 100 && pvm_addhosts(&host, 1, &info) != 1; i++)
		usleep(100000);
	printf("added %d\n", info > 0);
	hire(program, host, 1);
	round_of(7);
	rc = pvm_delhosts(&host, 1, &info);
	printf("deleted %d %d\n", rc, info);
	round_of(8);
	free(host);
}

static int lead(char *program, int workers, int rounds)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	hire(program, NULL, workers);
	for (int r = 1; r <= rounds; r++) {
		int middle = r == rounds / 2;

		if (middle && is("kill"))
			pvm_kill(tids[0]);
		if (middle && is("change"))
			change(program);
		round_of(middle ? -r : r);
	}
	for (int i = 0; i < n; i++) {
		printf("worker %d: %d answers, %s\n", i, answers[i],
		       there[i] ? "there" : "gone");
		if (there[i])
			tell(tids[i], STOP, 0);
	}
	pvm_exit();
	return 4;
}

int main(int argc, char **argv)
{
	me = pvm_mytid();
	if (me < 0 || argc < 2)
		return 2;
	mode = argv[1];
	count_open();
	if (pvm_parent() > 0)
		return work();
	if (argc < 4 || atoi(argv[2]) >= MOST)
		return 2;
	return lead(argv[0], atoi(argv[2]), atoi(argv[3]));
}
