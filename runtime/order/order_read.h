/* The order file that this process replays; see order_file.h. */
#ifndef TAPE_ORDER_READ_H
#define TAPE_ORDER_READ_H

#include <stddef.h>

#include "config.h"
#include "order_file.h"

/*
 * Makes the name of the trace to replay absolute, for processes in other
 * directories; a name that does not exist stays.
 */
void tape_order_find_trace(struct tape_config *c);

/*
 * Reads the file of that rank in the directory and checks all of it. Non-zero:
 * error, of n bytes, has a sentence. A file that was open is replaced.
 */
int tape_order_open(const char *dir, int rank, char *error, size_t n);

/* Returns the next decision, which is no post's, or NULL at the end. */
const struct tape_order_decision *tape_order_peek(void);
/* Goes to the decision after it. */
void tape_order_advance(void);
/* Number of the next decision, from 1. */
uint64_t tape_order_position(void);
/* Number of posts of the recorded program; UINT64_MAX if it was killed. */
uint64_t tape_order_count_posts(void);

/* Returns the decision that ends post number, or NULL. */
const struct tape_order_decision *tape_order_end_of_post(uint64_t number);

#endif
