/*
 * "pvm_arrived daemon|direct MESSAGES SEED": two tasks of one machine; one
 * sends messages of 8 bytes to 64 KiB, every other one behind a small one of
 * another tag, the other takes them by pvm_recv, pvm_precv or pvm_trecv after a
 * while that is drawn anew each time. Of each message it prints
 *
 *	TAG CALL SIZE DECOY THERE BEGIN SENT
 *
 * THERE is 1 if all its bytes lay in the task's own sockets just before the
 * receive began, which the kernel tells; BEGIN is that moment, SENT are those
 * of the send's begin and end, in nanoseconds of one clock.
 */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

enum { TAG_DECOY = 1, TAG_NEXT, TAG_LOG, TAG_FIRST = 100 };
enum { BIGGEST = 65536, HEADERS = 48, LEAD = 1500000 };

static const int sizes[] = { 8, 1024, 8192, BIGGEST };
static const char *const calls[] = { "pvm_recv", "pvm_precv", "pvm_trecv" };
static char data[BIGGEST];

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* Asleep but for the end: there may be as few as two processors. */
static void wait_until(long long when)
{
	struct timespec t;
	long long early = when - 100000;

	t.tv_sec = early / 1000000000;
	t.tv_nsec = early % 1000000000;
	if (early > now())
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	while (now() < when)
		;
}

static int size_of(int k)
{
	return sizes[k / 6 % 4];
}

static int has_decoy(int k)
{
	return k % 2;
}

static void send_bytes(int to, int tag, int n)
{
	pvm_initsend(PvmDataRaw);
	pvm_pkbyte(data, n, 1);
	pvm_send(to, tag);
}

static int sender(int n)
{
	int to = pvm_parent();
	long long when, sent[2];

	for (int k = 0; k < n; k++) {
		pvm_recv(to, TAG_NEXT);
		pvm_upkbyte((char *)&when, sizeof when, 1);
		wait_until(when);
		if (has_decoy(k))
			send_bytes(to, TAG_DECOY, 8);
		sent[0] = now();
		send_bytes(to, TAG_FIRST + k, size_of(k));
		sent[1] = now();
		pvm_initsend(PvmDataRaw);
		pvm_pkbyte((char *)sent, sizeof sent, 1);
		pvm_send(to, TAG_LOG);
	}
	pvm_exit();
	return 0;
}

/* Bytes that have come and were not read yet. */
static int waiting(void)
{
	int *fds, n = pvm_getfds(&fds), bytes, sum = 0;

	for (int i = 0; i < n; i++)
		if (!ioctl(fds[i], FIONREAD, &bytes))
			sum += bytes;
	return sum;
}

static void take(int from, int k)
{
	struct timeval limit = { 10, 0 };

	if (k % 3 == 0)
		pvm_recv(from, TAG_FIRST + k);
	else if (k % 3 == 1)
		pvm_precv(from, TAG_FIRST + k, data, size_of(k), PVM_BYTE,
			  NULL, NULL, NULL);
	else
		pvm_trecv(from, TAG_FIRST + k, &limit);
}

static void one(int from, int k, long long patience)
{
	long long begin, sent[2], when = now() + LEAD;
	int there;

	pvm_initsend(PvmDataRaw);
	pvm_pkbyte((char *)&when, sizeof when, 1);
	pvm_send(from, TAG_NEXT);
	wait_until(when + patience);
	there = waiting() >= size_of(k) + HEADERS +
				     (has_decoy(k) ? 8 + HEADERS : 0);
	begin = now();
	take(from, k);
	if (has_decoy(k))
		pvm_recv(from, TAG_DECOY);
	pvm_recv(from, TAG_LOG);
	pvm_upkbyte((char *)sent, sizeof sent, 1);
	printf("%d %s %d %d %d %lld %lld %lld\n", TAG_FIRST + k, calls[k % 3],
	       size_of(k), has_decoy(k), there, begin, sent[0], sent[1]);
}

int main(int argc, char **argv)
{
	int n, child;

	if (argc < 4)
		return 2;
	n = atoi(argv[2]);
	pvm_mytid();
	if (!strcmp(argv[1], "direct"))
		pvm_setopt(PvmRoute, PvmRouteDirect);
	if (pvm_parent() > 0)
		return sender(n);
	if (pvm_spawn(argv[0], argv + 1, PvmTaskDefault, NULL, 1, &child) < 1)
		return 3;
	srand((unsigned)atoi(argv[3]));
	/* from 1 ms before the message is sent to 2 ms after */
	for (int k = 0; k < n; k++)
		one(child, k, rand() % 3000000 - 1000000);
	pvm_exit();
	return 0;
}
