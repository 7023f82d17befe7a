/* The latencies between hosts, and the levels of switches. */
#ifndef TAPECAL_HOST_PAIRS_H
#define TAPECAL_HOST_PAIRS_H

#include <stddef.h>
#include <stdio.h>

/* Latencies between n hosts, measured by their first processes. */
struct hosts {
	size_t n;
	float *ns;	   /* n x n, in process 0; to itself: 0 */
	char (*name)[100]; /* in process 0 */
};

enum { HOSTS_MAX = 4096 };

/*
 * Measures all pairs, with as many pairs at a time as possible: half of the
 * least round trip of a byte. Called by all processes; process 0 has the
 * results. Returns 0, or -1 in all processes if there are more than HOSTS_MAX
 * hosts, or one.
 */
int hosts_measure(struct hosts *h);

/*
 * Writes a file of levels (levels/network.h) to out, with the measured
 * latencies as comments. Returns 0 or a TAPE_E code.
 */
int hosts_write(struct hosts *h, FILE *out);

void hosts_free(struct hosts *h);

#endif
