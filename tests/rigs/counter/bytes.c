/*
 * Bytes of PVM's messages, as PVM itself reports; see counter.h. A call that
 * failed, or found nothing, has no bytes.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <pvm3.h>

#include "counter.h"

/* By name: the function in place of it, and where its bytes are added up. */
#define NAMES                                                                  \
	NAME(pvm_send) NAME(pvm_psend) NAME(pvm_mcast) NAME(pvm_bcast)         \
	NAME(pvm_recv) NAME(pvm_trecv) NAME(pvm_nrecv) NAME(pvm_precv)         \
	NAME(pvm_probe) NAME(pvm_initsend) NAME(pvm_pkdouble)         \
	NAME(pvm_pkbyte) NAME(pvm_pkint) NAME(pvm_addmhf)

#define NAME(name)                                                             \
	static uint64_t *sum_##name;                                           \
	static __typeof__(&name) next_##name;
NAMES
#undef NAME

extern int pvmmytid; /* not in the header */

int counter_is_task(void)
{
	return pvmmytid > 0;
}

/* PVM's own, past Tape: these questions are not the program's. */
static __typeof__(&pvm_bufinfo) bufinfo;
static __typeof__(&pvm_getsbuf) getsbuf;

static uint64_t length(int buffer)
{
	int bytes = 0;

	if (buffer <= 0 || bufinfo(buffer, &bytes, NULL, NULL) < 0)
		return 0;
	return (uint64_t)bytes;
}

/* For data sent in place PVM reports 0; they have these types here. */
static uint64_t packed;

static int in_pvm_initsend(int how)
{
	packed = 0;
	return next_pvm_initsend(how);
}

static int add(int rc, int n, size_t each, uint64_t *sum)
{
	if (rc >= 0 && n > 0) {
		*sum += (uint64_t)n * each;
		packed += (uint64_t)n * each;
	}
	return rc;
}

#define PACKS(call, type)                                                      \
	static int in_##call(type *from, int n, int step)                      \
	{                                                                      \
		return add(next_##call(from, n, step), n, sizeof *from,        \
			   sum_##call);                                        \
	}
PACKS(pvm_pkdouble, double)
PACKS(pvm_pkbyte, char)
PACKS(pvm_pkint, int)

static uint64_t sent(int rc)
{
	uint64_t bytes = rc < 0 ? 0 : length(getsbuf());

	return rc < 0 || bytes ? bytes : packed;
}

static int in_pvm_send(int tid, int tag)
{
	int rc = next_pvm_send(tid, tag);

	*sum_pvm_send += sent(rc);
	return rc;
}

static int in_pvm_mcast(int *tids, int n, int tag)
{
	int rc = next_pvm_mcast(tids, n, tag);

	*sum_pvm_mcast += sent(rc);
	return rc;
}

static int in_pvm_bcast(char *group, int tag)
{
	int rc = next_pvm_bcast(group, tag);

	*sum_pvm_bcast += sent(rc);
	return rc;
}

/* It leaves no buffer behind. */
static size_t item(int type)
{
	switch (type) {
	case PVM_SHORT:
	case PVM_USHORT:
		return 2;
	case PVM_INT:
	case PVM_UINT:
	case PVM_FLOAT:
		return 4;
	case PVM_LONG:
	case PVM_ULONG:
		return sizeof(long);
	case PVM_CPLX:
	case PVM_DOUBLE:
		return 8;
	case PVM_DCPLX:
		return 16;
	default:
		return 1;
	}
}

static int in_pvm_psend(int tid, int tag, void *buf, int n, int type)
{
	int rc = next_pvm_psend(tid, tag, buf, n, type);

	if (rc >= 0 && n > 0)
		*sum_pvm_psend += (uint64_t)n * item(type);
	return rc;
}

static int in_pvm_recv(int tid, int tag)
{
	int rc = next_pvm_recv(tid, tag);

	*sum_pvm_recv += length(rc);
	return rc;
}

static int in_pvm_trecv(int tid, int tag, struct timeval *most)
{
	int rc = next_pvm_trecv(tid, tag, most);

	*sum_pvm_trecv += length(rc);
	return rc;
}

static int in_pvm_nrecv(int tid, int tag)
{
	int rc = next_pvm_nrecv(tid, tag);

	*sum_pvm_nrecv += length(rc);
	return rc;
}

static int in_pvm_probe(int tid, int tag)
{
	int rc = next_pvm_probe(tid, tag);

	*sum_pvm_probe += length(rc);
	return rc;
}

/* It always gets the length of the message, whether or not the program asks. */
static int in_pvm_precv(int tid, int tag, void *buf, int n, int type,
			int *from, int *with, int *bytes)
{
	int own = 0, rc;

	if (!bytes)
		bytes = &own;
	rc = next_pvm_precv(tid, tag, buf, n, type, from, with, bytes);
	if (rc >= 0)
		*sum_pvm_precv += (uint64_t)*bytes;
	return rc;
}

/*
 * PVM hands a message to its handler without further arguments, so each handler
 * has a permanent function here. More handlers than that are not counted.
 */
#define HANDLERS 8
static int (*handlers[HANDLERS])(int);

static int handle(unsigned k, int mid)
{
	int rc;

	counter_handed(length(mid));
	counter_handling = 1;
	rc = handlers[k](mid);
	counter_handling = 0;
	return rc;
}

#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define ONE(k)                                                                 \
	static int handle_##k(int mid)                                         \
	{                                                                      \
		return handle(k, mid);                                         \
	}
#define ITS_NAME(k) handle_##k,
EACH(ONE)
static int (*const in_place[HANDLERS])(int) = { EACH(ITS_NAME) };

static int in_pvm_addmhf(int src, int tag, int context, int (*func)(int))
{
	unsigned k = 0;

	while (k < HANDLERS && handlers[k] && handlers[k] != func)
		k++;
	if (k < HANDLERS && func) {
		handlers[k] = func;
		func = in_place[k];
	}
	return next_pvm_addmhf(src, tag, context, func);
}

/* Tape's dlsym gives Tape's functions. */
static void *of(const char *name)
{
	void *pvm = dlopen("libpvm3.so.3", RTLD_LAZY | RTLD_NOLOAD);
	void *(*real)(void *, const char *) = NULL;
	void *found;

	*(void **)&real = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
	if (!real)
		*(void **)&real = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
	found = pvm && real ? real(pvm, name) : NULL;

	if (!found) {
		fprintf(stderr, "counter: %s is nowhere\n", name);
		_exit(127);
	}
	return found;
}

void *counter_sizes(const char *name, uint64_t *bytes)
{
	if (!bufinfo) {
		*(void **)&bufinfo = of("pvm_bufinfo");
		*(void **)&getsbuf = of("pvm_getsbuf");
	}
#define NAME(call)                                                             \
	if (!strcmp(name, #call)) {                                            \
		sum_##call = bytes;                                            \
		*(void **)&next_##call = dlsym(RTLD_NEXT, name);               \
		return *(void **)&(__typeof__(&call)){ in_##call };            \
	}
	NAMES
#undef NAME
	return NULL;
}
