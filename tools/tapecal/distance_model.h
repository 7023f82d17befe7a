/* The measured times of one distance, and their lines in a model file. */
#ifndef TAPECAL_DISTANCE_MODEL_H
#define TAPECAL_DISTANCE_MODEL_H

#include <stdio.h>

#include "comm.h"
#include "measure.h"

/* Sizes: 0, and from 1 byte on powers of two and the middles between them. */
#define DISTANCE_MODEL_SIZES 48

struct distance_model {
	enum tape_distance distance;
	int64_t limit_bytes;
	/* by size; no rounds if the protocol is not used for the size */
	struct times eager[DISTANCE_MODEL_SIZES], dc[DISTANCE_MODEL_SIZES];
	struct times rendezvous[DISTANCE_MODEL_SIZES];
};

/* The i-th size in bytes; -1: no more sizes. */
int64_t distance_model_size(int i);

/*
 * Writes the lines of a model file to out, below comments with the measured
 * times. Sorts the times. Returns 0, or -1 when out of memory.
 */
int distance_model_write(struct distance_model *f, FILE *out);

#endif
