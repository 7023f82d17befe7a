/*
 * Which messages were alone on their way? Of several that were started together
 * each waits for those before it: what a receiver sees of the last one is their
 * time, too, and says nothing of a message's own.
 *
 *	alone = tape_apart(a, from, to, s);     (each message, as it is
 *received) tape_apart_ended(a, from, to, er);
 *
 * Memory is bounded: pairs that share a place forget each other, and are then
 * taken for alone.
 */
#ifndef TAPE_MODEL_APART_H
#define TAPE_MODEL_APART_H

#include <stdint.h>

struct tape_apart;

/* NULL: out of memory. Freed by the caller, NULL as well. */
struct tape_apart *tape_apart_new(void);
void tape_apart_free(struct tape_apart *a);

/*
 * Had each message from one rank to the other, of those known to be over, been
 * received by the time s, when this one was sent?
 */
int tape_apart(const struct tape_apart *a, int from, int to, int64_t s);

/* A message of that pair was received by er. */
void tape_apart_ended(struct tape_apart *a, int from, int to, int64_t er);

#endif
