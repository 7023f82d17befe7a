/*
 * A message as the correction sees it: both ends, and the bounds of its
 * transit. The names are those of Maillet 1996, 4.5; times are ns.
 */
#ifndef TAPE_TRANSFER_H
#define TAPE_TRANSFER_H

#include <stdint.h>

/* One message, seen at both ends. */
struct tape_transfer {
	int64_t s_ns;        /* start of the send, S */
	int64_t sr_ns, er_ns; /* start and end of the receive, SR and ER */
	double ps, pr;       /* perturbations at S and at SR */
	int arrived;         /* t(B) <= t(SR) */
	/* arrived 0: the test was this long before SR; t(B) may lie between
	 * the test and SR */
	double asked_ns;
	double transit_ns;   /* of the model, for this size */
	double dmax_ns;      /* guaranteed bound of the transit, or INFINITY */
	double dc_ns;        /* estimated time to receive the arrived message */
	/* by how much clock error may have shortened ER - SR */
	double own_ns;
};

#endif
