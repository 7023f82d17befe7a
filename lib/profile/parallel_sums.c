/* Tasks for several processes; see parallel_sums.h. */
#include <stdlib.h>
#include <string.h>

#include "parallel_sums.h"
#include "tool.h"

/* ---- asking ---- */

static void send_request(struct tape_peers *p, const struct stats_request *q,
			 const char *path)
{
	p->busy = q->task != STATS_DISMISS;
	tape_peers_queue_to_others(p, STATS_REQUEST, q, sizeof *q);
	tape_peers_queue_to_others(p, STATS_PATH, path, strlen(path) + 1);
	tape_peers_exchange_once(p);
}

void stats_ask(struct stats *s, enum stats_task task,
	       const struct marker *marker, uint64_t lines)
{
	struct stats_request q = {.task = task,
				  .which = s->which,
				  .lines = lines,
				  .from_ns = s->from_ns};

	if (marker)
		q.marker = *marker;
	send_request(s->peers, &q, "");
	if (tape_peers_partition(s->peers, s->t))
		tape_die_no_memory();
}

void stats_dismiss(struct tape_peers *p)
{
	struct stats_request q = {.task = STATS_DISMISS};

	send_request(p, &q, "");
}

/* ---- reading ---- */

/* All have the trace: reads it. */
static struct stats *read_own_flows(struct tape_trace *t, int errors,
				    uint32_t which, struct tape_peers *p)
{
	struct stats_reading *r;
	struct stats *s;

	if (tape_peers_partition(p, t))
		tape_die_no_memory();
	r = stats_open_part(t, errors, p);
	while (stats_step(r))
		;
	s = stats_close(r);
	s->which = which;
	return s;
}

struct stats *stats_read_with(struct tape_trace *t, int errors,
			      struct tape_peers *p)
{
	struct stats_request q = {.task = STATS_READ,
				  .errors = errors,
				  .ranks = tape_trace_ranks(t),
				  .flows = tape_trace_flows(t)};

	if (!p)
		return stats_read(t, errors);
	q.which = p->traces++;
	send_request(p, &q, tape_trace_path(t));
	tape_peers_queue_sites(p, t);
	tape_peers_agree(p, "", NULL, NULL);
	return read_own_flows(t, errors, q.which, p);
}

/* ---- serving ---- */

struct served {
	struct tape_trace *t;
	struct stats *s;
};

static struct stats *serve_read(struct tape_peers *p,
				const struct stats_request *q, const char *path)
{
	struct tape_trace *t =
	    tape_peers_open(p, path, q->ranks, q->flows, tape_peers_store_site);

	return t ? read_own_flows(t, q->errors, q->which, p) : NULL;
}

static int serve_one(struct tape_peers *p, struct stats **list, size_t n)
{
	struct tape_peers_at at = {0};
	struct stats_request q = {0};
	const void *data;
	unsigned kind;
	size_t bytes;
	char *path = NULL;

	tape_peers_exchange_once(p);
	while ((data = tape_peers_next(p, &at, &kind, &bytes)))
		if (kind == STATS_REQUEST)
			memcpy(&q, data, sizeof q);
		else if (kind == STATS_PATH && !path)
			path = tape_must(strdup(data));
	if (q.task == STATS_READ && q.which < n)
		list[q.which] = serve_read(p, &q, path);
	free(path);
	if (q.task != STATS_PHASES)
		return q.task == STATS_READ;
	if (q.which >= n || !list[q.which] ||
	    tape_peers_partition(p, list[q.which]->t))
		tape_die_no_memory();
	stats_serve_phases(list[q.which], &q);
	return 1;
}

void stats_serve(struct tape_peers *p)
{
	enum { TRACES = 4 };
	struct stats *list[TRACES] = {NULL};

	while (serve_one(p, list, TRACES))
		;
	for (size_t i = 0; i < TRACES; i++) {
		struct tape_trace *t = list[i] ? list[i]->t : NULL;

		stats_free(list[i]);
		tape_trace_close(t);
	}
}
