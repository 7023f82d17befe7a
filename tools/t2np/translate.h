/*
 * What each event becomes in New PICL:
 *
 *	struct translate *t = translate_new(trace, file);
 *
 *	while (tape_merge_next(merge, &e) == 1)
 *		translate_event(t, e);
 *	translate_end(t);
 *
 * Events come in order of their starts, as the merged reader gives them. Every
 * function dies when out of memory or when the file takes no more. Memory is
 * bounded by the requests outstanding, the regions open and the definitions.
 */
#ifndef T2NP_TRANSLATE_H
#define T2NP_TRANSLATE_H

#include <stdio.h>

#include "tape_reader.h"

struct translate;

/* trace and f outlive it. */
struct translate *translate_new(const struct tape_trace *trace, FILE *f);

void translate_event(struct translate *t, const struct tape_event *e);

/* Ends every node at the time of the last event, and frees. */
void translate_end(struct translate *t);

#endif
