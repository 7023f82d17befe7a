/* See simulated_trace.h. */
#include <math.h>
#include <stdlib.h>

#include "simulated_trace.h"
#include "tool.h"
#include "writer.h"

struct rank_events {
	size_t flow;
	struct tape_flow *f;
	struct tape_flow_writer *w;
	const struct tape_event *e; /* NULL: at the end */
	uint64_t at;		    /* number of the event, from 1 */
	int any; /* an action inside the event has its times */
	int64_t begin_ns, end_ns;
	int64_t last_ns;        /* of the last action */
	int64_t first_ns, ended_ns; /* as measured: start and end of the run */
};

struct sim_trace {
	struct tape_trace *t;
	struct tape_output *out;
	struct rank_events *ranks;
	size_t n, left_out;
	int64_t origin_ns; /* timestamp of the simulation's start */
	int comparable;	   /* measured timestamps of ranks are comparable */
	uint64_t events;
};

/* ---- events ---- */

/*
 * Updates the measured start and end of the rank. The run is between MPI_Init
 * and MPI_Finalize: these are no actions, nor is the tracer's work after
 * MPI_Init.
 */
static void measure_event(struct rank_events *r)
{
	const struct tape_event *e = r->e;
	int life = e->call && tape_call_traits(e->call) & TAPE_TRAIT_LIFE;
	int last = life && tape_call_base(e->call) == TAPE_CALL_MPI_Finalize;
	int64_t end = last ? e->start_ns : e->end_ns;

	if (r->at == 1)
		r->first_ns = life && !last
				      ? e->end_ns + llrint(e->alpha_after_ns)
				      : e->start_ns;
	if (r->at == 1 || end > r->ended_ns)
		r->ended_ns = end;
}

static void fetch_event(struct sim_trace *d, struct rank_events *r)
{
	int rc = tape_flow_next(r->f, &r->e);

	if (rc < 0)
		tape_die(TAPE_FAILED, "%s", tape_flow_error(r->f));
	r->any = 0;
	if (!rc) {
		r->e = NULL;
		return;
	}
	r->at++;
	d->events++;
	measure_event(r);
}

static void write_event(const struct sim_trace *d, struct rank_events *r)
{
	int64_t begin = r->any ? r->begin_ns : r->last_ns;
	int64_t end = r->any ? r->end_ns : r->last_ns;

	if (!r->w)
		return;
	tape_flow_writer_dated(r->w, r->e, d->origin_ns + begin,
			       d->origin_ns + end, 0, 0);
	tape_flow_writer_check(r->w);
}

/* Writes the events before the given number, whose times are complete. */
static void write_until(struct sim_trace *d, struct rank_events *r,
			uint64_t event)
{
	while (r->e && r->at < event) {
		write_event(d, r);
		fetch_event(d, r);
	}
}

int sim_trace_put(struct sim_trace *d, int rank, const struct tape_action *a,
		  int64_t begin_ns, int64_t end_ns)
{
	struct rank_events *r = &d->ranks[rank];

	if (a->event > r->at)
		write_until(d, r, a->event);
	if (a->inside && a->event == r->at) {
		if (!r->any)
			r->begin_ns = begin_ns;
		r->end_ns = end_ns;
		r->any = 1;
	}
	r->last_ns = end_ns;
	return 0;
}

/* ---- begin and end ---- */

static int has_several_clocks(const struct tape_trace *t)
{
	return tape_trace_base(t) == TAPE_BASE_LOCAL &&
	       tape_trace_domains(t) > 1;
}

static void open_ranks(struct sim_trace *d, const struct tape_actions *s)
{
	struct tape_trace *t = d->t;
	int64_t first = INT64_MAX;

	for (size_t i = 0; i < d->n; i++)
		d->ranks[i].flow = SIZE_MAX;
	for (size_t i = 0; i < tape_trace_flows(t); i++) {
		int rank = tape_trace_flow(t, i)->rank;

		if (i == tape_actions_flow(s, rank))
			d->ranks[rank].flow = i;
		else
			d->left_out++;
	}
	for (size_t i = 0; i < d->n; i++) {
		struct rank_events *r = &d->ranks[i];

		if (r->flow == SIZE_MAX)
			continue;
		if (tape_flow_open(t, r->flow, &r->f))
			tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
		fetch_event(d, r);
		if (r->e && r->first_ns < first)
			first = r->first_ns;
	}
	if (d->comparable && first < INT64_MAX)
		d->origin_ns = first;
}

static void open_writers(struct sim_trace *d, const int *host)
{
	char name[32];

	for (size_t i = 0; i < d->n; i++) {
		struct rank_events *r = &d->ranks[i];

		if (host)
			snprintf(name, sizeof name, "host%d", host[i]);
		tape_write_rank(d->out, d->t, (int)i, host ? name : NULL, 0);
		if (r->f)
			r->w = tape_flow_writer_open(
				d->out, (int)i,
				tape_trace_flow(d->t, r->flow)->thread,
				d->origin_ns);
	}
}

struct sim_trace *sim_trace_open(struct tape_trace *t,
				 const struct tape_actions *s,
				 struct tape_output *out, const int *host)
{
	struct sim_trace *d = tape_must(calloc(1, sizeof *d));

	d->t = t;
	d->out = out;
	d->n = tape_trace_ranks(t);
	d->ranks = tape_must(calloc(d->n + 1, sizeof *d->ranks));
	d->comparable = !has_several_clocks(t);
	open_ranks(d, s);
	if (out)
		open_writers(d, host);
	return d;
}

static void measure_run(const struct sim_trace *d, struct sim_measured *m)
{
	int64_t first = INT64_MAX, last = INT64_MIN;

	*m = (struct sim_measured){ -1, d->left_out, d->events };
	for (size_t i = 0; i < d->n; i++) {
		const struct rank_events *r = &d->ranks[i];

		if (!r->at)
			continue;
		if (r->ended_ns - r->first_ns > m->total_ns)
			m->total_ns = r->ended_ns - r->first_ns;
		first = r->first_ns < first ? r->first_ns : first;
		last = r->ended_ns > last ? r->ended_ns : last;
	}
	if (d->comparable && first <= last)
		m->total_ns = last - first;
}

void sim_trace_end(struct sim_trace *d, struct sim_measured *m)
{
	for (size_t i = 0; i < d->n; i++) {
		struct rank_events *r = &d->ranks[i];
		enum tape_end why;
		uint64_t lost;

		if (!r->f)
			continue;
		write_until(d, r, UINT64_MAX);
		why = tape_flow_end(r->f, &lost);
		if (r->w)
			tape_flow_writer_close(r->w, why, lost);
		r->w = NULL;
	}
	measure_run(d, m);
}

void sim_trace_free(struct sim_trace *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->n; i++)
		tape_flow_close(d->ranks[i].f);
	free(d->ranks);
	free(d);
}
