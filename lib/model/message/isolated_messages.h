/*
 * Finds isolated messages: those that were in flight without another message
 * from the same sender to the same receiver. Messages in flight together queue
 * up, so the time of the last one includes the time of the others. The rule is
 * Tape's own: doc/perturbation.md, "The communication model".
 *
 *	isolated = tape_is_isolated(a, to, from, s);  (at each receive)
 *	tape_isolated_add(a, to, from, er);
 *
 * Memory is bounded: senders that share a slot of a receiver overwrite each
 * other, and their messages then count as isolated. Receivers share no slots,
 * so the result does not depend on the order of receivers.
 */
#ifndef TAPE_MODEL_ISOLATED_MESSAGES_H
#define TAPE_MODEL_ISOLATED_MESSAGES_H

#include <stddef.h>
#include <stdint.h>

struct tape_isolated;

/*
 * For receivers numbered from 0. Returns NULL when out of memory.
 * tape_isolated_free accepts NULL.
 */
struct tape_isolated *tape_isolated_new(size_t receivers);
void tape_isolated_free(struct tape_isolated *a);

/*
 * Returns 1 if no message from rank from to receiver to that is known to be
 * complete was still in flight at s, the start of this message's send (ns).
 */
int tape_is_isolated(struct tape_isolated *a, size_t to, int from, int64_t s);

/* Stores that a message from from to to was received by er (ns). */
void tape_isolated_add(struct tape_isolated *a, size_t to, int from,
		       int64_t er);

#endif
