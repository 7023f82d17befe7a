/* The processes of an MPI job; see job.h. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <mpi.h>

#include "job.h"
#include "tool.h"

struct job {
	struct tape_peers peers;
	/* of each process: bytes of now, and where they are */
	int *n_out, *n_in, *at_out, *at_in;
	char *out, *in;
	size_t out_room, in_room;
	void (*dismiss)(struct tape_peers *p);
	int over;
	pid_t pid; /* a child that ends is none of the job */
};

static struct job job;

static int make_room(char **at, size_t *room, size_t n)
{
	char *grown;

	if (n <= *room)
		return 0;
	grown = realloc(*at, 2 * n);
	if (!grown)
		return TAPE_ENOMEM;
	*at = grown;
	*room = 2 * n;
	return 0;
}

/* Where each one's bytes are; returns how many there are. */
static size_t lay_out(const int *n, int *at, int processes)
{
	size_t sum = 0;

	for (int i = 0; i < processes; i++) {
		at[i] = (int)sum;
		sum += (size_t)n[i];
		if (sum > INT_MAX)
			tape_die(TAPE_FAILED, "more than 2 GiB at once for one "
					      "of the processes");
	}
	return sum;
}

/*
 * Waits for what all take part in. The libraries' own waiting keeps a core busy
 * that another process may need to come here: after some looking others get it,
 * for ever longer.
 */
static void wait_for(MPI_Request *r)
{
	enum { LOOKS = 200, LONGEST_NS = 1000000 };
	struct timespec t = {.tv_nsec = 1000};
	int done = 0;

	for (int i = 0; !MPI_Test(r, &done, MPI_STATUS_IGNORE) && !done; i++) {
		if (i < LOOKS)
			continue;
		nanosleep(&t, NULL);
		if (t.tv_nsec < LONGEST_NS)
			t.tv_nsec *= 2;
	}
}

static int swap(struct tape_peers *p)
{
	struct job *j = (struct job *)p;
	MPI_Request r;
	size_t out, in;

	for (int i = 0; i < p->n; i++) {
		if (p->out[i].n > INT_MAX)
			return TAPE_ENOMEM;
		j->n_out[i] = (int)p->out[i].n;
	}
	MPI_Ialltoall(j->n_out, 1, MPI_INT, j->n_in, 1, MPI_INT, MPI_COMM_WORLD,
		      &r);
	wait_for(&r);
	out = lay_out(j->n_out, j->at_out, p->n);
	in = lay_out(j->n_in, j->at_in, p->n);
	if (make_room(&j->out, &j->out_room, out) ||
	    make_room(&j->in, &j->in_room, in))
		return TAPE_ENOMEM;
	for (int i = 0; i < p->n; i++) {
		if (p->out[i].n)
			memcpy(j->out + j->at_out[i], p->out[i].at,
			       p->out[i].n);
		p->bytes += i == p->me ? 0 : p->out[i].n;
		p->out[i].n = 0;
	}
	MPI_Ialltoallv(j->out, j->n_out, j->at_out, MPI_BYTE, j->in, j->n_in,
		       j->at_in, MPI_BYTE, MPI_COMM_WORLD, &r);
	wait_for(&r);
	for (int i = 0; i < p->n; i++) {
		p->in[i].at = j->in + j->at_in[i];
		p->in[i].n = (size_t)j->n_in[i];
	}
	p->swaps++;
	return 0;
}

/*
 * Ends with the program, however that ends. While others wait for this one in
 * the middle of something, all have to.
 */
static void end(void)
{
	if (job.over || getpid() != job.pid)
		return;
	job.over = 1;
	fflush(stdout);
	if (job.peers.me || job.peers.busy)
		MPI_Abort(MPI_COMM_WORLD, TAPE_FAILED);
	job.dismiss(&job.peers);
	MPI_Finalize();
}

struct tape_peers *tape_job(int argc, char **argv, const char *tool,
			    void (*dismiss)(struct tape_peers *p))
{
	struct tape_peers *p = &job.peers;
	size_t n;

	(void)tool;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &p->me);
	MPI_Comm_size(MPI_COMM_WORLD, &p->n);
	p->swap = swap;
	n = (size_t)p->n;
	p->out = tape_must(calloc(n, sizeof *p->out));
	p->in = tape_must(calloc(n, sizeof *p->in));
	job.n_out = tape_must(calloc(n, sizeof *job.n_out));
	job.n_in = tape_must(calloc(n, sizeof *job.n_in));
	job.at_out = tape_must(calloc(n, sizeof *job.at_out));
	job.at_in = tape_must(calloc(n, sizeof *job.at_in));
	job.dismiss = dismiss;
	job.pid = getpid();
	atexit(end);
	return p;
}

void tape_job_over(struct tape_peers *p)
{
	(void)p;
	job.over = 1;
	MPI_Finalize();
	exit(TAPE_DONE);
}
