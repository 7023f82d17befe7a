/*
 * What a call of PVM costs, to be run with and without a tracer in a virtual
 * machine, by one task that talks to itself:
 *
 *	pvm_calls [-t bytes] [-b blocks] [-k rounds] [-s singles] name ...
 *
 * Each name is a small loop around one or a few calls, timed as loops.h says.
 * With -t PVM traces them itself: every call, in messages of so many bytes (0:
 * one for each event) to another task that throws them away.
 *
 * One line for each on standard output, all figures in nanoseconds a round:
 *
 *	floor NAME MIN MEDIAN
 *	call NAME CALLS MIN MEDIAN P50 P99 MAX STALLS
 *	traced MESSAGES BYTES		with -t: what the other task received
 */
#include <pvm3.h>
#include <pvmtev.h>
#include <stdio.h>
#include <unistd.h>
#include "loops.h"

enum { TAG_SELF = 1, TAG_NONE, TAG_EVENTS, TAG_END };

static int me;

/* ---- the loops: one round each ---- */

static void probe(void)
{
	pvm_probe(-1, TAG_NONE);
}

static void nrecv(void)
{
	pvm_nrecv(-1, TAG_NONE);
}

static void pack(void)
{
	double x = 1;

	pvm_initsend(PvmDataRaw);
	pvm_pkdouble(&x, 1, 1);
}

static void pack_many(void)
{
	double x = 1;

	pvm_initsend(PvmDataRaw);
	for (int i = 0; i < 20; i++)
		pvm_pkdouble(&x, 1, 1);
}

static void send_recv(void)
{
	double x = 1;

	pvm_initsend(PvmDataRaw);
	pvm_pkdouble(&x, 1, 1);
	pvm_send(me, TAG_SELF);
	pvm_recv(me, TAG_SELF);
	pvm_upkdouble(&x, 1, 1);
}

static void psend_precv(void)
{
	double x = 1;

	pvm_psend(me, TAG_SELF, (char *)&x, 1, PVM_DOUBLE);
	pvm_precv(me, TAG_SELF, (char *)&x, 1, PVM_DOUBLE, NULL, NULL, NULL);
}

static const struct loop {
	const char *name;
	void (*round)(void);
	int calls;
} loops[] = {
	{ "probe", probe, 1 },
	{ "nrecv", nrecv, 1 },
	{ "pack", pack, 2 },
	{ "pack-many", pack_many, 21 },
	{ "send-recv", send_recv, 5 },
	{ "psend-precv", psend_precv, 2 },
};

static const struct loop *find(const char *name)
{
	for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
		if (!strcmp(name, loops[i].name))
			return &loops[i];
	return NULL;
}

/* ---- PVM's own tracing ---- */

/* The other task: receives events until it is told to stop. */
static void swallow(int parent)
{
	long sums[2] = { 0, 0 };
	int bytes, tag;

	for (;;) {
		pvm_bufinfo(pvm_recv(-1, -1), &bytes, &tag, NULL);
		if (tag == TAG_END)
			break;
		sums[0]++;
		sums[1] += bytes;
	}
	pvm_initsend(PvmDataDefault);
	pvm_pklong(sums, 2, 1);
	pvm_send(parent, TAG_END);
}

/* The task that events go to, or -1. */
static int trace(char *program, int bytes)
{
	Pvmtmask every;
	int other;

	if (pvm_spawn(program, NULL, PvmTaskDefault, "", 1, &other) != 1)
		return -1;
	/* the mask is a string, four kinds of event in each character */
	memset(every, '@' + 15, sizeof every - 1);
	every[sizeof every - 1] = '\0';
	/* full tracing is not the default, whatever the manual says */
	pvm_setopt(PvmSelfTraceOptions, PvmTraceFull);
	pvm_setopt(PvmSelfTraceBuffer, bytes);
	pvm_setopt(PvmSelfTraceTid, other);
	pvm_setopt(PvmSelfTraceCode, TAG_EVENTS);
	pvm_settmask(PvmTaskSelf, every);
	return other;
}

static void end_trace(int other)
{
	long sums[2];

	pvm_setopt(PvmSelfTraceTid, 0);
	pvm_initsend(PvmDataDefault);
	pvm_send(other, TAG_END);
	pvm_recv(other, TAG_END);
	pvm_upklong(sums, 2, 1);
	printf("traced %ld %ld\n", sums[0], sums[1]);
}

/* ---- measuring ---- */

static void run_loop(const struct loop *l, const struct counts *c)
{
	struct figures f = time_blocks(l->round, c);
	struct figures g = time_singles(l->round, c);

	printf("call %s %d %.2f %.2f %.1f %.1f %.1f %ld\n", l->name, l->calls,
	       f.min, f.median, g.median, g.p99, g.max, g.stalls);
}

/* 1 if the arguments are valid; bytes stays -1 without -t. */
static int parse(int argc, char **argv, struct counts *c, int *bytes)
{
	int opt, good = 1;

	*c = (struct counts){ 100, 1000, 50000, NULL };
	while ((opt = getopt(argc, argv, "b:k:s:t:")) != -1) {
		if (opt == 't')
			*bytes = atoi(optarg);
		else
			good &= counts_option(c, opt, optarg);
	}
	good &= optind < argc;
	for (int i = optind; i < argc; i++)
		good &= find(argv[i]) != NULL;
	return good && counts_open(c);
}

int main(int argc, char **argv)
{
	int bytes = -1, other = 0;
	struct figures f;
	struct counts c;

	if (pvm_parent() > 0) {
		swallow(pvm_parent());
		pvm_exit();
		return 0;
	}
	if (!parse(argc, argv, &c, &bytes)) {
		fprintf(stderr, "usage: pvm_calls [-t bytes] [-b blocks] "
				"[-k rounds] [-s singles] name ...\n");
		return 2;
	}
	me = pvm_mytid();
	if (me < 0 || (bytes >= 0 && (other = trace(argv[0], bytes)) < 0)) {
		fprintf(stderr, "pvm_calls: there is no PVM\n");
		return 1;
	}
	ns_per_tick = measure_tick();
	f = time_blocks(two_ticks, &c);
	printf("floor two-readings %.2f %.2f\n", f.min, f.median);
	for (int i = optind; i < argc; i++)
		run_loop(find(argv[i]), &c);
	free(c.ticks);
	if (other)
		end_trace(other);
	pvm_exit();
	return 0;
}
