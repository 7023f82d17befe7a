/* The order file that this process writes; see order_file.h. */
#ifndef TAPE_ORDER_WRITE_H
#define TAPE_ORDER_WRITE_H

#include "order_file.h"

/* Creates the file of this rank. Returns 0 or TAPE_EIO (errno is set). */
int tape_order_create(void);

/*
 * Appends a decision with count indices. The decision and its indices become
 * visible together. A failure is said once; later decisions are dropped.
 */
void tape_order_append(const struct tape_order_decision *d, const int *indices,
		       int count);

/* Notes that a test or probe failed: successive failures are one decision. */
void tape_order_append_failure(unsigned call);

/* Ends the file: the program had that many posts. Cuts it to its length. */
void tape_order_close(uint64_t n_posts);

#endif
