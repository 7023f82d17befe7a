/*
 * The simulated clock, and what of ticks.h, transport.h, calibrate.h and
 * processor.h is simple where time is simulated; see simulated.h.
 */
#include <limits.h>
#include <math.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xbt/config.h>

#include "around_call.h"
#include "yielding_wait.h"
#include "processor.h"
#include "transport.h"

int tape_clock_is_tsc;

uint64_t tape_tick(void)
{
	return (uint64_t)llround(simgrid_get_clock() * 1e9);
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

/* In place of runtime/mpi/yielding_wait.c: simulated time passes in a wait
 * only. */
int tape_yielding_wait(int rc, MPI_Request *r)
{
	return rc == MPI_SUCCESS ? PMPI_Wait(r, MPI_STATUS_IGNORE) : rc;
}

/* For runtime/records/processor.c: no rank waits for a real processor. */
void tape_processor_chunk(struct tape_flow *f)
{
	(void)f;
}

void tape_processor_sample(struct tape_flow *f)
{
	(void)f;
}

void tape_processor_border(struct tape_flow *f)
{
	(void)f;
}

uint64_t tape_processor_begin(struct tape_flow *f, uint64_t tick)
{
	f->mark_due = UINT64_MAX;
	return tick;
}

void tape_processor_end(struct tape_flow *f, uint64_t start, uint64_t end)
{
	(void)start, (void)end;
	f->mark_due = UINT64_MAX;
}

void tape_processor_mark(struct tape_flow *f)
{
	f->mark_due = UINT64_MAX;
}

/*
 * For runtime/events/around_call.c: counters of this machine, and what an
 * event costs here, say nothing of the simulated one.
 */
void tape_wrap_start(struct tape_flow *f)
{
	(void)f;
}

void tape_wrap_stop(struct tape_flow *f)
{
	(void)f;
}

void tape_wrap_extras(struct tape_flow *f, uint64_t start, uint64_t entry)
{
	(void)f, (void)start, (void)entry;
}

void tape_wrap_end(struct tape_flow *f, uint64_t end, int class_)
{
	(void)f, (void)end, (void)class_;
}

int tape_smpi_hostname(char *name, size_t n)
{
	snprintf(name, n, "%s", sg_host_self_get_name());
	return 0;
}

/* smpimain PROGRAM OPTIONS PLATFORM ARGUMENTS */
void tape_smpi_program(char *path, size_t n)
{
	char text[PATH_MAX + 1024], full[PATH_MAX];
	FILE *f = fopen("/proc/self/cmdline", "re");
	size_t got = f ? fread(text, 1, sizeof text - 1, f) : 0;
	const char *name;

	if (f)
		fclose(f);
	text[got] = '\0';
	name = text + strlen(text) + 1;
	if (name >= text + got)
		name = "";
	snprintf(path, n, "%s", realpath(name, full) ? full : name);
}

/* The copy of rank R is called NAME_PID_R.so. */
void tape_smpi_module(char *path, size_t n)
{
	char program[PATH_MAX], copy[PATH_MAX + 32];
	const char *end;

	tape_smpi_program(program, sizeof program);
	end = strrchr(program, '/');
	snprintf(copy, sizeof copy, "%s_%ld_", end ? end + 1 : program,
		 (long)getpid());
	end = strrchr(path, '/');
	if (!strncmp(end ? end + 1 : path, copy, strlen(copy)))
		snprintf(path, n, "%s", program);
}

/* ---- what SMPI says of itself ---- */

/*
 * A send of less than smpi/send-is-detached-thresh bytes does not wait for its
 * receive, wherever that is.
 */
size_t tape_transport_text(MPI_Comm comm, const int *domains, char *text,
			   size_t n)
{
	int most = sg_cfg_get_int("smpi/send-is-detached-thresh") - 1;

	(void)comm, (void)domains;
	return (size_t)snprintf(text, n,
				"eager self %d measured\n"
				"eager shm %d measured\n"
				"eager net %d measured\n",
				most, most, most);
}

void tape_library(char *text, size_t n)
{
#ifdef TAPE_SMPI_LIBRARY /* of a rig */
	TAPE_SMPI_LIBRARY(text, n);
#else
	int major = 0, minor = 0, patch = 0;

	sg_version_get(&major, &minor, &patch);
	snprintf(text, n, "SMPI of SimGrid %d.%d", major, minor);
#endif
}

/* Not missed: SMPI 3.32 has no collectives between neighbours. */
int tape_smpi_topo_test(MPI_Comm comm, int *kind)
{
	(void)comm;
	*kind = MPI_UNDEFINED;
	return MPI_SUCCESS;
}

/* A status in Fortran has the same five integers (mpif.h). */
int tape_smpi_status_f2c(const MPI_Fint *from, MPI_Status *to)
{
	memcpy(to, from, sizeof *to);
	return MPI_SUCCESS;
}
