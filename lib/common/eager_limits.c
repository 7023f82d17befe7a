/* Eager limits of a trace; see eager_limits.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "eager_limits.h"

/*
 * Open MPI counts its own header, at most this long, against the limit: the
 * largest message that did not wait for its receive was that much shorter. What
 * was measured has no header in it.
 */
enum { HEADER_BYTES = 56 };

const char *const tape_eager_transport[TAPE_DISTANCES] = {
    [TAPE_SELF] = "self", [TAPE_SHM] = "shm", [TAPE_NET] = "net"};

const char *const tape_eager_property[TAPE_DISTANCES] = {
    [TAPE_SELF] = "TAPE::EAGER_SELF",
    [TAPE_SHM] = "TAPE::EAGER_SHM",
    [TAPE_NET] = "TAPE::EAGER_NET"};

int tape_eager_limit_parse(const char *line, uint64_t *bytes, int *measured)
{
	char name[16], how[16];
	int words = sscanf(line, "%15s %" SCNu64 " %15s", name, bytes, how);

	if (words < 2)
		return -1;
	*measured = words == 3 && !strcmp(how, "measured");
	for (int d = 0; d < TAPE_DISTANCES; d++)
		if (tape_eager_transport[d] &&
		    !strcmp(name, tape_eager_transport[d]))
			return d;
	return -1;
}

void tape_eager_limits_read(struct tape_eager_limits *e,
			    const struct tape_trace *t)
{
	const char *line;
	uint64_t bytes, header;
	int d, measured;

	memset(e, 0, sizeof *e);
	for (size_t n = 0; (line = tape_trace_meta(t, "eager", n)); n++) {
		d = tape_eager_limit_parse(line, &bytes, &measured);
		if (d < 0)
			continue;
		header = measured ? 0 : HEADER_BYTES;
		e->bytes[d] = bytes > header ? bytes - header : 0;
		e->is_known[d] = 1;
	}
}

static enum tape_distance find_transport(const struct tape_trace *t, int from,
					 int to)
{
	const char *a = tape_trace_rank(t, from)->host;
	const char *b = tape_trace_rank(t, to)->host;

	if (from == to)
		return TAPE_SELF;
	return a && b && !strcmp(a, b) ? TAPE_SHM : TAPE_NET;
}

int tape_eager_limits_hold(const struct tape_eager_limits *e,
			   const struct tape_trace *t, unsigned call, int from,
			   int to, uint64_t bytes)
{
	enum tape_distance d = find_transport(t, from, to);

	return e->is_known[d] && bytes <= e->bytes[d] &&
	       !(tape_call_traits(call) & TAPE_TRAIT_SYNCHRONOUS);
}

int tape_eager_limits_exceed(const struct tape_eager_limits *e,
			     const struct tape_trace *t, unsigned call,
			     int from, int to, uint64_t bytes)
{
	enum tape_distance d = find_transport(t, from, to);
	unsigned traits = tape_call_traits(call);

	if (traits & TAPE_TRAIT_SYNCHRONOUS)
		return 1;
	return !(traits & TAPE_TRAIT_BUFFERED) && e->is_known[d] &&
	       bytes > e->bytes[d] && bytes - e->bytes[d] > HEADER_BYTES;
}
