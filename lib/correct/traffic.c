/*
 * Messages on their way, where the model depends on what else is.
 *
 * Events then have to be taken in the order of their approximated dates, as a
 * simulation does: what a message meets on its way is known when all that left
 * before it arrives has left.
 */
#include <math.h>
#include <stdlib.h>

#include "engine_parts.h"
#include "links.h"
#include "tool.h"

/*
 * Each host has a way out and one in; and what its processes share. Behind
 * them is what all hosts have in common.
 */
enum { OUT, IN, INSIDE, LINKS_OF_HOST };

void engine_traffic_open(struct engine *g)
{
	size_t n = tape_trace_ranks(g->t);

	g->traffic.model = g->how->watcher ? g->how->watcher->model : g->model;
	if (!g->traffic.model || !tape_comm_loaded(g->traffic.model))
		return;
	g->traffic.links = tape_must(tape_links_new(LINKS_OF_HOST * n + 1));
	g->traffic.backbone = LINKS_OF_HOST * (int)n;
	if (g->traffic.model->backbone > 0)
		tape_links_rate(g->traffic.links, g->traffic.backbone,
				g->traffic.model->backbone);
	g->traffic.origin_ns = INT64_MAX;
	for (size_t i = 0; i < g->n_flows; i++) {
		struct flow *f = &g->flows[i];

		if ((f->e || engine_fetch_event(g, f)) &&
		    f->e->start_ns < g->traffic.origin_ns)
			g->traffic.origin_ns = f->e->start_ns;
	}
}

void engine_traffic_close(struct engine *g)
{
	tape_links_free(g->traffic.links);
}

/* The links of a message: their number. */
static int links_of(const struct engine *g, enum tape_distance d, int from,
		    int to, int link[TAPE_LINKS_EACH])
{
	int n = 0;

	switch (d) {
	case TAPE_SWITCH:
	case TAPE_NET:
		link[n++] = LINKS_OF_HOST * g->far.host[from] + OUT;
		link[n++] = LINKS_OF_HOST * g->far.host[to] + IN;
		if (g->traffic.model->backbone > 0)
			link[n++] = g->traffic.backbone;
		break;
	case TAPE_CACHE:
	case TAPE_PACKAGE:
	case TAPE_SHM:
		link[n++] = LINKS_OF_HOST * g->far.host[from] + INSIDE;
		break;
	case TAPE_SELF:
	case TAPE_DISTANCES:
		break;
	}
	return n;
}

static double corrected_start(const struct engine *g,
			      const struct tape_match_side *s,
			      const struct side *of_s)
{
	return (double)(s->start_ns - g->traffic.origin_ns) - of_s->p.p;
}

void engine_depart_message(struct engine *g, struct tape_slot *s, int from,
			   int to)
{
	struct tape_parcel p = {.bytes = s->send->bytes,
				.rendezvous = send_side(s)->rendezvous != 0,
				.distance = engine_distance(g, from, to)};
	double at, latency, work;
	int link[TAPE_LINKS_EACH], n;
	uint32_t flight;

	if (!g->traffic.links || from < 0 || to < 0)
		return;
	if (p.rendezvous && !(tape_is_sent(s) && tape_is_posted(s)))
		return;
	at = corrected_start(g, s->send, send_side(s));
	if (p.rendezvous)
		at = tape_max(at, corrected_start(g, s->recv, receive_side(s)));
	n = links_of(g, p.distance, from, to, link);
	tape_links_advance(g->traffic.links, at);
	p.load_bytes = tape_links_load(g->traffic.links, link, n);
	tape_comm_parts(g->traffic.model, &p, &latency, &work);
	flight = tape_links_send(g->traffic.links, at, link, n,
				 (double)p.bytes, latency, work);
	if (flight == TAPE_NO_FLIGHT)
		tape_die_no_memory();
	send_side(s)->flight1 = (flight + 1) & (UINT32_MAX >> 1);
}

int engine_is_in_flight(const struct engine *g, const struct tape_slot *s)
{
	double at;

	return send_side(s)->flight1 &&
	       !tape_links_arrived(g->traffic.links, send_side(s)->flight1 - 1,
				   &at);
}

double engine_link_transit(const struct engine *g, const struct tape_slot *s,
			   int64_t from_ns, double p, double otherwise)
{
	double at;

	if (!send_side(s)->flight1 ||
	    !tape_links_arrived(g->traffic.links, send_side(s)->flight1 - 1,
				&at))
		return otherwise;
	at -= (double)(from_ns - g->traffic.origin_ns) - p;
	return tape_max(at, 0);
}

void engine_drop_flight(struct engine *g, struct tape_slot *s)
{
	if (send_side(s)->flight1)
		tape_links_drop(g->traffic.links, send_side(s)->flight1 - 1);
	if (tape_is_sent(s))
		send_side(s)->flight1 = 0;
}

/* ---- the order ---- */

/* When the flow goes on: its next start, at once, or not yet. */
static double flow_turn(struct engine *g, struct flow *f)
{
	if (f->is_finished || f->after || (!f->e && !engine_fetch_event(g, f)))
		return INFINITY;
	if (f->has_begun)
		return engine_can_end(g, f) ? -INFINITY : INFINITY;
	return (double)(f->e->start_ns - g->traffic.origin_ns) - f->p_start.p;
}

int engine_step_in_order(struct engine *g)
{
	struct flow *first = NULL;
	double least = INFINITY, next;

	for (size_t i = engine_next_ready(g, 0); i < g->n_flows;
	     i = engine_next_ready(g, i + 1)) {
		double at = flow_turn(g, &g->flows[i]);

		/* what others wait for has a turn of its own */
		if (at < least && !engine_earlier_thread(g, &g->flows[i])) {
			least = at;
			first = &g->flows[i];
		}
	}
	next = tape_links_next(g->traffic.links);
	if (next < least) {
		tape_links_advance(g->traffic.links, next);
		return 1;
	}
	return first && engine_advance_flow(g, first, INT64_MIN);
}
