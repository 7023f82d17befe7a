/*
 * The requests that one thread created with the library's shared handle: a
 * queue of words, first in first out, in segments. A call that completes such a
 * request removes the oldest word of its own thread, else of another thread;
 * all of the requests are complete. With several threads each queue has a lock,
 * which other threads use only for a request that changed threads.
 */
#ifndef TAPE_QUEUE_H
#define TAPE_QUEUE_H

#include "core.h"

/*
 * Adds a word to the queue of f, the calling thread's flow. which is the number
 * of the shared handle (tape_shared).
 */
void tape_queue_add(struct tape_flow *f, int which, uint64_t word);

/* Returns the oldest word, and removes it if take is set; 0: the queue is
 * empty. */
uint64_t tape_queue_oldest(struct tape_flow *f, int which, int take);

#endif
