/*
 * Fuzz target: an input is one flow of rank 0, decoded from memory with fixed
 * definitions. Parts are those of input.h; their letters do not matter here,
 * each is a slot.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "input.h"
#include "walk.h"

static struct tape_trace *traces[2]; /* local, global */

static struct tape_trace *definitions(char kind)
{
	struct tape_trace *t;
	char path[64];

	fuzz_folder(path, sizeof path);
	fuzz_file(path, "meta", fuzz_base(kind), strlen(fuzz_base(kind)));
	fuzz_file(path, "rank.0", fuzz_base('0'), strlen(fuzz_base('0')));
	fuzz_file(path, "rank.1", fuzz_base('1'), strlen(fuzz_base('1')));
	if (tape_trace_open(path, &t)) {
		fprintf(stderr, "fuzz: %s\n", tape_trace_error(t));
		abort();
	}
	fuzz_folder_remove(path);
	return t;
}

static void close_traces(void)
{
	tape_trace_close(traces[0]);
	tape_trace_close(traces[1]);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	traces[0] = definitions('m');
	traces[1] = definitions('g');
	atexit(close_traces);
	return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
	static struct fuzz_flow flow;
	struct fuzz_part parts[FUZZ_PARTS];
	size_t parts_n = fuzz_split(data, n, parts);
	unsigned options = fuzz_options(&parts[0]);
	struct tape_trace *t = traces[(options & FUZZ_GLOBAL) != 0];
	struct tape_flow *f;
	unsigned char *exact;

	if (parts_n < 2)
		return 0;
	for (size_t i = 2; i < parts_n; i++)
		parts[i].kind = 's';
	fuzz_make_flow(parts, parts_n, 1, options, 0, 0, &flow);
	if (options & FUZZ_CHAIN)
		fuzz_chain(t, &flow);
	/* a block of just that size: a byte too far is then seen */
	exact = malloc(flow.n ? flow.n : 1);
	if (!exact)
		return 0;
	memcpy(exact, flow.bytes, flow.n);
	if (!tape_flow_memory(t, exact, flow.n, &f)) {
		fuzz_walk_flow(t, f);
		tape_flow_close(f);
	}
	free(exact);
	return 0;
}
