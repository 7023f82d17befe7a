/*
 * Bursts of computation of an earlier run; see spend.h. The folder that
 * TAPE_BURSTS names has a file for each rank, which tapebursts(1) writes: a
 * line "tape-bursts 1", and then one for each call after MPI_Init, its number
 * in the catalogue and the ns of computation before it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "own_stack.h"
#include "process.h"
#include "message.h"
#include "spend.h"
#include "tape_names.h"

/* Flop/s of the machine that measures (smpi/host-speed); in no header. */
extern double _smpi_cfg_host_speed;

int tape_smpi_has_bursts;
static FILE *file;
static uint64_t events; /* read so far */
static int rated; /* the earlier run was on a machine of that speed */

TAPE_ON_OWN_STACK
__attribute__((noreturn)) static void end_all(const char *why)
{
	tape_say("%s; the simulation ends here", why);
	tape_core_stop(TAPE_END_ABORT);
	fflush(NULL);
	_exit(1); /* the other ranks stand in the midst of their calls */
}

int tape_smpi_bursts_open(void)
{
	const char *folder = secure_getenv("TAPE_BURSTS");
	char name[4200], head[32] = "";

	if (!folder || !*folder)
		return 0;
	snprintf(name, sizeof name, "%s/rank.%d", folder, tape_process.rank);
	file = fopen(name, "re");
	if (!file || !fgets(head, sizeof head, file) ||
	    strcmp(head, "tape-bursts 1\n")) {
		snprintf(name, sizeof name,
			 "the bursts of rank %d cannot be read from %.3800s: "
			 "%s",
			 tape_process.rank, folder,
			 file ? "not a file of tapebursts" : strerror(errno));
		end_all(name);
	}
	rated = secure_getenv("TAPE_BURSTS_RATED") != NULL;
	tape_smpi_has_bursts = 1;
	return 0;
}

static const char *find_call_name(unsigned call)
{
	const char *name = call < TAPE_CALL_COUNT ? tape_calls[call].name
						  : NULL;

	return name ? name : "an unknown call";
}

static void report_difference(void *was_)
{
	const int *was = was_;
	char text[512];

	snprintf(text, sizeof text,
		 "rank %d: call %llu after MPI_Init is %s but was %s in the "
		 "earlier run",
		 tape_process.rank, (unsigned long long)events,
		 find_call_name(tape_smpi_call),
		 *was < 0 ? "missing" : find_call_name((unsigned)*was));
	end_all(text);
}
TAPE_ON_OWN_STACK_END

void tape_smpi_burst(void)
{
	unsigned was;
	double ns;
	int of = -1;

	events++;
	if (fscanf(file, "%u %lf\n", &was, &ns) == 2)
		of = (int)was;
	if (of != (int)tape_smpi_call)
		tape_run_on_own_stack(report_difference, &of);
	if (ns > 0 && rated)
		smpi_execute_flops(ns * 1e-9 * _smpi_cfg_host_speed);
	else if (ns > 0)
		smpi_execute_benched(ns * 1e-9);
}
