/*
 * The reference of a correction in phases (Maillet 1996, 4.6.4): t0, the run as
 * lightly recorded, with the times of its receives from any source and of its
 * completions. t1 is the same order once more, under full tracing. Without
 * tracing, the n-th such event of a flow ends in t1 when it did in t0, less
 * what the recording of t0 had cost by then: between nothing and all alphas of
 * all flows so far, since times of a given order are sums along paths
 * (max-plus).
 *
 * Both runs have zeros of their own. The origin of a rank is the end of its
 * first event, a local call such as MPI_Init, without the alpha before it.
 * Differences of origins that are not the same for all ranks widen each bound.
 */
#ifndef CORRECT_REFERENCE_H
#define CORRECT_REFERENCE_H

#include "delay_bounds.h"
#include "tape_reader.h"

struct reference;

/* What the reference said in a pass. */
struct reference_counts {
	uint64_t events; /* that it has times of */
	uint64_t apart;	 /* where its bounds and the correction's do not meet */
	double gap_ns;	 /* by that at most */
	uint64_t tests;	 /* tests and probes: t0 cannot tell how often they
			  * fail without tracing */
	double moved_ns; /* the largest change of a corrected time */
};

/*
 * Opens the trace of that name as the reference of t1. Ends the program with a
 * sentence if it cannot be one: unreadable, clocks that are not comparable,
 * other flows, or another first call. The caller frees it after the last pass.
 */
struct reference *reference_open(const char *path, struct tape_trace *t1);
void reference_free(struct reference *r);

/* Begins a pass: all flows at their first events. */
void reference_rewind(struct reference *r);

/* The width of what is not known of the common origin, ns. */
double reference_origin_width(const struct reference *r);

/*
 * The event e of t1 ends: sets *p, its perturbation at the end as it is without
 * reference, to what the reference says, if that has a time of e.
 * Where both bounds meet, the new ones are the common part. Ends the program
 * with a sentence that names the place if e is not as in t0. Counts in c.
 */
void reference_apply(struct reference *r, const struct tape_event *e,
		     struct tape_delay *p, struct reference_counts *c);

/*
 * The flow of that number has ended in t1. Ends the program with a sentence if
 * t0 has more events.
 */
void reference_end_flow(struct reference *r, size_t flow);

#endif
