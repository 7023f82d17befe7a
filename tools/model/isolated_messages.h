/*
 * Which messages were alone on their way? Of several that were started together
 * each waits for those before it: what a receiver sees of the last one is their
 * time, too, and says nothing of a message's own.
 *
 *	alone = tape_apart(a, to, from, s);  (each message, as it is received)
 *	tape_apart_ended(a, to, from, er);
 *
 * Memory is bounded: senders that share a place of their receiver forget each
 * other, and their messages are then taken for alone. Receivers have nothing in
 * common, so that it does not matter which of them is asked first.
 */
#ifndef TAPE_MODEL_ISOLATED_MESSAGES_H
#define TAPE_MODEL_ISOLATED_MESSAGES_H

#include <stddef.h>
#include <stdint.h>

struct tape_isolated;

/*
 * For receivers numbered from 0. NULL: out of memory. Freed by the caller, NULL
 * as well.
 */
struct tape_isolated *tape_isolated_new(size_t receivers);
void tape_isolated_free(struct tape_isolated *a);

/*
 * Had each message from that rank to the receiver, of those known to be over,
 * been received by the time s, when this one was sent?
 */
int tape_is_isolated(struct tape_isolated *a, size_t to, int from, int64_t s);

/* A message to that receiver from that rank was received by er. */
void tape_isolated_add(struct tape_isolated *a, size_t to, int from,
		       int64_t er);

#endif
