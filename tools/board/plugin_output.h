/*
 * What a plug-in says: kept until its end, then written as lines to the pipe to
 * the analysis: "L level text", "F level value name", and "E" as the last one.
 */
#ifndef BOARD_PLUGIN_OUTPUT_H
#define BOARD_PLUGIN_OUTPUT_H

#include <pthread.h>
#include <stdio.h>

#include "plug_ring.h"

struct plugin_output {
	pthread_mutex_t lock;
	char *text;
	size_t bytes;
	FILE *lines;	   /* into text */
	uint64_t left_out; /* lines, because there were too many */
	struct plug_shared *shared;
	const char *arguments; /* what it was told */
};

/* Dies when out of memory. */
void plugin_output_open(struct plugin_output *s, struct plug_shared *shared,
			const char *arguments);

/* Writes it to the pipe. */
void plugin_output_close(struct plugin_output *s, int pipe);

/* The plug-in has failed: ends the process. */
__attribute__((noreturn, format(printf, 2, 3))) void
plugin_output_fail(struct plug_shared *shared, const char *format, ...);

#endif
