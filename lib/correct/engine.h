/*
 * Processes a trace in the order of its dependencies (a receive after its
 * send), flow by flow, and computes the corrected timestamps of each event.
 */
#ifndef CORRECT_ENGINE_H
#define CORRECT_ENGINE_H

#include "correction.h"

/*
 * What the trace says of the clocks that its events have; *several: are there,
 * *rank: one whose clock is the worst known, -1 where all are bounded.
 */
enum clocks clocks_known(const struct tape_trace *t, int *several, int *rank);

/*
 * One pass over t. learner: collects samples of what sample says, counts in
 * sample->sent what is sent there, corrects nothing; out is NULL. What it
 * learns does not depend on the order in which it looks at the flows.
 * Otherwise corrects with the model and writes the flows to out, each end with
 * its certificate (delay_bounds.h) if there is one.
 * Returns 0; or, having stopped half-way, ENGINE_LACKS where the trace has
 * SAMPLE_MANY messages of a distance and size class and the sample, of a part
 * of it, less. The caller frees r with result_free.
 *
 * With how->peers, who do the same, only the flows of its own ranks are gone
 * through, and r is of these. All return the same, which may be ENGINE_ALONE:
 * the trace has what one process has to go through alone. A learner is alone.
 */
int engine_run(struct tape_trace *t, const struct eager *eager,
	       struct tape_comm_learner *learner,
	       const struct tape_comm_model *model, const struct how *how,
	       struct sample *sample, struct tape_output *out,
	       struct result *r);

#endif
