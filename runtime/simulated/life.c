/*
 * Start and end of the tracing of a simulated program, in place of
 * runtime/mpi/start_stop.c: what is common to all ranks is decided by the one
 * that comes first and lies in the memory of their process, so that nothing
 * takes simulated time.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xbt/config.h>

#include "calibrate.h"
#include "communicators.h"
#include "config.h"
#include "cost.h"
#include "define.h"
#include "hooks.h"
#include "start_stop.h"
#include "meta.h"
#include "own_stack.h"
#include "process.h"
#include "region.h"
#include "message.h"
#include "spend.h"
#include "network_switches.h"
#include "transport.h"
#include "world.h"

/* What is done once, at length, runs on a stack that is large enough. */
TAPE_ON_OWN_STACK

int tape_tag_ub;
int tape_smpi_measures;
uint32_t tape_smpi_call;
static int opened, begun;
/* taperun looks for it in programs (runtime/taperun/simulate.c) */
__attribute__((used)) static const char mark[] = "tape-smpi runtime";

/*
 * What the first rank decided. Each rank has its own variables; where this is,
 * the environment says, which is the process's.
 */
struct decision {
	int ok;
	struct tape_config config;
	char dir[TAPE_DIR_BYTES];
	struct tape_network *network; /* or NULL */
};
#define WHERE_IT_IS "TAPE_SMPI_DECISION"

/* A window of a MiB costs nothing here, and there are many ranks. */
static void limit_settings(struct tape_config *c)
{
	if (c->window_bytes > 1u << 20)
		c->window_bytes = 1u << 20;
	c->n_counters = 0;
	c->measured = c->in_situ = 0;
	c->noise = (struct tape_noise){0};
#ifndef TAPE_RIG_COSTS
	c->arrived = 0; /* a question takes simulated time */
#endif
}

static int write_simulated_meta(void)
{
	char library[256], host[192] = "", word[600], transport[256];
	struct tape_hold hold;
	FILE *out;

	tape_library(library, sizeof library);
	tape_transport_text(tape_world, NULL, transport, sizeof transport);
	tape_smpi_hostname(host, sizeof host);
	out = tape_meta_open(library, &hold);
	if (!out)
		return -1;
	fprintf(out, "ranks %d\nalpha calibrated\ndomain 0 simulated ",
		tape_process.size);
	fprintf(out, "%s\n" TAPE_SMPI_CLOCK "%s",
		tape_escape(word, sizeof word, host), transport);
	return tape_meta_close(out, &hold);
}

static struct decision *decide_tracing(void)
{
	struct decision *d = calloc(1, sizeof *d);
	char error[1200] = "", where[40];

	if (!d)
		return NULL;
	if (tape_config_read(&d->config, error, sizeof error) ||
	    tape_meta_directory(&d->config, d->dir, sizeof d->dir, error,
				sizeof error)) {
		tape_say("%s; this run is not traced", error);
	} else {
		limit_settings(&d->config);
		tape_process.config = d->config;
		memcpy(tape_process.dir, d->dir, sizeof d->dir);
		d->ok = !write_simulated_meta();
		if (!d->ok)
			tape_say("cannot write %.800s/meta: %s; this run is "
				 "not traced", d->dir, strerror(errno));
		if (d->ok && *d->config.network)
			d->network = tape_switches_read(d->config.network);
	}
	snprintf(where, sizeof where, "%ld %p", (long)getpid(), (void *)d);
	setenv(WHERE_IT_IS, where, 1);
	return d;
}

/* That of this process; one that is inherited is another's. */
static const struct decision *find_decision(void)
{
	const char *where = secure_getenv(WHERE_IT_IS);
	void *d;
	long pid;

	if (where && sscanf(where, "%ld %p", &pid, &d) == 2 && pid == getpid())
		return d;
	return decide_tracing();
}

static void adopt_decision(const struct decision *d)
{
	int *ub, flag = 0;

	tape_process.config = d->config;
	memcpy(tape_process.dir, d->dir, sizeof d->dir);
	tape_process.brief = 1; /* many ranks in one memory: small windows */
	PMPI_Comm_get_attr(tape_world, MPI_TAG_UB, &ub, &flag);
	tape_tag_ub = flag ? *ub : 32767;
}

static int open_files(const struct decision *d, char *error, size_t n)
{
	char host[192] = "", position[TAPE_POSITION_MAX];

	tape_smpi_hostname(host, sizeof host);
	tape_network_position(d->network, host, position);
	return tape_define_open("0", error, n) ||
	       tape_define("position %s\n", position) ||
	       tape_define("tick_hz %.1f\n", tape_clock_hz()) ||
	       tape_comm_start() || tape_core_start(error, n);
}

/* The call that starts MPI, as it ran. */
struct init {
	uint64_t start, end;
	uint32_t call;
	struct tape_site *source;
	const void *address;
};

static void record_init(struct tape_flow *f, const struct init *i)
{
	struct tape_local r = { 0 };
	uint32_t site = i->source
				? tape_site_source(f, i->source, i->call)
				: tape_site_here(f, i->call, i->address);

	if (!site)
		return;
	f->extra_before = 0;
	f->extra_after = tape_tick() - i->end; /* a rig may let time pass */
	tape_put_local(f, site, i->start, i->end, &r);
}

static void start_rank(void *init)
{
	const struct init *i = init;
	const struct decision *d;
	char error[1200] = "";

	tape_world_open();
	PMPI_Comm_rank(tape_world, &tape_process.rank);
	PMPI_Comm_size(tape_world, &tape_process.size);
	tape_smpi_measures = sg_cfg_get_boolean("smpi/simulate-computation");
	if (tape_smpi_bursts_open() || !(d = find_decision()) || !d->ok)
		return;
	adopt_decision(d);
	tape_process.first_tick = i->start;
	if (open_files(d, error, sizeof error)) {
		tape_say("rank %d is not traced: %s", tape_process.rank,
			 *error ? error : "the definitions cannot be written");
		return;
	}
	if (!tape_cost_begin_scratch(tape_own)) {
		tape_calibrate(tape_own);
		tape_cost_end_scratch(tape_own);
	}
	record_init(tape_own, i);
	tape_region_start(tape_own);
}

TAPE_ON_OWN_STACK_END

uint64_t tape_start_tick(void)
{
	return tape_tick();
}

void tape_start_tracing(uint64_t start, uint64_t end, uint32_t call,
			struct tape_site *source, const void *address)
{
	struct init i = { start, end, call, source, address };
	int e = errno;

	tape_run_on_own_stack(start_rank, &i);
	tape_rig_before();
	tape_rig_after();
	tape_smpi_forget();
	errno = e;
}

int tape_mpi_opened(int session)
{
	(void)session;
	opened++;
	if (begun)
		return 0;
	return begun = 1;
}

int tape_mpi_closing(int session)
{
	opened--;
	return !session;
}

int tape_stop_tracing(struct tape_flow *f, uint32_t site, int (*real)(void *),
		      void *of)
{
	struct tape_local r = { 0 };
	uint64_t start, end;
	int rc, e = errno;

	tape_current = NULL;
	if (f) {
		f->frame = __builtin_frame_address(0);
		if (tape_smpi_has_bursts)
			tape_smpi_burst();
		tape_rig_before();
	}
	errno = e;
	tape_smpi_forget();
	start = tape_tick();
	rc = real(of);
	end = tape_tick();
	e = errno;
	if (f && f->self)
		tape_put_local(f, site, start, end, &r);
	tape_core_stop(TAPE_END_FINALIZE);
	tape_smpi_forget();
	errno = e;
	return rc;
}
