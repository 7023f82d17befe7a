/*
 * Where a trace has the segments of bench/segments.c: borders TRACE. For each
 * region "segment NAME" of a rank a line
 *
 *	RANK NAME START END OWN EVENTS EARLIER LATER EARLIER LATER
 *
 * from the end of the mark that enters to the start of the one that leaves,
 * ns; OWN, the tracer's own time of the two marks between these; events in
 * between; and the guaranteed intervals of the two marks.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tape_reader.h"

static const char prefix[] = "segment ";

/* The segment's name if e is one of its marks, else NULL. */
static const char *segment(const struct tape_rank_info *r,
			   const struct tape_event *e)
{
	const char *name;

	if ((e->class_ != TAPE_CLASS_ENTER && e->class_ != TAPE_CLASS_LEAVE) ||
	    e->region >= r->n_regions || !(name = r->regions[e->region]) ||
	    strncmp(name, prefix, sizeof prefix - 1))
		return NULL;
	return name + sizeof prefix - 1;
}

static int print(struct tape_trace *t, size_t i)
{
	const struct tape_rank_info *r =
		tape_trace_rank(t, tape_trace_flow(t, i)->rank);
	struct tape_event enter = { 0 };
	const struct tape_event *e;
	struct tape_flow *f = NULL;
	uint64_t events = 0;
	const char *name;
	int rc;

	if ((rc = tape_flow_open(t, i, &f)) < 0) {
		fprintf(stderr, "borders: %s\n", tape_trace_error(t));
		return rc;
	}
	while ((rc = tape_flow_next(f, &e)) == 1) {
		events++;
		if (!(name = segment(r, e)))
			continue;
		if (e->class_ == TAPE_CLASS_ENTER) {
			enter = *e;
			events = 0;
			continue;
		}
		printf("%d %s %" PRId64 " %" PRId64 " %.2f %" PRIu64 " %" PRId64
		       " %" PRId64 " %" PRId64 " %" PRId64 "\n",
		       e->rank, name, enter.end_ns, e->start_ns,
		       enter.alpha_after_ns + e->alpha_before_ns, events - 1,
		       enter.earlier_ns, enter.later_ns, e->earlier_ns,
		       e->later_ns);
	}
	if (rc < 0)
		fprintf(stderr, "borders: %s\n", tape_flow_error(f));
	tape_flow_close(f);
	return rc;
}

int main(int argc, char **argv)
{
	struct tape_trace *t = NULL;
	int rc = 0;

	if (argc != 2 || tape_trace_open(argv[1], &t)) {
		fprintf(stderr, "borders: %s\n",
			argc != 2 ? "which trace?" : tape_trace_error(t));
		tape_trace_close(t);
		return 1;
	}
	for (size_t i = 0; i < tape_trace_flows(t) && !rc; i++)
		rc = print(t, i);
	tape_trace_close(t);
	return rc != 0;
}
