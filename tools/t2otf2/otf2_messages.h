/*
 * What a call does with messages, collectives and windows, as records of OTF2
 * between its enter and its leave.
 */
#ifndef T2OTF2_OTF2_MESSAGES_H
#define T2OTF2_OTF2_MESSAGES_H

#include "definitions.h"

struct otf2_messages;

/*
 * Of one rank; t and d outlive it; the caller frees. Dies when out of memory.
 */
struct otf2_messages *messages_new(const struct tape_trace *t,
				   struct definitions *d);
void messages_free(struct otf2_messages *m);

/*
 * What is begun (sends, posted receives, collectives, one-sided operations) at
 * the beginning of the step, a call; and what is complete, at its end.
 */
OTF2_ErrorCode messages_begin(struct otf2_messages *m, OTF2_EvtWriter *w,
			      const struct tape_step *s);
OTF2_ErrorCode messages_end(struct otf2_messages *m, OTF2_EvtWriter *w,
			    const struct tape_step *s);

#endif
