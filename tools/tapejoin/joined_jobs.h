/*
 * Traces of jobs that spawned one another, as one trace: the ranks of each job
 * have numbers behind those of the jobs before it, clocks of one name are one,
 * and communicators keep their identities, which both jobs of a spawn have
 * (doc/trace-format.md), but for the world and MPI_COMM_SELF.
 */
#ifndef JOINED_JOBS_H
#define JOINED_JOBS_H

#include "output.h"
#include "tape_reader.h"

/* One of the traces. */
struct join_job {
	struct tape_trace *t;
	uint64_t id;   /* of the intercommunicator to those who spawned it; 0 */
	int parent;    /* the job that did; -1: the first one */
	int root;      /* the rank of that one that did; -1: not known */
	int first;     /* the number of its rank 0 */
	uint32_t *domains; /* the numbers of its clocks */
};

/* All of them, each behind the job that spawned it. */
struct join {
	struct join_job *jobs;
	size_t n;
	int ranks;
	const char **clocks; /* values of lines domain, from the name on */
	size_t n_clocks;
};

/*
 * Opens n traces and, for each of them, those of the jobs that it spawned, as
 * far as its files name them. Dies with a sentence where they are not one tree,
 * or differ in what holds for a trace as a whole.
 */
void join_open(struct join *j, char **paths, size_t n);
void join_close(struct join *j);

/* The files of the new trace. */
void join_write(const struct join *j, struct tape_output *o);

/*
 * A file of the trace, with a zero behind it; *n: its bytes. NULL: there is
 * none. Dies if there are more than 256 MiB.
 */
char *join_text(const struct tape_trace *t, const char *name, size_t *n);

#endif
