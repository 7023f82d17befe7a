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

void tape_eager_limits_read(struct tape_eager_limits *e,
			    const struct tape_trace *t)
{
	static const struct {
		const char *name;
		enum tape_distance distance;
	} transport[] = {{"self", TAPE_SELF}, {"shm", TAPE_SHM},
			 {"net", TAPE_NET}};
	const char *line;
	char name[16], how[16];
	uint64_t bytes, header;
	int words;

	memset(e, 0, sizeof *e);
	for (size_t n = 0; (line = tape_trace_meta(t, "eager", n)); n++) {
		words =
		    sscanf(line, "%15s %" SCNu64 " %15s", name, &bytes, how);
		if (words < 2)
			continue;
		header =
		    words == 3 && !strcmp(how, "measured") ? 0 : HEADER_BYTES;
		for (size_t i = 0; i < sizeof transport / sizeof *transport;
		     i++)
			if (!strcmp(name, transport[i].name)) {
				e->bytes[transport[i].distance] =
				    bytes > header ? bytes - header : 0;
				e->is_known[transport[i].distance] = 1;
			}
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
