/*
 * The order file of a rank (catalogue/order_file.h), made of the events of the
 * thread that called MPI_Init. Events say which request a call completed, not
 * its index, so the decisions name requests by their number.
 */
#ifndef TAPE_EVENT_ORDER_H
#define TAPE_EVENT_ORDER_H

#include <stdio.h>

#include "tape_reader.h"

/* Ends the program with a sentence if no rank of the trace can be converted. */
void event_order_check(const struct tape_trace *t);

/*
 * Writes the order file of a rank to out. Memory grows with the number of
 * requests that are pending at a time. Ends the program with a sentence if the
 * events do not have all decisions.
 */
void event_order_write(struct tape_trace *t, int rank, FILE *out);

#endif
