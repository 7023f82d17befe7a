/*
 * The events of all flows in the order in which to match their messages.
 *
 * That is the order of their starts, as tape_merge_next gives it, but for the
 * blocking receives of a rank that has several flows. MPI gives messages to the
 * receives of one thread in the order of these; of two threads that receive
 * with the same communicator, source and tag, the call that starts first need
 * not be the one that the library sees first. They come at their ends: then the
 * k-th of them never ends before the k-th message was sent.
 */
#ifndef TAPE_ORDER_H
#define TAPE_ORDER_H

#include "tape_reader.h"

/* When an event has its turn; several: its rank has several flows. */
static inline int64_t tape_order_turn(const struct tape_event *e, int several)
{
	return several && e->class_ == TAPE_CLASS_RECV ? e->end_ns
						       : e->start_ns;
}

struct tape_order;

/*
 * Opens all flows of t; close it before the trace. Returns 0 or a negative
 * TAPE_E code (sentence: tape_trace_error).
 */
int tape_order_open(struct tape_trace *t, struct tape_order **o);
void tape_order_close(struct tape_order *o);

/* As tape_merge_next. */
int tape_order_next(struct tape_order *o, const struct tape_event **e);
const char *tape_order_error(const struct tape_order *o);

/* What it reads from: for the ends of the flows, once all events are read. */
const struct tape_merge *tape_order_merge(const struct tape_order *o);

#endif
