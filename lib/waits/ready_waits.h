/*
 * How much of each wait was waiting for a processor: what would not have been
 * waited if each flow had had a processor of its own, as far as the marks of
 * the processor tell.
 *
 * In the terms of delay.h: call X of flow w waits for flow l. R_l(c) and R_w(c)
 * are the times of activity c in which the flows were ready without a
 * processor. With a processor for each the delay d(c) is
 * max(0, (t_l(c) - R_l(c)) - (t_w(c) - R_w(c))); what d(c) loses,
 * min(d(c), max(0, R_l(c) - R_w(c))), is the share of the processor. Of W, what
 * l waited itself, the share is that of these waits. All are bounds, as R_l and
 * R_w are (processor_use.h); of waiting without a cause nothing is known.
 */
#ifndef TAPE_READY_WAITS_H
#define TAPE_READY_WAITS_H

#include "delay.h"

/*
 * Calls wait for each call that waited, in the order in which they ended, with
 * the bounds of its share. After tape_delays_find, whose notes in the history
 * are overwritten. Returns 0 or TAPE_ENOMEM.
 */
int tape_ready_waits_find(struct tape_analysis *a,
			  void (*wait)(void *own, const struct tape_sync *s,
				       const struct tape_ready *share),
			  void *own);

#endif
