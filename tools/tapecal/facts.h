/* What is known of one distance, and how it is put into a model file. */
#ifndef TAPECAL_FACTS_H
#define TAPECAL_FACTS_H

#include <stdio.h>

#include "comm.h"
#include "measure.h"

/* 0, and from 1 byte the powers of two and what is halfway to the next. */
#define FACTS_SIZES 48

struct facts {
	enum tape_distance distance;
	int64_t limit_bytes;
	/* by size; no rounds where the protocol is not used for it */
	struct times eager[FACTS_SIZES], dc[FACTS_SIZES];
	struct times rendezvous[FACTS_SIZES];
};

/* The i-th size in bytes; -1: there are no more. */
int64_t facts_size(int i);

/*
 * Writes the lines of a model file to out, below comments that say what was
 * measured; sorts the times. 0, or -1: out of memory.
 */
int facts_write(struct facts *f, FILE *out);

#endif
