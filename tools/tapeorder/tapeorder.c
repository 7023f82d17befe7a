/*
 * tape-order TRACE [RANK]: makes order files of a trace of events, of all ranks
 * or of one, so that taperun -s replay=TRACE can follow them. taperun starts
 * tape-order. Files that are there already stay.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event_order.h"
#include "file_output.h"
#include "tool.h"

static void convert_rank(struct tape_trace *t, int dir, int rank)
{
	char name[32];
	FILE *out;

	snprintf(name, sizeof name, "order.%d", rank);
	if (!faccessat(dir, name, F_OK, 0))
		return;
	out = tape_file_begin_in(dir, tape_trace_path(t), name);
	event_order_write(t, rank, out);
	tape_file_end(out);
}

/* Reads the number of a rank of the trace, or dies. */
static int read_rank(const struct tape_trace *t, const char *text)
{
	char *end;
	long rank = strtol(text, &end, 10);

	if (end == text || *end || rank < 0 ||
	    (size_t)rank >= tape_trace_ranks(t))
		tape_die(TAPE_FAILED, "%s has no rank %s", tape_trace_path(t),
			 text);
	return (int)rank;
}

int main(int argc, char **argv)
{
	struct tape_trace *t;
	int dir, rank = -1;

	tape_tool("tape-order");
	if (argc != 2 && argc != 3)
		tape_die(TAPE_USAGE, "expected TRACE [RANK]");
	dir = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		tape_die(TAPE_FAILED, "%s: %s", argv[1], strerror(errno));
	if (tape_trace_open_at(dir, argv[1], &t))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	event_order_check(t);
	if (argc == 3)
		rank = read_rank(t, argv[2]);
	for (int i = 0; i < (int)tape_trace_ranks(t); i++)
		if (rank < 0 || i == rank)
			convert_rank(t, dir, i);
	tape_file_commit();
	tape_trace_close(t);
	return TAPE_DONE;
}
