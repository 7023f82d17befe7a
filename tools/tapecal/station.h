/* What the measurements have in common; not for others. */
#ifndef TAPECAL_STATION_H
#define TAPECAL_STATION_H

#include <mpi.h>

#include "measure.h"

enum { DATA = 1, CONTROL, NOBODYS };

/* A batch: how many rounds; exchanges as in measure.h. */
struct plan {
	int rounds, exchanges;
};

struct station {
	MPI_Comm data, control;
	char *out, *in;
	double clock_ns; /* a reading of it */
};

double now_ns(void);

/*
 * Batches of messages that are passed on, at the first process: of BOUNCE and
 * EXCHANGE, and of the calls; and all of them at the second one.
 */
void passing_rounds(const struct link *l, enum measure what, int bytes,
		    const struct plan *p, double *ns);
void passing_calls(const struct link *l, enum measure what, int bytes,
		   const struct plan *p, double *ns);
void passing_answer(const struct link *l, enum measure what, int bytes,
		    const struct plan *p);

#endif
