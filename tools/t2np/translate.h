/*
 * Translates events to New PICL:
 *
 *	struct translate *t = translate_new(trace, replay, file, 0);
 *
 *	while (tape_replay_next(replay, &i) == 1)
 *		if (i->kind == TAPE_ITEM_BEGIN)
 *			translate_event(t, i->event);
 *	translate_end(t);
 *
 * All functions die when out of memory, or if writing fails. Memory, without
 * that of replay, is bounded by the open regions and the definitions.
 */
#ifndef T2NP_TRANSLATE_H
#define T2NP_TRANSLATE_H

#include <stdio.h>

#include "replay.h"

struct translate;

/*
 * trace, replay and f outlive the translation. replay has requests
 * (TAPE_REPLAY_REQUESTS). overhead: also show the tracer's own time.
 */
struct translate *translate_new(const struct tape_trace *trace,
				const struct tape_replay *replay, FILE *f,
				int overhead);

void translate_event(struct translate *t, const struct tape_event *e);

/* Ends all nodes at the time of the last event, and frees t. */
void translate_end(struct translate *t);

#endif
