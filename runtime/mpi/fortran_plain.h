/*
 * Local calls of Fortran programs: no hook looks at their arguments, which go
 * to the library as they come, lengths of texts too. Included by
 * fortran_wrap.c.
 */
#ifndef TAPE_FORTRAN_PLAIN_H
#define TAPE_FORTRAN_PLAIN_H

#include "call_entry.h"
#include "flows.h"
#include "fortran.h"
#include "hooks.h"
#include "call_sites.h"

struct fortran_plain {
	unsigned call;
	int ierror, n; /* which argument that is, of how many */
	const char *name, *name_in_c;
};

/* Calls real with x[0] to x[n - 1], addresses and lengths alike. */
static void fortran_pass(void *real, int n, void **x)
{
#define P void *
#define CALL(types, ...)                                                       \
	((void(*) types)real)(__VA_ARGS__);                                    \
	break
	switch (n) {
	case 1:
		CALL((P), x[0]);
	case 2:
		CALL((P, P), x[0], x[1]);
	case 3:
		CALL((P, P, P), x[0], x[1], x[2]);
	case 4:
		CALL((P, P, P, P), x[0], x[1], x[2], x[3]);
	case 5:
		CALL((P, P, P, P, P), x[0], x[1], x[2], x[3], x[4]);
	case 6:
		CALL((P, P, P, P, P, P), x[0], x[1], x[2], x[3], x[4], x[5]);
	case 7:
		CALL((P, P, P, P, P, P, P), x[0], x[1], x[2], x[3], x[4], x[5],
		     x[6]);
	case 8:
		CALL((P, P, P, P, P, P, P, P), x[0], x[1], x[2], x[3], x[4],
		     x[5], x[6], x[7]);
	case 9:
		CALL((P, P, P, P, P, P, P, P, P), x[0], x[1], x[2], x[3], x[4],
		     x[5], x[6], x[7], x[8]);
	case 10:
		CALL((P, P, P, P, P, P, P, P, P, P), x[0], x[1], x[2], x[3],
		     x[4], x[5], x[6], x[7], x[8], x[9]);
	case 11:
		CALL((P, P, P, P, P, P, P, P, P, P, P), x[0], x[1], x[2], x[3],
		     x[4], x[5], x[6], x[7], x[8], x[9], x[10]);
	case 12:
		CALL((P, P, P, P, P, P, P, P, P, P, P, P), x[0], x[1], x[2],
		     x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10], x[11]);
	}
#undef P
#undef CALL
}

/* The real call, and its record. */
static inline void fortran_plain_recorded(const struct fortran_plain *c,
					  struct fortran_call *h, void **x,
					  uint32_t site)
{
	struct tape_flow *f = h->flow;
	struct tape_mpi_args a;
	struct tape_local r = { 0 };
	MPI_Fint rc = MPI_SUCCESS;
	void *ierror = x[c->ierror];
	TAPE_WRAP_BEGIN(f);

	x[c->ierror] = &rc;
	fortran_start(h);
	fortran_pass(h->real, c->n, x);
	fortran_stopped(h, ierror, rc);
	TAPE_WRAP_STOP(f);
	TAPE_WRAP_PUT(local, f, site, &r);
	TAPE_WRAP_END(f, LOCAL);
}

/*
 * Makes the call for the interface, which returns to address: x are its
 * arguments.
 */
static TAPE_APART void fortran_plain(const struct fortran_plain *c,
				     int interface, void **x,
				     const void *address)
{
	struct tape_flow *f = tape_flow_now();
	struct fortran_call h = { .interface = interface };
	uint32_t site = 0;

	if (TAPE_UNLIKELY(!fortran_find(f, &h, c->call, c->name))) {
		tape_fortran_missing(x[c->ierror], c->name_in_c);
		return;
	}
	address = tape_announced_or(c->call, address);
	if (TAPE_LIKELY(f != NULL))
		site = tape_site_here(f, c->call, address);
	if (TAPE_UNLIKELY(!site)) {
		f = tape_pass_begin(__builtin_frame_address(0));
		fortran_pass(h.real, c->n, x);
		tape_pass_end(f);
		return;
	}
	fortran_begin(f, &h);
	fortran_plain_recorded(c, &h, x, site);
}

#endif
