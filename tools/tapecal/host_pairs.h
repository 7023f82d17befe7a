/* The latencies between hosts, and which of them share switches. */
#ifndef TAPECAL_HOST_PAIRS_H
#define TAPECAL_HOST_PAIRS_H

#include <stddef.h>
#include <stdio.h>

/* Latencies in ns between n hosts, by their first processes. */
struct hosts {
	size_t n;
	float *ns;	   /* n x n, of process 0; to itself: 0 */
	char (*name)[100]; /* likewise */
};

enum { HOSTS_MAX = 4096 };

/*
 * Measures all pairs, as many side by side as there are: half of the least
 * round trip of a byte. Called by all processes. Returns 0, or -1 on all of
 * them: there are more than HOSTS_MOST hosts, or one. Process 0 has the
 * results.
 */
int hosts_measure(struct hosts *h);

/*
 * Writes a file of levels (levels/network.h) to out, with what was measured in
 * comments. 0, or a TAPE_E code; h is used as room.
 */
int hosts_write(struct hosts *h, FILE *out);

void hosts_free(struct hosts *h);

#endif
