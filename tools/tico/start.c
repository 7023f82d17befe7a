/* What the engine knows before the first event; see flow.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "flow.h"
#include "message.h"
#include "writer.h"

static void number_hosts(struct engine *g)
{
	size_t n = tape_trace_ranks(g->t);

	g->host = malloc(n * sizeof *g->host);
	if (!g->host)
		tape_die(TAPE_FAILED, "out of memory");
	for (size_t r = 0; r < n; r++) {
		const char *mine = tape_trace_rank(g->t, (int)r)->host;

		g->host[r] = (int)r;
		for (size_t q = 0; mine && q < r; q++) {
			const char *its = tape_trace_rank(g->t, (int)q)->host;

			if (its && !strcmp(its, mine)) {
				g->host[r] = g->host[q];
				break;
			}
		}
	}
}

/* The widest interval of each clock holds at any date. */
static void clock_errors(struct engine *g)
{
	size_t n = tape_trace_ranks(g->t);
	double most = 0;

	g->slack = 1; /* is to be looked at */
	g->clock = calloc(n, sizeof *g->clock);
	if (!g->clock)
		tape_die(TAPE_FAILED, "out of memory");
	for (size_t r = 0; r < n; r++) {
		const struct tape_domain_info *d = tape_trace_domain(
			g->t, tape_trace_rank(g->t, (int)r)->domain);
		struct clock_error *c = &g->clock[r];

		c->domain = d ? d->index : 0;
		for (size_t i = 0; d && i < d->n_pieces; i++) {
			c->lo = fmin(c->lo, (double)d->pieces[i].lo_ns);
			c->hi = fmax(c->hi, (double)d->pieces[i].hi_ns);
		}
	}
	for (size_t a = 0; a < n && tape_trace_domains(g->t) > 1; a++)
		for (size_t b = 0; b < n; b++)
			most = fmax(most, engine_slack(g, (int)a, (int)b));
	g->slack = most;
}

/* Is it the only flow of its rank? Flows of a rank follow each other. */
static int is_alone(const struct engine *g, size_t i)
{
	int rank = tape_trace_flow(g->t, i)->rank;

	return (!i || tape_trace_flow(g->t, i - 1)->rank != rank) &&
	       (i + 1 == g->n_flows ||
		tape_trace_flow(g->t, i + 1)->rank != rank);
}

static void open_flow(struct engine *g, size_t i, struct tape_output *out)
{
	const struct tape_flow_info *info = tape_trace_flow(g->t, i);
	struct flow *f = &g->flows[i];
	struct tape_ops *other = NULL;
	struct tape_flow *reader;
	int64_t first;

	f->rank = info->rank;
	f->reached = INT64_MIN;
	f->threads = f;
	/* flows of a rank follow each other */
	if (i && g->flows[i - 1].rank == f->rank) {
		f->threads = g->flows[i - 1].threads;
		other = f->threads->ops;
		g->r->threads++;
	}
	f->threads->n_threads++;
	f->ops = tape_ops_new(g->t, f->rank, other);
	if (!f->ops)
		tape_die(TAPE_FAILED, "out of memory");
	tape_ops_meet(f->ops, g->meetings);
	if (tape_flow_open(g->t, i, &reader))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(g->t));
	f->feed = feed_open(g->feeds, reader);
	f->ahead = is_alone(g, i);
	if (f->ahead)
		feed_through(f->feed, f->ops);
	if (!out)
		return;
	/* the first event's date is the first of the flow */
	if (engine_fetch(g, f)) {
		first = tape_date_less(f->e->start_ns, f->p_start.p);
		feed_to(f->feed, tape_flow_writer_open(out, f->rank,
						       info->thread, first),
			first, how_certifies(g->how));
		f->writes = 1;
	}
}

void engine_open(struct engine *g, struct tape_output *out)
{
	number_hosts(g);
	clock_errors(g);
	if (tape_meetings_read(g->t, g->slack, &g->meetings))
		tape_die(TAPE_FAILED, "out of memory");
	g->library = engine_library(g->t);
	g->n_flows = tape_trace_flows(g->t);
	g->feeds = feeds_new(g->how->workers, g->n_flows);
	g->flows = calloc(g->n_flows + 1, sizeof *g->flows);
	if (!g->flows)
		tape_die(TAPE_FAILED, "out of memory");
	for (size_t i = 0; i < g->n_flows; i++)
		open_flow(g, i, out);
}
