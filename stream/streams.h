/*
 * State shared by the streams of a process: the communicator of their messages,
 * and the number of streams opened to each rank, from which each stream gets
 * its tags. The library's streams and the tracer's streams share the
 * communicator of the job and use separate ranges of tags.
 */
#ifndef TAPE_STREAMS_H
#define TAPE_STREAMS_H

#include <mpi.h>
#include <stdint.h>

#include "tape_stream.h"

/* First tag of each owner's range. MPI has at least 32768 tags. */
enum tape_links_owner { TAPE_LINKS_LIBRARY = 0, TAPE_LINKS_TRACER = 16000 };
enum { TAPE_LINKS_TAGS = 15900 };

struct tape_links {
	MPI_Comm comm; /* its error handler is MPI_ERRORS_RETURN */
	enum tape_links_owner owner;
	int size;    /* of comm */
	int *opened; /* number of streams opened to each rank */
};

/* Local. Returns 0 or TAPE_STREAM_ENOMEM. */
int tape_links_open(struct tape_links *l, MPI_Comm comm,
		    enum tape_links_owner owner);
void tape_links_close(struct tape_links *l);

/* As tape_stream_open_map, for n peers, which are ranks of l->comm. */
int tape_links_stream(struct tape_links *l, const int *peers, int n,
		      const char *mode, const struct tape_stream_options *o,
		      tape_stream **stream);

/*
 * The map of figure 7: finds the ranks of the other side that this process is
 * connected to, and appends them to *peers, *n (reallocated). Both sides are
 * lists of ranks of l->comm. Collective over both. If function is NULL, policy
 * and seed decide.
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
	int pivot; /* the first target decides for all processes; else
		    * each process decides for itself */
};
int tape_links_map(const struct tape_links *l,
		   const struct tape_links_side *sources,
		   const struct tape_links_side *targets,
		   const struct tape_links_rule *rule, int **peers, int *n);

/* Appends a rank to *peers. Returns 0 or TAPE_STREAM_ENOMEM. */
int tape_links_append(int **peers, int *n, int rank);

/*
 * Returns 1 if the peers have begun to receive all written blocks, 0 if not, or
 * a code.
 */
int tape_links_sent(tape_stream *s);

/* Waits for n requests. Returns 0 or TAPE_STREAM_EMPI. */
int tape_links_wait(int n, MPI_Request *r);

/* Returns the k-th random number of a seed (Steele 2014, SplitMix). */
uint64_t tape_mix(uint64_t seed, uint64_t k);

/* Pauses between two polls; tries counts the polls, from 0 on. */
void tape_links_idle(unsigned tries);

#endif
