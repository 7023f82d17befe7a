/*
 * The time between two calls of one rank of a trace, in nanoseconds:
 *
 *	span TRACE RANK FROM TO
 *
 * from the end of its first call FROM to the end of its last call TO, or the
 * start of MPI_Finalize, which ends when nothing can be measured. Asked of
 * a trace before and after the correction, it tells what was taken out.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tape_reader.h"

struct span {
	unsigned from, to;
	int begun, ended;
	int64_t start_ns, end_ns;
};

static void look(struct span *s, const struct tape_event *e)
{
	if (e->call == s->from && !s->begun) {
		s->begun = 1;
		s->start_ns = e->end_ns;
	}
	if (e->call == s->to && s->begun) {
		s->ended = 1;
		s->end_ns = s->to == TAPE_CALL_MPI_Finalize ? e->start_ns
							    : e->end_ns;
	}
}

/* The first flow of the rank is its main thread. */
static int measure(struct tape_trace *t, int rank, struct span *s)
{
	const struct tape_event *e;
	struct tape_flow *f = NULL;
	size_t i = 0;
	int rc;

	while (i < tape_trace_flows(t) && tape_trace_flow(t, i)->rank != rank)
		i++;
	if (i == tape_trace_flows(t)) {
		fprintf(stderr, "span: the trace has no rank %d\n", rank);
		return -1;
	}
	if ((rc = tape_flow_open(t, i, &f)) < 0) {
		fprintf(stderr, "span: %s\n", tape_trace_error(t));
		return -1;
	}
	while ((rc = tape_flow_next(f, &e)) == 1)
		look(s, e);
	if (rc < 0)
		fprintf(stderr, "span: %s\n", tape_flow_error(f));
	tape_flow_close(f);
	return rc;
}

int main(int argc, char **argv)
{
	struct tape_trace *t = NULL;
	struct span s = { 0 };
	int rc = -1;

	if (argc != 5) {
		fprintf(stderr, "usage: span trace rank from to\n");
		return 2;
	}
	s.from = tape_call_find(argv[3]);
	s.to = tape_call_find(argv[4]);
	if (!s.from || !s.to) {
		fprintf(stderr, "span: there is no such call\n");
		return 2;
	}
	if (tape_trace_open(argv[1], &t))
		fprintf(stderr, "span: %s\n", tape_trace_error(t));
	else
		rc = measure(t, atoi(argv[2]), &s);
	if (!rc && !s.ended) {
		fprintf(stderr, "span: the calls do not occur\n");
		rc = -1;
	}
	if (!rc)
		printf("%" PRId64 "\n", s.end_ns - s.start_ns);
	tape_trace_close(t);
	return rc != 0;
}
