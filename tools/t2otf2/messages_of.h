/*
 * What a call does with messages, collectives and windows, as records of OTF2
 * between its enter and its leave.
 */
#ifndef T2OTF2_MESSAGES_OF_H
#define T2OTF2_MESSAGES_OF_H

#include "definitions.h"

struct messages_of;

/*
 * Of one rank; t and d outlive it; the caller frees. Dies when out of memory.
 */
struct messages_of *messages_new(const struct tape_trace *t,
				 struct definitions *d);
void messages_free(struct messages_of *m);

/*
 * What is begun (sends, posted receives, collectives, one-sided operations) at
 * the beginning of the step, a call; and what is complete, at its end.
 */
OTF2_ErrorCode messages_begin(struct messages_of *m, OTF2_EvtWriter *w,
			      const struct tape_step *s);
OTF2_ErrorCode messages_end(struct messages_of *m, OTF2_EvtWriter *w,
			    const struct tape_step *s);

#endif
