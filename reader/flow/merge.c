/* Flows of a trace in order of time: a heap of their next events. */
#include <stdlib.h>

#include "heap.h"
#include "trace.h"

struct head {
	int64_t start;
	uint32_t flow;
	const struct tape_event *e;
};

struct tape_merge {
	struct tape_flow **flows; /* from first on */
	size_t first, n_flows;
	struct head *heap;
	size_t n;
	int started, error;
	size_t bad; /* the flow with the error, from first on */
};

static int is_before(const void *own, const struct head *a,
		     const struct head *b)
{
	(void)own;
	return a->start < b->start ||
	       (a->start == b->start && a->flow < b->flow);
}

TAPE_HEAP(heads, struct head, const void *, is_before)

int tape_merge_open(struct tape_trace *t, struct tape_merge **out)
{
	return tape_merge_open_flows(t, 0, tape_trace_flows(t), out);
}

int tape_merge_open_flows(struct tape_trace *t, size_t first, size_t n,
			  struct tape_merge **out)
{
	struct tape_merge *m = calloc(1, sizeof *m);
	int rc = 0;

	*out = m;
	if (!m)
		return tape_trace_no_memory(t);
	m->first = first;
	m->flows = calloc(n + 1, sizeof *m->flows);
	m->heap = calloc(n + 1, sizeof *m->heap);
	if (!m->flows || !m->heap)
		rc = tape_trace_no_memory(t);
	for (size_t i = 0; !rc && i < n; i++) {
		rc = tape_flow_open(t, first + i, &m->flows[i]);
		m->n_flows += !rc;
	}
	if (rc) {
		tape_merge_close(m);
		*out = NULL;
	}
	return rc;
}

void tape_merge_close(struct tape_merge *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->n_flows; i++)
		tape_flow_close(m->flows[i]);
	free(m->flows);
	free(m->heap);
	free(m);
}

static int read_next_head(struct tape_merge *m, size_t flow, struct head *h)
{
	int rc = tape_flow_next(m->flows[flow], &h->e);

	if (rc == TAPE_ENOMEM) {
		m->error = rc;
		m->bad = flow;
	} else if (rc < 0) {
		rc = 0; /* damaged: over */
	}
	if (rc == 1) {
		h->start = h->e->start_ns;
		h->flow = (uint32_t)flow;
	}
	return rc;
}

int tape_merge_next(struct tape_merge *m, const struct tape_event **e)
{
	int rc;

	if (m->error)
		return m->error;
	if (!m->started) {
		m->started = 1;
		for (size_t i = 0; i < m->n_flows; i++) {
			if ((rc = read_next_head(m, i, &m->heap[m->n])) < 0)
				return rc;
			m->n += rc == 1;
		}
		heads_order(NULL, m->heap, m->n);
	} else if (m->n) {
		/* the event given last is used up now */
		rc = read_next_head(m, m->heap[0].flow, &m->heap[0]);
		if (rc < 0)
			return rc;
		if (rc)
			heads_sink(NULL, m->heap, m->n, 0, m->heap[0]);
		else
			m->n = heads_pop(NULL, m->heap, m->n);
	}
	if (!m->n)
		return 0;
	*e = m->heap[0].e;
	return 1;
}

const char *tape_merge_error(const struct tape_merge *m)
{
	return m && m->error ? tape_flow_error(m->flows[m->bad]) : "no error";
}

enum tape_end tape_merge_end(const struct tape_merge *m, size_t flow,
			     uint64_t *lost)
{
	return tape_flow_end(m->flows[flow - m->first], lost);
}
