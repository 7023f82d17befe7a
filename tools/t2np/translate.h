/*
 * What each event becomes in New PICL:
 *
 *	struct translate *t = translate_new(trace, replay, file, 0);
 *
 *	while (tape_replay_next(replay, &i) == 1)
 *		if (i->kind == TAPE_ITEM_BEGIN)
 *			translate_event(t, i->event);
 *	translate_end(t);
 *
 * Every function dies when out of memory or when the file takes no more. Memory
 * is bounded by the regions open and the definitions, beside that of replay.
 */
#ifndef T2NP_TRANSLATE_H
#define T2NP_TRANSLATE_H

#include <stdio.h>

#include "replay.h"

struct translate;

/*
 * All three outlive it; replay knows requests (TAPE_REPLAY_REQUESTS). overhead:
 * the tracer's own time is shown, too.
 */
struct translate *translate_new(const struct tape_trace *trace,
				const struct tape_replay *replay, FILE *f,
				int overhead);

void translate_event(struct translate *t, const struct tape_event *e);

/* Ends every node at the time of the last event, and frees. */
void translate_end(struct translate *t);

#endif
