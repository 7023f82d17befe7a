/*
 * The clock server of a PVM run, a program that taperun starts:
 *
 *	tape-pvm-clock PID NAME
 *
 * It reads the clock of its host, which is the reference: that of PID, the
 * first task. It lives until PID and all tasks that it sampled have ended;
 * pvm_sample.h says what it is asked. On one host there is nothing to do, and
 * it leaves at once.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <stdio.h>

#include <pvm3.h>

#include "config.h"
#include "pvm_sample.h"
#include "ticks.h"

#define DOMAINS 4096
#define A_SECOND 1000000000u

struct domain {
	char *name;
	int tid;   /* of the task that was sampled before the run, or 0 */
	int ended; /* that one has */
	int over;  /* one was sampled after it */
	uint64_t last_ns; /* when */
};

struct server {
	struct tape_config config;
	int alive; /* a descriptor: readable when PID has ended */
	struct domain domains[DOMAINS];
	int n;
};

struct round {
	uint64_t s_ref, r_j, s_j, r_ref;
};

/* Has the first task ended? Waits at most that long. */
static int wait_for_end(const struct server *s, int ms)
{
	struct pollfd p = {s->alive, POLLIN, 0};

	return poll(&p, 1, ms) != 0;
}

/* There may be no daemon yet. 0 once enrolled in a machine of several hosts. */
static int enrol_server(const struct server *s)
{
	struct pvmhostinfo *hosts;
	int n, arch;

	pvm_setopt(PvmAutoErr, 0);
	while (pvm_mytid() < 0)
		if (wait_for_end(s, 50))
			return -1;
	return pvm_config(&n, &arch, &hosts) < 0 || n < 2;
}

/* In the mailbox: who and where we are. The context is ours from here on. */
static int publish_server(char *name)
{
	int me = pvm_mytid(), context = pvm_newcontext();

	pvm_initsend(PvmDataDefault);
	pvm_pkint(&me, 1, 1);
	pvm_pkint(&context, 1, 1);
	if (pvm_putinfo(name, pvm_getsbuf(), PvmMboxDefault) < 0)
		return -1;
	pvm_setcontext(context);
	/* the task's daemon and ours would be part of each round */
	pvm_setopt(PvmRoute, PvmRouteDirect);
	return 0;
}

static int exchange_round(int tid, struct round *r)
{
	struct timeval limit = {SAMPLE_SECONDS, 0};
	unsigned long ticks[2];

	pvm_initsend(PvmDataRaw);
	r->s_ref = tape_tick();
	if (pvm_send(tid, SAMPLE_ROUND) < 0 ||
	    pvm_trecv(tid, SAMPLE_ROUND, &limit) <= 0)
		return -1;
	r->r_ref = tape_tick();
	if (pvm_upkulong(ticks, 2, 1) < 0)
		return -1;
	r->r_j = ticks[0];
	r->s_j = ticks[1];
	return 0;
}

static void write_rounds(const char *dir, const char *domain, int after,
			 const struct round *r, uint32_t n)
{
	int at = open(dir, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int fd =
	    at < 0
		? -1
		: openat(at, "clocks",
			 O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
			 0666);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "a");

	if (at >= 0)
		close(at);
	if (!f)
		return;
	for (uint32_t i = 0; i < n; i++)
		fprintf(f, "sample %s %s %llu %llu %llu %llu\n",
			after ? "after" : "before", domain,
			(unsigned long long)r[i].s_ref,
			(unsigned long long)r[i].r_j,
			(unsigned long long)r[i].s_j,
			(unsigned long long)r[i].r_ref);
	fclose(f);
}

/*
 * At most as many rounds, and as long, as the settings say, but one at least.
 * Returns their number.
 */
static uint32_t sample_task(const struct server *s, int tid, const char *dir,
			    const char *domain, int after)
{
	struct round *r = calloc(s->config.rounds, sizeof *r);
	uint32_t n = 0;
	struct round warm;
	uint64_t end;

	/* the first one makes the route, which takes its time */
	if (!r || exchange_round(tid, &warm))
		goto out;
	end = tape_raw_ns() + s->config.sample_ms * 1000000ull;
	while (n < s->config.rounds && (!n || tape_raw_ns() < end) &&
	       !exchange_round(tid, &r[n]))
		n++;
	write_rounds(dir, domain, after, r, n);
out:
	free(r);
	return n;
}

