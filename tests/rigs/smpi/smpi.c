/*
 * The clock, the costs and the library's peculiarities; see smpi.h. In place of
 * runtime/ticks.c and of calibrate.c, sample.c, transport.c, eager.c and the
 * Fortran interface of runtime/mpi.
 */
#undef _GNU_SOURCE
#define _GNU_SOURCE
#include <math.h>
#include <simgrid/actor.h>
#include <simgrid/host.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate.h"
#include "cost.h"
#include "define.h"
#include "patient.h"
#include "sample.h"
#include "transport.h"
#include "share.h"

#undef PMPI_Iprobe
#undef PMPI_Pack
#undef PMPI_Unpack
#undef PMPI_Request_get_status
#undef PMPI_Wait
#undef PMPI_Waitall

/* When the program begins: the time of MPI_Init before is not part of it. */
#define BEGIN_S 1.0

struct rig_cost rig_cost;
int tape_clock_is_tsc;
static double ask_ns, pack_ns;

void rig_spend(double ns)
{
	if (ns > 0)
		smpi_execute_benched(ns * 1e-9);
}

/* ---- clock ---- */

uint64_t tape_tick(void)
{
	int begun = 0;

	PMPI_Initialized(&begun);
	return begun ? (uint64_t)llround(PMPI_Wtime() * 1e9) : 0;
}

int tape_clock_choose(enum tape_clock_source wanted)
{
	(void)wanted;
	return 0;
}

void tape_clock_anchor(uint64_t *tick, uint64_t *ns, uint32_t *slack)
{
	*tick = *ns = tape_tick();
	*slack = 0;
}

double tape_clock_hz(void)
{
	return 1e9;
}

void tape_clock_domain(char *name, unsigned n)
{
	snprintf(name, n, "simulated");
}

int64_t tape_clock_asleep_ns(void)
{
	return 0;
}

/* In place of runtime/mpi/patient.c: simulated time passes in a wait only. */
int tape_patient(int rc, MPI_Request *r)
{
	return rc == MPI_SUCCESS ? PMPI_Wait(r, MPI_STATUS_IGNORE) : rc;
}

int rig_hostname(char *name, size_t n)
{
	snprintf(name, n, "%s", sg_host_self_get_name());
	return 0;
}

/* ---- handles ---- */

struct word {
	uintptr_t handle;
	uint64_t word;
	struct word *next;
};

uint64_t *rig_word(uintptr_t handle, int make)
{
	static struct word *table[1024];
	struct word **place = &table[(handle >> 4 ^ handle >> 14) % 1024];
	struct word *w = *place;

	while (w && w->handle != handle)
		w = w->next;
	if (!w && make && (w = calloc(1, sizeof *w))) {
		w->handle = handle;
		w->next = *place;
		*place = w;
	}
	return w ? &w->word : NULL;
}

/* ---- in place of what MPI_Init finds out ---- */

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
	rig_cost = (struct rig_cost){ a / 4, a, a / 4, 10 * a };
	ask_ns = a / 2;
	pack_ns = pack ? atof(pack) : 0;
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		tape_define("alpha %s %.17g %.17g\n", classes[i],
			    rig_cost.before, rig_cost.after);
	tape_define("alpha ask %.17g 0\nalpha done 0 %.17g\n", ask_ns,
		    rig_cost.done);
	/* all ranks begin together, at the same time in every run */
	sg_actor_sleep_until(BEGIN_S);
}

/* Each for itself: costs differ from host to host. */
void tape_share_calibration(struct tape_flow *f, MPI_Comm comm,
			    const int *domains)
{
	(void)comm, (void)domains;
	if (!f || tape_cost_aside(f))
		return;
	tape_calibrate(f);
	tape_cost_resume(f);
}

/* One clock: nothing to sample. */
void tape_sample(MPI_Comm comm, const struct tape_pair *pairs, int n_domains,
		 int reference, int after)
{
	(void)comm, (void)pairs, (void)n_domains, (void)reference;
	(void)after;
}

/* The run is made with smpi/send-is-detached-thresh:65536 (run). */
size_t tape_transport(MPI_Comm comm, const int *domains, char *text, size_t n)
{
	(void)comm, (void)domains;
	return (size_t)snprintf(text, n, "eager self 65535 measured\n"
				"eager shm 65535 measured\n"
				"eager net 65535 measured\n");
}

void tape_library(char *text, size_t n)
{
	snprintf(text, n, "SMPI");
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

/* The wrapper puts the answer right when the receive has ended: wrap.c. */
int rig_iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *st)
{
	rig_spend(ask_ns);
	return PMPI_Iprobe(source, tag, comm, flag, st);
}

int rig_get_status(MPI_Request request, int *flag, MPI_Status *st)
{
	int rc;

	(void)st;
	rig_spend(ask_ns);
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

	rig_spend(pack_ns * (*at - from));
	return rc;
}

int rig_unpack(const void *in, int size, int *at, void *out, int n,
	       MPI_Datatype type, MPI_Comm comm)
{
	int from = *at, rc = PMPI_Unpack(in, size, at, out, n, type, comm);

	rig_spend(pack_ns * (*at - from));
	return rc;
}
