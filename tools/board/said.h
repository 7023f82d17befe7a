/*
 * What a plug-in says: kept until its end, then written as lines to the pipe to
 * the analysis: "L level text", "F level value name", and "E" as the last one.
 */
#ifndef BOARD_SAID_H
#define BOARD_SAID_H

#include <pthread.h>
#include <stdio.h>

#include "plug_ring.h"

struct said {
	pthread_mutex_t lock;
	char *text;
	size_t bytes;
	FILE *lines;	   /* into text */
	uint64_t left_out; /* lines, because there were too many */
	struct plug_shared *shared;
	const char *arguments; /* what it was told */
};

/* Dies when out of memory. */
void said_begin(struct said *s, struct plug_shared *shared,
		const char *arguments);

/* Writes it to the pipe. */
void said_end(struct said *s, int pipe);

/* The plug-in has failed: ends the process. */
__attribute__((noreturn, format(printf, 2, 3))) void
said_failed(struct plug_shared *shared, const char *format, ...);

#endif
