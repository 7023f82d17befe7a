/*
 * The requests that one thread created with the library's shared handle: a
 * queue of words, first in first out, in segments. Whoever waits for such a
 * request takes the oldest of its own, else of another thread; all of them are
 * complete. Where several threads make calls each queue has a lock, which only
 * its own thread asks for but where a request changed hands.
 */
#ifndef TAPE_QUEUE_H
#define TAPE_QUEUE_H

#include "core.h"

/*
 * Adds a word to the queue of f, the calling thread's, for the shared handle
 * of that number (tape_shared).
 */
void tape_queue_add(struct tape_flow *f, int which, uint64_t word);

/* Its oldest word, taken out if take is set; 0: there is none. */
uint64_t tape_queue_oldest(struct tape_flow *f, int which, int take);

#endif
