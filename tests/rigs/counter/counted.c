/*
 * Compares what the counter counted (counter.h) with a trace of the same run,
 * or with all of them, whose ranks are then numbered on:
 *
 *	counted [-ak] trace... directory
 *
 * For each rank and each call of the catalogue the two numbers have to be
 * equal, calls in C and in Fortran taken together, runs of failed tests in
 * full; and so have the bytes of PVM's messages. Says each difference, and last
 * how much was compared; ends with 1 if there is any.
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
#include "tool.h"
#include "tape_reader.h"

#define RANKS 1024

static uint64_t made[RANKS][TAPE_CALL_COUNT], there[RANKS][TAPE_CALL_COUNT];
static uint64_t made_bytes[RANKS][TAPE_CALL_COUNT];
static uint64_t there_bytes[RANKS][TAPE_CALL_COUNT];
static unsigned char sized[TAPE_CALL_COUNT]; /* the former are known */
static long pids[RANKS]; /* of PVM's tasks */
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

/* The first rank that the process was, as it may be one after another. */
static int rank_of(long pid)
{
	for (int r = 0; r < RANKS; r++)
		if (pids[r] == pid)
			return r;
	tape_die(TAPE_FAILED, "process %ld is in no trace", pid);
}

static void read_counts(const char *path)
{
	static struct counter_file f;
	char name[256];
	int r = -1;
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
		if (r < 0)
			r = f.pid ? rank_of(f.pid) : f.rank;
		call = call_of(name);
		made[r][call] += n;
		made_bytes[r][call] += f.bytes[i];
		sized[call] |= f.sized[i];
		if (call)
			continue;
		unknown += n;
		printf("rank %d %s: %" PRIu64 " made, not in the catalogue\n",
		       r, name, n);
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

/* Of a message of PVM's. */
static uint64_t bytes_of(const struct tape_event *e)
{
	if (e->class_ == TAPE_CLASS_SEND)
		return e->u.send.bytes;
	if (e->class_ == TAPE_CLASS_MCAST)
		return e->u.mcast.bytes;
	if (e->class_ == TAPE_CLASS_RECV)
		return e->u.recv.bytes;
	if (e->class_ == TAPE_CLASS_PACK)
		return e->u.pack.bytes;
	if (e->class_ == TAPE_CLASS_NRECV)
		return e->u.nrecv.bytes;
	return e->class_ == TAPE_CLASS_IPROBE ? e->u.iprobe.bytes : 0;
}

/* The call that was skipped in a block. */
static unsigned site_call(const struct tape_trace *t,
			  const struct tape_event *e)
{
	return tape_trace_rank(t, e->rank)->sites[e->u.block.site].call;
}

static void read_flow(struct tape_trace *t, size_t index, int before)
{
	const struct tape_event *e;
	struct tape_flow *f;
	int rc, r;

	if (tape_flow_open(t, index, &f))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	while ((rc = tape_flow_next(f, &e)) > 0) {
		r = before + e->rank;
		if (pids[r])
			r = rank_of(pids[r]);
		there[r][e->call] += e->polls;
		there_bytes[r][e->call] += bytes_of(e);
		if (e->class_ == TAPE_CLASS_BLOCK && e->u.block.site)
			there[r][site_call(t, e)] += e->u.block.calls;
		if (e->also_polls)
			there[r][e->also_call] += e->also_polls;
	}
	if (rc < 0)
		tape_die(TAPE_FAILED, "%s", tape_flow_error(f));
	tape_flow_close(f);
}

/* Ranks are numbered from before on; the number of the next one. */
static int read_trace(const char *path, int before)
{
	struct tape_trace *t;
	int ranks;

	if (tape_trace_open(path, &t))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	ranks = (int)tape_trace_ranks(t);
	if (before + ranks > RANKS)
		tape_die(TAPE_FAILED, "more than %d ranks", RANKS);
	for (int r = 0; r < ranks; r++)
		if (tape_trace_rank(t, r)->tid)
			pids[before + r] = tape_trace_rank(t, r)->pid;
	for (size_t i = 0; i < tape_trace_flows(t); i++)
		read_flow(t, i, before);
	tape_trace_close(t);
	return before + ranks;
}

/* The calls of one rank that are missing or too many. */
static uint64_t compare(int rank, uint64_t spare)
{
	uint64_t wrong = 0;

	for (unsigned c = 1; c < TAPE_CALL_COUNT; c++) {
		uint64_t m = made[rank][c], t = there[rank][c];

		if (sized[c] && made_bytes[rank][c] != there_bytes[rank][c]) {
			wrong++;
			printf("rank %d %s: %" PRIu64 " bytes, %" PRIu64
			       " in the trace\n", rank, tape_call_name(c),
			       made_bytes[rank][c], there_bytes[rank][c]);
		}
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
	uint64_t calls = 0, wrong = 0, bytes = 0;
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
	if (argc - optind < 2)
		tape_die(TAPE_USAGE, "usage: counted [-ak] trace... directory");
	for (int i = optind; i < argc - 1; i++)
		ranks = read_trace(argv[i], ranks);
	read_directory(argv[argc - 1]);
	ranks = 0;
	for (int r = 0; r < RANKS; r++) {
		uint64_t n = 0;

		for (unsigned i = 1; i < TAPE_CALL_COUNT; i++)
			n += made[r][i];
		for (unsigned i = 1; i < TAPE_CALL_COUNT; i++)
			bytes += made_bytes[r][i];
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
	       " of other calls, %" PRIu64 " inside of others; %" PRIu64
	       " bytes\n", ranks, kinds, calls, wrong, unknown, nested, bytes);
	return !calls || wrong || (all && unknown);
}
