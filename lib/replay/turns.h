/*
 * Whose turn it is: a heap of flows by what comes next of each, the beginning
 * of an event or its end. The owner frees heap, which has room for all flows.
 */
#ifndef TAPE_TURNS_H
#define TAPE_TURNS_H

#include <stddef.h>
#include <stdint.h>

struct tape_turn {
	int64_t ns;
	int begins; /* at the same time ends come first, then the first flow */
	uint32_t flow;
};

int tape_turn_before(const struct tape_turn *a, const struct tape_turn *b);

/* heap[0] is the earliest of n turns. */
struct tape_turns {
	struct tape_turn *heap;
	size_t n;
};

void tape_turns_push(struct tape_turns *t, struct tape_turn one);

/* Replaces the earliest turn. */
void tape_turns_replace(struct tape_turns *t, struct tape_turn one);

/* Removes the earliest turn. */
void tape_turns_pop(struct tape_turns *t);

#endif
