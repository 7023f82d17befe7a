/* What is known of one distance, and how it is put into a model file. */
#ifndef TAPECAL_DISTANCE_MODEL_H
#define TAPECAL_DISTANCE_MODEL_H

#include <stdio.h>

#include "comm.h"
#include "measure.h"

/* 0, and from 1 byte the powers of two and what is halfway to the next. */
#define DISTANCE_MODEL_SIZES 48

struct distance_model {
	enum tape_distance distance;
	int64_t limit_bytes;
	/* by size; no rounds where the protocol is not used for it */
	struct times eager[DISTANCE_MODEL_SIZES], dc[DISTANCE_MODEL_SIZES];
	struct times rendezvous[DISTANCE_MODEL_SIZES];
};

/* The i-th size in bytes; -1: there are no more. */
int64_t distance_model_size(int i);

/*
 * Writes the lines of a model file to out, below comments that say what was
 * measured; sorts the times. 0, or -1: out of memory.
 */
int distance_model_write(struct distance_model *f, FILE *out);

#endif
