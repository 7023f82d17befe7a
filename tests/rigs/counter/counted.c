/*
 * Compares what the counter counted (counter.h) with a trace of the same run:
 *
 *	counted [-ak] trace directory
 *
 * For each rank and each call of the catalogue the two numbers have to be
 * equal, calls in C and in Fortran taken together, runs of failed tests in
 * full. Says each difference, and last how much was compared; ends with 1 if
 * there is any.
 *
 * -a	calls that the catalogue lacks are a difference, too
 * -k	the ranks were killed: each may have made one call that is not there
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "counter.h"
#include "message.h"
#include "tape_reader.h"

#define RANKS 1024

static uint64_t made[RANKS][TAPE_CALL_COUNT], there[RANKS][TAPE_CALL_COUNT];
static uint64_t unknown; /* calls that the catalogue lacks */
static uint64_t nested;  /* calls inside of others */

/* The call of an entry point in any spelling; 0 where there is none. */
static unsigned call_of(const char *name)
{
	static const char *const ends[] = { "_f08_", "_f08ts_", "__", "_", "" };
	unsigned call = tape_call_find(name);
	size_t n = strlen(name);

	for (int i = 0; !call && i < 5; i++) {
		size_t end = strlen(ends[i]);

		if (n <= end || strcmp(name + n - end, ends[i]))
			continue;
		for (unsigned c = 1; !call && c < TAPE_CALL_COUNT; c++) {
			const char *known = tape_call_name(c);

			if (strlen(known) == n - end &&
			    !strncasecmp(known, name, n - end))
				call = c;
		}
	}
	return call;
}

static void read_counts(const char *path)
{
	static struct counter_file f;
	char name[256];
	FILE *in = fopen(path, "rb");

	if (!in || fread(&f, sizeof f, 1, in) != 1 ||
	    f.magic != COUNTER_MAGIC || f.names > COUNTER_MAX || f.rank < 0 ||
	    f.rank >= RANKS)
		tape_die(TAPE_FAILED, "%s: no file of the counter", path);
	/* the structure is padded to whole pages */
	fseek(in, (long)((sizeof f + 4095) / 4096 * 4096), SEEK_SET);
	for (uint32_t i = 0; i < f.names; i++) {
		uint64_t n = f.calls[COUNTER_WITHIN][i];
		unsigned call;
		size_t at = 0;
		int c;

		while ((c = getc(in)) > 0)
			if (at < sizeof name - 1)
				name[at++] = (char)c;
		name[at] = '\0';
		nested += f.calls[COUNTER_NESTED][i];
		if (!n)
			continue;
		call = call_of(name);
		made[f.rank][call] += n;
		if (call)
			continue;
		unknown += n;
		printf("rank %d %s: %" PRIu64 " made, not in the catalogue\n",
		       f.rank, name, n);
	}
	fclose(in);
}

static void read_directory(const char *directory)
{
	DIR *d = opendir(directory);
	struct dirent *e;
	char path[4096];

	if (!d)
		tape_die(TAPE_FAILED, "%s: no such directory", directory);
	while ((e = readdir(d))) {
		if (*e->d_name == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s", directory, e->d_name);
		read_counts(path);
	}
	closedir(d);
}

static void read_flow(struct tape_trace *t, size_t index)
{
	const struct tape_event *e;
	struct tape_flow *f;
	int rc;

	if (tape_flow_open(t, index, &f))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	while ((rc = tape_flow_next(f, &e)) > 0) {
		if (e->rank >= RANKS)
			tape_die(TAPE_FAILED, "more than %d ranks", RANKS);
		there[e->rank][e->call] += e->polls;
		if (e->also_polls)
			there[e->rank][e->also_call] += e->also_polls;
	}
	if (rc < 0)
		tape_die(TAPE_FAILED, "%s", tape_flow_error(f));
	tape_flow_close(f);
}

static void read_trace(const char *path)
{
	struct tape_trace *t;

	if (tape_trace_open(path, &t))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	for (size_t i = 0; i < tape_trace_flows(t); i++)
		read_flow(t, i);
	tape_trace_close(t);
}

/* The calls of one rank that are missing or too many. */
static uint64_t compare(int rank, uint64_t spare)
{
	uint64_t wrong = 0;

	for (unsigned c = 1; c < TAPE_CALL_COUNT; c++) {
		uint64_t m = made[rank][c], t = there[rank][c];

		/* it switches tracing and is no event */
		if (m == t || !strcmp(tape_call_name(c), "MPI_Pcontrol"))
			continue;
		if (m == t + spare) {
			spare = 0;
			continue;
		}
		wrong += m > t ? m - t : t - m;
		printf("rank %d %s: %" PRIu64 " made, %" PRIu64
		       " in the trace\n", rank, tape_call_name(c), m, t);
	}
	return wrong;
}

int main(int argc, char **argv)
{
	uint64_t calls = 0, wrong = 0;
	int c, all = 0, killed = 0, kinds = 0, ranks = 0;

	tape_tool("counted");
	while ((c = getopt(argc, argv, "ak")) != -1)
		switch (c) {
		case 'a':
			all = 1;
			break;
		case 'k':
			killed = 1;
			break;
		default:
			argc = 0;
		}
	if (argc - optind != 2)
		tape_die(TAPE_USAGE, "usage: counted [-ak] trace directory");
	read_trace(argv[optind]);
	read_directory(argv[optind + 1]);
	for (int r = 0; r < RANKS; r++) {
		uint64_t n = 0;

		for (unsigned i = 1; i < TAPE_CALL_COUNT; i++)
			n += made[r][i];
		ranks += n > 0;
		calls += n;
		wrong += compare(r, (uint64_t)killed);
	}
	for (unsigned i = 1; i < TAPE_CALL_COUNT; i++) {
		int any = 0;

		for (int r = 0; r < RANKS; r++)
			any |= made[r][i] > 0;
		kinds += any;
	}
	printf("%d ranks, %d calls of the catalogue, made %" PRIu64
	       " times; %" PRIu64 " missing or too many, %" PRIu64
	       " of other calls, %" PRIu64 " inside of others\n", ranks, kinds,
	       calls, wrong, unknown, nested);
	return !calls || wrong || (all && unknown);
}