static struct domain *find_domain(struct server *s, const char *name)
{
	struct domain *d = s->domains;

	while (d < s->domains + s->n && strcmp(d->name, name))
		d++;
	if (d == s->domains + s->n) {
		if (s->n == DOMAINS || !(d->name = strdup(name)))
			return NULL;
		s->n++;
	}
	return d;
}

/*
 * Of a domain the first task is sampled when it begins and when it leaves; it
 * may never do so, hence also the first one that does. Those that begin later
 * are taken for the first when that one is gone: a program may go on for hours
 * with others. When tasks come one after the other, not each of them.
 */
static int is_sample_wanted(const struct domain *d, int tid, int after)
{
	if (after)
		return !d->over || d->tid == tid;
	return !d->tid ||
	       ((d->ended || d->over) && tape_raw_ns() - d->last_ns > A_SECOND);
}

/* The message asks: bytes, from tid. */
static void answer_request(struct server *s, int bytes, int tid)
{
	char dir[4096], domain[4096];
	struct domain *d;
	int after, wanted;

	if (bytes > (int)sizeof domain || pvm_upkstr(dir) < 0 ||
	    pvm_upkstr(domain) < 0 || pvm_upkint(&after, 1, 1) < 0)
		return;
	d = find_domain(s, domain);
	wanted = d && is_sample_wanted(d, tid, after);
	if (wanted && sample_task(s, tid, dir, domain, after)) {
		d->last_ns = tape_raw_ns();
		d->over = after;
		if (!after) {
			d->tid = tid;
			d->ended = 0;
			pvm_notify(PvmTaskExit, SAMPLE_GONE, 1, &tid);
		}
	}
	pvm_initsend(PvmDataRaw);
	pvm_pkint(&wanted, 1, 1);
	pvm_send(tid, SAMPLE_END);
}

/* A daemon's message: that task has ended, or its host was lost. */
static void remove_task(struct server *s)
{
	int tid;

	if (pvm_upkint(&tid, 1, 1) < 0)
		return;
	for (int i = 0; i < s->n; i++)
		s->domains[i].ended |= s->domains[i].tid == tid;
}

/*
 * Is there a task that will ask again? Nobody is asked: of a task on a host
 * that was lost the answer would take minutes.
 */
static int is_needed(const struct server *s)
{
	for (int i = 0; i < s->n; i++)
		if (s->domains[i].tid > 0 && !s->domains[i].ended)
			return 1;
	return 0;
}

/*
 * Takes what comes within a while, the rest of an exchange that failed as well.
 * 0: nobody needs this server any more, or PVM is gone.
 */
static int handle_next_message(struct server *s)
{
	struct timeval a_while = {0, 300000};
	int buffer = pvm_trecv(-1, -1, &a_while), bytes, tag, tid;

	if (buffer <= 0)
		return buffer == 0 && (!wait_for_end(s, 0) || is_needed(s));
	pvm_bufinfo(buffer, &bytes, &tag, &tid);
	if (tag == SAMPLE_ASK)
		answer_request(s, bytes, tid);
	else if (tag == SAMPLE_GONE)
		remove_task(s);
	return 1;
}

int main(int argc, char **argv)
{
	static struct server s;
	char error[1200];

	if (argc != 3) {
		fputs("usage: tape-pvm-clock pid name\n", stderr);
		return 2;
	}
	s.alive = (int)syscall(SYS_pidfd_open, atoi(argv[1]), 0);
	if (s.alive < 0 || tape_config_read(&s.config, error, sizeof error))
		return 1;
	tape_clock_choose(s.config.clock);
	if (!enrol_server(&s) && !publish_server(argv[2]))
		while (handle_next_message(&s))
			;
	pvm_exit();
	return 0;
}
