/* Whose clock is it? The hosts of each clock domain, and their ranks. */
#ifndef SBA_HOSTS_H
#define SBA_HOSTS_H

#include "tape_reader.h"

struct host_rank {
	uint32_t domain;
	const char *host;
	int rank;
};

/* In order of domain, host and rank; a rank that left no file is not there. */
struct hosts {
	struct host_rank *r;
	size_t n;
};

/* Dies when out of memory. Not to be used after t is closed. */
void hosts_open(struct hosts *h, const struct tape_trace *t);
void hosts_close(struct hosts *h);

/*
 * At most n bytes of a name in the trace, on standard output; "?" stands for
 * what a terminal could take for anything but a letter. Returns their number.
 */
int hosts_name(const char *name, size_t n);

/* On standard output "host1: 0-3, 6; host2: 4, 5", or a JSON array of them. */
void hosts_text(const struct hosts *h, uint32_t domain);
void hosts_json(const struct hosts *h, uint32_t domain);

#endif
