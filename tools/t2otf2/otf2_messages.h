/*
 * OTF2's records of messages, collectives and windows, which are written
 * between the enter and the leave of a call.
 */
#ifndef T2OTF2_OTF2_MESSAGES_H
#define T2OTF2_OTF2_MESSAGES_H

#include "definitions.h"

struct otf2_messages;

/*
 * The state of one rank. t and d outlive it; the caller frees. Dies when out of
 * memory.
 */
struct otf2_messages *messages_new(const struct tape_trace *t,
				   struct definitions *d);
void messages_free(struct otf2_messages *m);

/*
 * Write the records of a call: of operations that begin (sends, posted
 * receives, collectives, one-sided operations), with its start time; of
 * operations that complete, with its end time.
 */
OTF2_ErrorCode messages_begin(struct otf2_messages *m, OTF2_EvtWriter *w,
			      const struct tape_step *s);
OTF2_ErrorCode messages_end(struct otf2_messages *m, OTF2_EvtWriter *w,
			    const struct tape_step *s);

#endif
