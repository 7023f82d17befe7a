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
#ifndef TAPE_MODEL_APART_H
#define TAPE_MODEL_APART_H

#include <stddef.h>
#include <stdint.h>

struct tape_apart;

/*
 * For receivers numbered from 0. NULL: out of memory. Freed by the caller, NULL
 * as well.
 */
struct tape_apart *tape_apart_new(size_t receivers);
void tape_apart_free(struct tape_apart *a);

/*
 * Had each message from that rank to the receiver, of those known to be over,
 * been received by the time s, when this one was sent?
 */
int tape_apart(struct tape_apart *a, size_t to, int from, int64_t s);

/* A message to that receiver from that rank was received by er. */
void tape_apart_ended(struct tape_apart *a, size_t to, int from, int64_t er);

#endif
