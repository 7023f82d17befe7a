/* The hosts of each clock domain, and their ranks. */
#ifndef SBA_HOSTS_H
#define SBA_HOSTS_H

#include "tape_reader.h"

struct host_rank {
	uint32_t domain;
	const char *host;
	int rank;
};

/* Ranks in order of domain, host and rank, without ranks that left no file. */
struct hosts {
	struct host_rank *r;
	size_t n;
};

/* Dies when out of memory. Valid until t is closed. */
void hosts_open(struct hosts *h, const struct tape_trace *t);
void hosts_close(struct hosts *h);

/*
 * Prints at most n bytes of a name of the trace; "?" replaces characters that a
 * terminal may interpret. Returns the number of columns.
 */
int hosts_name(const char *name, size_t n);

/* Prints "host1: 0-3, 6; host2: 4, 5", or a JSON array of hosts. */
void hosts_text(const struct hosts *h, uint32_t domain);
void hosts_json(const struct hosts *h, uint32_t domain);

#endif
