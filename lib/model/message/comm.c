/*
 * Communication models; see comm.h for LogGP and its source, and doc/models.md,
 * "Distances", for the order of substitutes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comm.h"

enum tape_distance tape_distance_substitute(enum tape_distance d, int k)
{
	static const enum tape_distance none = TAPE_DISTANCES;
	static const enum tape_distance order[TAPE_DISTANCES][TAPE_DISTANCES] =
	    {[TAPE_SELF] = {none},
	     [TAPE_CACHE] = {TAPE_PACKAGE, TAPE_SHM, none},
	     [TAPE_PACKAGE] = {TAPE_SHM, TAPE_CACHE, none},
	     [TAPE_SHM] = {TAPE_PACKAGE, TAPE_CACHE, none},
	     [TAPE_SWITCH] = {TAPE_NET, none},
	     [TAPE_NET] = {TAPE_SWITCH, none}};

	return order[d][k];
}

void tape_comm_loggp(struct tape_comm_model *m, enum tape_distance d,
		     const struct tape_loggp *p)
{
	double empty = p->overhead_ns + p->latency_ns;

	m->dc[d].n = 0;
	tape_curve_add(&m->dc[d], 0, p->overhead_ns, 0);
	for (int protocol = 0; protocol < 2; protocol++) {
		struct tape_curve *c = &m->transit[d][protocol];
		double ns = empty + (protocol ? p->overhead_ns : 0);

		c->n = 0;
		tape_curve_add(c, 0, ns, 0);
		tape_curve_add(c, 1, ns - p->per_byte_ns, p->per_byte_ns);
	}
}

double tape_comm_transit(const struct tape_comm_model *m,
			 const struct tape_parcel *p)
{
	double ns;

	if (m->own_transit)
		return m->own_transit(m->context, p);
	ns = tape_curve_at(&m->transit[p->distance][p->rendezvous],
			   (double)p->bytes);
	return ns + m->load_rate[p->distance] * p->load_bytes;
}

int tape_comm_loaded(const struct tape_comm_model *m)
{
	int loaded = m->own_transit != NULL;

	for (int d = 0; d < TAPE_DISTANCES; d++)
		loaded |= m->shared[d] || m->load_rate[d] > 0;
	return loaded;
}

void tape_comm_parts(const struct tape_comm_model *m,
		     const struct tape_parcel *p, double *latency_ns,
		     double *work_ns)
{
	const struct tape_curve *c = &m->transit[p->distance][p->rendezvous];
	double bytes = (double)p->bytes;

	*latency_ns = tape_comm_transit(m, p);
	*work_ns = 0;
	if (!m->shared[p->distance] || m->own_transit)
		return;
	*work_ns = fmin(tape_curve_rate(c, bytes) * bytes, *latency_ns);
	*latency_ns -= *work_ns;
}

double tape_comm_dc(const struct tape_comm_model *m,
		    const struct tape_parcel *p)
{
	return p->rendezvous ? 0 : tape_curve_at(&m->dc[p->distance],
						 (double)p->bytes);
}
