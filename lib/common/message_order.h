/*
 * What tico found of calls that depend on when messages arrive: the line
 * "order CALLS OPEN TURNED" of the meta of a corrected trace.
 */
#ifndef TAPE_MESSAGE_ORDER_H
#define TAPE_MESSAGE_ORDER_H

#include "tape_reader.h"

struct tape_message_order {
	uint64_t calls;	 /* such calls */
	uint64_t open;	 /* of these might end otherwise without tracing */
	uint64_t turned; /* and would */
};

/* Returns 1 if t has such a line; else 0, and *o is zeroed. */
int tape_message_order_read(struct tape_message_order *o,
			    const struct tape_trace *t);

#endif
