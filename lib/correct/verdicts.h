/* Whether timestamps contradict a dependency. */
#ifndef CORRECT_VERDICTS_H
#define CORRECT_VERDICTS_H

#include "engine_parts.h"

/*
 * What timestamps say of a dependency: did the event that waits end before what
 * it waits for began, by more than the clocks of both may err?
 */
enum engine_verdict {
	ENGINE_DEPENDS,	    /* it did not */
	ENGINE_INDEPENDENT, /* it did, and need not have waited */
	ENGINE_WRONG_TRACE, /* it did by one clock, and must have waited for
			     * something: this was something else */
	ENGINE_WRONG_CLOCKS /* it did by two clocks, and must have waited */
};

/*
 * The event of f ends a receive (or a probe, or a send) by op, whose message is
 * in s. A pair of a key that several threads share may be wrong. A send may
 * have left its message in a buffer, unless it is synchronous.
 */
enum engine_verdict engine_judge_pair(const struct engine *g,
				      const struct flow *f,
				      const struct tape_op *op,
				      const struct tape_slot *s);

/* Do several threads of a rank send, or receive, messages of that key? */
int engine_is_shared_pair(const struct flow *f, const struct tape_op *op,
			  const struct tape_slot *s);

/* The event of f heard by op what another did with a window, in s. */
enum engine_verdict engine_judge_window(const struct engine *g,
					const struct flow *f,
					const struct tape_op *op,
					const struct tape_slot *s);

/*
 * The event of f leaves q as r. It may leave before member i enters where MPI
 * allows that.
 */
enum engine_verdict engine_judge_entry(const struct engine *g,
				       const struct flow *f,
				       const struct tape_request *r,
				       const struct tape_round *q, int i);

#endif
