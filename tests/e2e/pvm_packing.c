/*
 * Packs and unpacks in every way that matters to a sum of such calls, in one
 * task that talks to itself, and prints what came out. Each line of the file
 * "truth" is what is to be one event where packing is summed: its first call,
 * how many there were, their bytes.
 *
 *	pvm_packing
 *	pvm_packing kill	dies with three calls pending, of 32 bytes
 *	pvm_packing poll	dies after that with four probes pending
 */
#include <pvm3.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

extern int pvm_errno;

static FILE *truth;
static int me, ints[3] = { 1, 2, 3 };
static double reals[2] = { 4, 5 };
static char text[16] = "six";

static void one(const char *call, int calls, int bytes)
{
	fprintf(truth, "%s %d %d\n", call, calls, bytes);
}

static int sent(int tag)
{
	int bytes, t, from;

	pvm_bufinfo(pvm_getsbuf(), &bytes, &t, &from);
	pvm_send(me, tag);
	return bytes;
}

static void send_mixed(void)
{
	pvm_initsend(PvmDataDefault);
	pvm_pkint(ints, 3, 1);
	pvm_pkdouble(reals, 2, 1);
	pvm_pkstr(text);
	one("pvm_pkint", 3, 12 + 16 + 4);
	pvm_getsbuf(); /* whatever comes between ends it */
	pvm_pkbyte(text, 4, 1);
	one("pvm_pkbyte", 1, 4);
	pvm_packf("%d", 7); /* nobody knows its bytes */
	one("pvm_packf", 1, 0);
	pvm_pkint(ints, 1, 1);
	one("pvm_pkint", 1, 4);
	pvm_pkint(ints, -1, 1); /* fails */
	one("pvm_pkint", 1, 0);
	pvm_pkint(ints, 2, 1);
	pvm_pkint(ints, 3, 1);
	one("pvm_pkint", 2, 20);
	printf("mixed %d\n", sent(1));
}

static void take_mixed(void)
{
	int k[3] = { 0 }, f = 0, more[6] = { 0 };
	double r[2] = { 0 };
	char t[16] = "", b[5] = "";

	pvm_recv(me, 1);
	pvm_upkint(k, 3, 1);
	pvm_upkdouble(r, 2, 1);
	pvm_upkstr(t);
	pvm_upkbyte(b, 4, 1);
	one("pvm_upkint", 4, 12 + 16 + 4 + 4);
	pvm_unpackf("%d", &f);
	one("pvm_unpackf", 1, 0);
	/* in both directions by turns: each of its own */
	pvm_initsend(PvmDataRaw);
	pvm_upkint(more, 6, 1);
	one("pvm_upkint", 1, 24);
	pvm_pkint(more, 6, 1);
	pvm_pkdouble(r, 2, 1);
	one("pvm_pkint", 2, 40);
	pvm_upkint(more, 1, 1); /* fails: there is no more */
	one("pvm_upkint", 1, 0);
	printf("taken %d %g %s %s %d %d %d\n", k[2], r[1], t, b, f, more[5],
	       sent(2));
	pvm_recv(me, 2);
	pvm_upkint(more, 6, 1);
	one("pvm_upkint", 1, 24);
}

/* Probes that find nothing, and sums, end each other. */
static void polls(void)
{
	for (int i = 0; i < 5; i++) {
		pvm_probe(me, 99);
		pvm_probe(me, 99);
		pvm_initsend(PvmDataRaw);
		pvm_pkint(ints, 2, 1);
		pvm_pkint(ints, 1, 1);
		pvm_probe(me, 99);
		one("pvm_pkint", 2, 12);
	}
}

/* More than a chunk of them. */
static void many(void)
{
	for (int i = 0; i < 9000; i++) {
		pvm_initsend(PvmDataRaw);
		for (int k = 0; k < 1 + i % 30; k++)
			pvm_pkdouble(reals, 2, 1);
		one("pvm_pkdouble", 1 + i % 30, 16 * (1 + i % 30));
	}
}

/* What is the library's own, and the program's to see. */
static void state(void)
{
	int error = pvm_errno, buffer = pvm_mkbuf(PvmDataRaw);

	printf("buffers %d %d %d error %d\n", pvm_getsbuf(), pvm_getrbuf(),
	       buffer, error);
	pvm_freebuf(buffer);
}

static void die(int probes)
{
	pvm_initsend(PvmDataRaw);
	pvm_pkint(ints, 3, 1);
	pvm_pkint(ints, 1, 1);
	pvm_pkdouble(reals, 2, 1);
	one("pvm_pkint", 3, 32);
	for (int i = 0; i < probes; i++)
		pvm_probe(me, 99);
	fclose(truth);
	fflush(stdout);
	raise(SIGKILL);
}

int main(int argc, char **argv)
{
	me = pvm_mytid();
	truth = fopen("truth", "w");
	if (me < 0 || !truth)
		return 2;
	state();
	send_mixed();
	take_mixed();
	polls();
	if (argc > 1)
		die(strcmp(argv[1], "poll") ? 0 : 4);
	many();
	fclose(truth);
	pvm_exit();
	return 0;
}
