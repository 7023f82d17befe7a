/*
 * The output of a plug-in. It is stored until the plug-in ends, then written as
 * lines to the pipe to the analysis: "L level text", "F level value name", and
 * "E" as the last line.
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
	FILE *lines;	   /* writes to text */
	uint64_t left_out; /* number of dropped lines, after the size limit */
	struct plug_shared *shared;
	const char *arguments; /* arguments of the plug-in */
};

/* Dies when out of memory. */
void plugin_output_open(struct plugin_output *s, struct plug_shared *shared,
			const char *arguments);

/* Writes the output to the pipe, and frees it. */
void plugin_output_close(struct plugin_output *s, int pipe);

/* Reports that the plug-in has failed, and ends the process. */
__attribute__((noreturn, format(printf, 2, 3))) void
plugin_output_fail(struct plug_shared *shared, const char *format, ...);

#endif
