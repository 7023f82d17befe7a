/*
 * The order in which a run received: of each thread, the senders and tags of
 * messages that calls for any source or any tag received, and what waits,
 * tests and probes completed or found.
 */
#ifndef TAPE_ORDER_HASH_H
#define TAPE_ORDER_HASH_H

#include <stdint.h>

/*
 * Sets *hash to a number of the order of the trace: equal orders have equal
 * numbers. Returns 0; or -1 after a sentence, if the trace cannot be read.
 */
int order_hash_read(const char *trace, uint64_t *hash);

#endif
