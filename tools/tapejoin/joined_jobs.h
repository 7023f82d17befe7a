/*
 * The traces of jobs that spawned one another, as one trace. The ranks of each
 * job are numbered after those of the jobs before it. Clocks that have one
 * name are one clock. Communicators keep their identities, which are the same
 * in both jobs of a spawn (doc/trace-format.md), except MPI_COMM_WORLD and
 * MPI_COMM_SELF, which each job has for itself.
 */
#ifndef JOINED_JOBS_H
#define JOINED_JOBS_H

#include "output.h"
#include "tape_reader.h"

/* Bounds, whatever a file says. */
enum {
	JOBS_MAX = 16384,
	RANKS_MAX = 1 << 24,
	CHILDREN_MAX = 65536,	/* lines "child" of all traces */
	TEXT_BYTES_MAX = 1 << 28,
	SPAWN_BYTES_MAX = 1 << 20 /* of a file spawn.ID */
};

/* One job and its trace. */
struct join_job {
	struct tape_trace *t;
	uint64_t id; /* of the intercommunicator to its parent; 0: none */
	int64_t date_s; /* start of the run */
	int parent;	/* the job that spawned this one; -1: none did */
	int root;  /* rank of the parent that was the root; -1: unknown */
	int first; /* the number of its rank 0 in the joined trace */
	uint32_t *clocks; /* numbers of its clock domains there */
};

/* Copies of texts, in the order in which they were added. */
struct join_list {
	char **text;
	size_t n;
};

/* The keys of meta that the joined trace has; see job_meta.c. */
enum { JOIN_KEYS = 12 };

/* All jobs, each after the one that spawned it. */
struct join {
	struct join_job *jobs;
	size_t n;
	int ranks;
	char *classes;		 /* the lines "class" */
	struct join_list clocks; /* values of "domain", without the index */
	struct join_list meta[JOIN_KEYS];
};

/*
 * Opens the traces at n paths. For each trace, opens those of the jobs that it
 * spawned, where its files name them; a trace that is named there and cannot be
 * joined is left out with a warning. Dies with a sentence where the traces are
 * not of one tree of jobs, or where no single trace can hold them.
 */
void join_open(struct join *j, char **paths, size_t n);
void join_close(struct join *j);

/* Writes the files of the joined trace. */
void join_write(const struct join *j, struct tape_output *o);

/* ---- between the files of this tool ---- */

/* Opens the traces, in any order (jobs.c). */
void join_find_jobs(struct join *j, char **paths, size_t n);

/* Finds parents and roots; puts each job after its parent (job_order.c). */
void join_order_jobs(struct join *j);

/* Reads meta of all jobs, numbers the clocks; writes meta (job_meta.c). */
void join_read_meta(struct join *j);
void join_write_meta(const struct join *j, struct tape_output *o);

/* A text file of a trace. */
struct join_text {
	char *bytes;
	size_t n, at;
};

/*
 * Reads a text file of a trace. Returns 0, or -1 with errno. Dies with a
 * sentence if the file has more than most bytes. join_text_line() returns the
 * next line that was written in full, or NULL at the end.
 */
int join_text_open(struct join_text *x, const struct tape_trace *t,
		   const char *name, size_t most);
char *join_text_line(struct join_text *x);
void join_text_close(struct join_text *x);

/* Appends a copy of the text; frees all copies. */
void join_list_add(struct join_list *l, const char *text);
void join_list_free(struct join_list *l);

#endif
