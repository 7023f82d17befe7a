/*
 * What the streams of a process have in common: the communicator that their
 * messages travel on, and how many were opened to each rank, which gives each
 * stream tags of its own. The library's streams and the tracer's share the
 * communicator of the job and have tags of their own.
 */
#ifndef TAPE_STREAMS_H
#define TAPE_STREAMS_H

#include <mpi.h>
#include <stdint.h>

#include "tape_stream.h"

/* Of the tags, of which there are 32768 at least, a part to each. */
enum tape_links_owner { TAPE_LINKS_LIBRARY = 0, TAPE_LINKS_TRACER = 16000 };
enum { TAPE_LINKS_TAGS = 15900 };

struct tape_links {
	MPI_Comm comm; /* it returns its errors */
	enum tape_links_owner owner;
	int size;    /* of comm */
	int *opened; /* streams, by rank */
};

/* Local. 0 or TAPE_STREAM_ENOMEM. */
int tape_links_open(struct tape_links *l, MPI_Comm comm,
		    enum tape_links_owner owner);
void tape_links_close(struct tape_links *l);

/* tape_stream_open between this rank and n others of that communicator. */
int tape_links_stream(struct tape_links *l, const int *peers, int n,
		      const char *mode, const struct tape_stream_options *o,
		      tape_stream **stream);

/*
 * The map of figure 7: which of the other partition's ranks are this one's.
 * Both are lists of ranks of l->comm. Collective over both; function may be
 * NULL, then policy and seed say. Appends to *peers, *n, which it reallocates.
 */
struct tape_links_side {
	const int *ranks;
	int size;
};
struct tape_links_rule {
	enum tape_map_policy policy;
	uint64_t seed;
	tape_map_function *function;
	void *of;
	int pivot; /* decides all, else each for itself */
};
int tape_links_map(const struct tape_links *l,
		   const struct tape_links_side *sources,
		   const struct tape_links_side *targets,
		   const struct tape_links_rule *rule, int **peers, int *n);

/* Appends one. 0 or TAPE_STREAM_ENOMEM. */
int tape_links_append(int **peers, int *n, int rank);

/* Has the other end begun to take all that was written? 1, 0, or a code. */
int tape_links_sent(tape_stream *s);

/* Waits for n requests. 0 or TAPE_STREAM_EMPI. */
int tape_links_wait(int n, MPI_Request *r);

/* The k-th of the random numbers of a seed (Steele 2014, SplitMix). */
uint64_t tape_mix(uint64_t seed, uint64_t k);

/* Between two looks at what is not there yet; tries is 0 the first time. */
void tape_links_idle(unsigned tries);

#endif
