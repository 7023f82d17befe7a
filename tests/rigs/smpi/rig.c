/*
 * What the tracer costs, and what SMPI answers; see rig.h. In place of
 * runtime/simulated/calibrate.c.
 */
#include <simgrid/actor.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate.h"
#include "define.h"
#include "spend.h"

#undef PMPI_Iprobe
#undef PMPI_Pack
#undef PMPI_Unpack
#undef PMPI_Request_get_status
#undef PMPI_Wait
#undef PMPI_Waitall

/* When the program begins: the time of MPI_Init before is not part of it. */
#define BEGIN_S 1.0

/* ns of the tracer's work, beside those of asking */
static struct {
	double before; /* from the entry to the question */
	double after;  /* storing the event */
	double done;   /* each completion but the first of a call */
	double now_and_then; /* every RARELY-th event, noted with it */
} cost;
enum { RARELY = 50 };
static double ask_ns, pack_ns;
static int spent_done; /* completions of the call under way */
static unsigned recorded;

/* Lets simulated time pass; the processor of this rank is busy. */
static void spend(double ns)
{
	if (ns > 0)
		smpi_execute_benched(ns * 1e-9);
}

void tape_calibrate(struct tape_flow *f)
{
	static const char *const classes[] = {
		"local", "send", "isend", "recv", "irecv", "sendrecv", "wait",
		"start", "req", "coll"
	};
	const char *alpha = getenv("RIG_ALPHA_NS");
	const char *pack = getenv("RIG_PACK_NS");
	/* some hosts are slower: costs that are alike would cancel out */
	double a = (alpha ? atof(alpha) : 0) * (4 + tape_process.rank % 4) / 4;

	(void)f;
	cost.before = cost.done = a / 4;
	cost.after = a;
	cost.now_and_then = 10 * a;
	ask_ns = a / 2;
	pack_ns = pack ? atof(pack) : 0;
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		tape_define("alpha %s %.17g %.17g\n", classes[i], cost.before,
			    cost.after);
	tape_define("alpha ask %.17g 0\nalpha done 0 %.17g\n", ask_ns,
		    cost.done);
	/* all ranks begin together, at the same time in every run */
	sg_actor_sleep_until(BEGIN_S);
}

/* ---- around a call ---- */

void tape_rig_before(void)
{
	spent_done = 0;
	spend(cost.before);
}

void rig_done(void)
{
	if (spent_done++)
		spend(cost.done);
}

void tape_rig_after(void)
{
	spend(cost.after);
}

/* Additional time of the tracer, measured as a new window would be. */
uint64_t tape_rig_extra(void)
{
	uint64_t t0;

	if ((++recorded + 7 * (unsigned)tape_process.rank) % RARELY)
		return 0;
	t0 = tape_tick();
	spend(cost.now_and_then);
	return tape_tick() - t0;
}

/* ---- questions ---- */

/*
 * Requests that a question found complete. MPI_Test takes them away, so the
 * call that completes them is given what is kept here.
 */
static struct {
	MPI_Request request, left; /* before it ended, and after */
	MPI_Status status;
} *ended;
static int n_ended, room;

/* Was the request found complete? Then what MPI_Wait would say of it. */
static int take(MPI_Request *request, MPI_Status *st)
{
	for (int i = 0; i < n_ended; i++)
		if (ended[i].request == *request) {
			if (st != MPI_STATUS_IGNORE)
				*st = ended[i].status;
			*request = ended[i].left;
			ended[i] = ended[--n_ended];
			return 1;
		}
	return 0;
}

/* The wrapper puts the answer right when the receive has ended: frame.h. */
int rig_iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *st)
{
	spend(ask_ns);
	return PMPI_Iprobe(source, tag, comm, flag, st);
}

int rig_get_status(MPI_Request request, int *flag, MPI_Status *st)
{
	int rc;

	(void)st;
	spend(ask_ns);
	if (n_ended == room) {
		room += 64;
		ended = realloc(ended, (size_t)room * sizeof *ended);
		if (!ended)
			abort();
	}
	ended[n_ended].request = ended[n_ended].left = request;
	rc = PMPI_Test(&ended[n_ended].left, flag, &ended[n_ended].status);
	n_ended += *flag;
	return rc;
}

int rig_wait(MPI_Request *request, MPI_Status *st)
{
	return take(request, st) ? MPI_SUCCESS : PMPI_Wait(request, st);
}

/* Those that are left are waited for together. */
int rig_waitall(int n, MPI_Request *requests, MPI_Status *sts)
{
	MPI_Request *rest = calloc((size_t)n + 1, sizeof *rest);
	MPI_Status *of = calloc((size_t)n + 1, sizeof *of);
	int *done = calloc((size_t)n + 1, sizeof *done), rc;

	if (!rest || !of || !done)
		abort();
	for (int i = 0; i < n; i++) {
		done[i] = take(&requests[i], &of[i]);
		rest[i] = done[i] ? MPI_REQUEST_NULL : requests[i];
		if (done[i] && sts != MPI_STATUSES_IGNORE)
			sts[i] = of[i];
	}
	rc = PMPI_Waitall(n, rest, of);
	for (int i = 0; i < n; i++) {
		if (done[i])
			continue;
		requests[i] = rest[i];
		if (sts != MPI_STATUSES_IGNORE)
			sts[i] = of[i];
	}
	free(rest);
	free(of);
	free(done);
	return rc;
}

/* ---- packing ---- */

int rig_pack(const void *in, int n, MPI_Datatype type, void *out, int size,
	     int *at, MPI_Comm comm)
{
	int from = *at, rc = PMPI_Pack(in, n, type, out, size, at, comm);

	spend(pack_ns * (*at - from));
	return rc;
}

int rig_unpack(const void *in, int size, int *at, void *out, int n,
	       MPI_Datatype type, MPI_Comm comm)
{
	int from = *at, rc = PMPI_Unpack(in, size, at, out, n, type, comm);

	spend(pack_ns * (*at - from));
	return rc;
}
