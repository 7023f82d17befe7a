/* The processes of an MPI job; see job.h. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <mpi.h>

#include "growing_array.h"
#include "job.h"
#include "tool.h"

/* What was posted and may not have left yet. */
struct posted {
	MPI_Request request;
	struct tape_bytes bytes;
};

struct job {
	struct tape_peers peers;
	struct posted *posted;
	int n_posted;
	struct tape_bytes polled;
	/* of each process: bytes of now, and where they are */
	int *n_out, *n_in, *at_out, *at_in;
	char *out, *in;
	size_t out_room, in_room;
	void (*dismiss)(struct tape_peers *p);
	int over;
	pid_t pid; /* a child that ends is none of the job */
};

static struct job job;

static int grow_buffer(char **at, size_t *room, size_t n)
{
	char *grown = tape_grow_array(*at, room, n, 1);

	if (!grown)
		return TAPE_ENOMEM;
	*at = grown;
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
 * Who waits for others. The libraries' own waiting keeps a core busy that
 * another process may need to come here: after looking for about a millisecond,
 * longer than most waits are, others get it, for ever longer. Not for long: in
 * a halo of 64 ranks processes wait for one another every 0.1 ms.
 */
struct patience {
	int looks;
	long ns;
};

static void back_off(struct patience *w)
{
	enum { LOOKS = 20000, LONGEST_NS = 50000 };
	struct timespec t = {.tv_nsec = w->ns};

	if (w->looks++ < LOOKS)
		return;
	nanosleep(&t, NULL);
	if (w->ns < LONGEST_NS)
		w->ns *= 2;
}

/* For what all take part in. */
static void wait_for_request(MPI_Request *r)
{
	struct patience w = {0, 1000};
	int done = 0;

	while (!MPI_Test(r, &done, MPI_STATUS_IGNORE) && !done)
		back_off(&w);
}

static int exchange_records(struct tape_peers *p)
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
	wait_for_request(&r);
	out = lay_out(j->n_out, j->at_out, p->n);
	in = lay_out(j->n_in, j->at_in, p->n);
	if (grow_buffer(&j->out, &j->out_room, out) ||
	    grow_buffer(&j->in, &j->in_room, in))
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
	wait_for_request(&r);
	for (int i = 0; i < p->n; i++) {
		p->in[i].at = j->in + j->at_in[i];
		p->in[i].n = (size_t)j->n_in[i];
	}
	p->swaps++;
	return 0;
}

/* ---- from one to another ---- */

enum { POSTED = 1 };

/* One that has left, or one more; NULL: out of memory. */
static struct posted *free_post(struct job *j)
{
	struct posted *more;
	int done = 0;

	for (int i = 0; i < j->n_posted; i++) {
		MPI_Test(&j->posted[i].request, &done, MPI_STATUS_IGNORE);
		if (done)
			return &j->posted[i];
	}
	more =
	    realloc(j->posted, ((size_t)j->n_posted + 1) * sizeof *j->posted);
	if (!more)
		return NULL;
	j->posted = more;
	more += j->n_posted++;
	*more = (struct posted){.request = MPI_REQUEST_NULL};
	return more;
}

static int post_records(struct tape_peers *p, int to)
{
	struct job *j = (struct job *)p;
	struct tape_bytes *out = &p->out[to];
	struct posted *s = free_post(j);
	struct tape_bytes room;

	if (!s || out->n > INT_MAX)
		return TAPE_ENOMEM;
	room = s->bytes;
	s->bytes = *out;
	*out = room;
	out->n = 0;
	p->bytes += s->bytes.n;
	p->posts++;
	MPI_Isend(s->bytes.at, (int)s->bytes.n, MPI_BYTE, to, POSTED,
		  MPI_COMM_WORLD, &s->request);
	return 0;
}

/* Returns 1 if a message has arrived, and removes it from the library's queue.
 */
static int probe_message(int from, MPI_Message *m, MPI_Status *status)
{
	int there = 0;

	MPI_Improbe(from < 0 ? MPI_ANY_SOURCE : from, POSTED, MPI_COMM_WORLD,
		    &there, m, status);
	return there;
}

/* Apart, so that profiles tell waiting from work. */
__attribute__((noinline)) static void wait_for_message(int from, MPI_Message *m,
						       MPI_Status *status)
{
	struct patience w = {0, 1000};

	while (!probe_message(from, m, status))
		back_off(&w);
}

static int poll_records(struct tape_peers *p, int from, int waits,
			struct tape_bytes *b)
{
	struct job *j = (struct job *)p;
	MPI_Message m;
	MPI_Status status;
	int n;

	if (waits)
		wait_for_message(from, &m, &status);
	else if (!probe_message(from, &m, &status))
		return 0;
	MPI_Get_count(&status, MPI_BYTE, &n);
	if (grow_buffer(&j->polled.at, &j->polled.room, (size_t)n))
		return TAPE_ENOMEM;
	MPI_Mrecv(j->polled.at, n, MPI_BYTE, &m, MPI_STATUS_IGNORE);
	j->polled.n = (size_t)n;
	*b = j->polled;
	return status.MPI_SOURCE + 1;
}

/*
 * Ends with the program, however that ends. While others wait for this one in
 * the middle of something, all have to.
 */
static void end_mpi_job(void)
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
	p->swap = exchange_records;
	p->post = post_records;
	p->poll = poll_records;
	n = (size_t)p->n;
	p->out = tape_must(calloc(n, sizeof *p->out));
	p->in = tape_must(calloc(n, sizeof *p->in));
	job.n_out = tape_must(calloc(n, sizeof *job.n_out));
	job.n_in = tape_must(calloc(n, sizeof *job.n_in));
	job.at_out = tape_must(calloc(n, sizeof *job.at_out));
	job.at_in = tape_must(calloc(n, sizeof *job.at_in));
	job.dismiss = dismiss;
	job.pid = getpid();
	atexit(end_mpi_job);
	return p;
}

void tape_job_finish(struct tape_peers *p)
{
	(void)p;
	job.over = 1;
	MPI_Finalize();
	exit(TAPE_DONE);
}
