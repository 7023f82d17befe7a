/*
 * Sorts the records of all flows by time. The records of a flow are added in
 * the order of time. The exit of a call is added together with its entry, long
 * before its time.
 *
 * Of records with equal times, exits of receives and collectives are last, as
 * far as the order within the flows allows. So no reader sees a message
 * received before it was sent.
 */
#ifndef T2NP_ORDER_H
#define T2NP_ORDER_H

#include "picl.h"

struct order;

/* Dies when out of memory, as does order_add. The caller frees. */
struct order *order_new(size_t flows);
void order_free(struct order *o);

/* Adds a record of the flow, not earlier than the flow's previous record. */
void order_add(struct order *o, size_t flow, const struct picl_record *r);

/*
 * Limits the time of the flow's last record to time_ns, which is not before the
 * flow's last but one record. Does nothing if the record is already written.
 */
void order_cut(struct order *o, size_t flow, int64_t time_ns);

/*
 * Writes all records earlier than time_ns, the time of the next event. If more
 * than a million records wait, because many events have equal times, it also
 * writes records of time_ns. This bounds memory, but may break the rule for
 * equal times.
 */
void order_write(struct order *o, int64_t time_ns, struct picl *out);

/* Writes all remaining records. */
void order_finish(struct order *o, struct picl *out);

#endif
