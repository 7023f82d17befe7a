/*
 * Puts the records of all flows into one order of time. Each flow's records
 * come in that order already; the exit of a call is known when its entry is,
 * long before its time.
 *
 * At one and the same time the exits of receives and collectives go last, as
 * far as the order within the flows allows: no reader shall see a message
 * received before it was sent.
 */
#ifndef T2NP_ORDER_H
#define T2NP_ORDER_H

#include "picl.h"

struct order;

/* Dies when out of memory, as does order_add. The caller frees. */
struct order *order_new(size_t flows);
void order_free(struct order *o);

/* Adds a record of the flow, not earlier than the one added to it before. */
void order_add(struct order *o, size_t flow, const struct picl_record *r);

/*
 * The last record that was added of the flow is not later than time_ns, which
 * is not before the one before it. If it was written already, nothing happens.
 */
void order_cut(struct order *o, size_t flow, int64_t time_ns);

/*
 * Writes every record earlier than time_ns, which is that of the next event.
 * While more than a million wait, which takes a trace in which time stands
 * still, those of time_ns too: memory is bounded at the price of the rule for
 * equal times.
 */
void order_write(struct order *o, int64_t time_ns, struct picl *out);

/* Writes all the rest. */
void order_finish(struct order *o, struct picl *out);

#endif
