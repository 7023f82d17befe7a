/* Messages, receives, requests; see own_state.h. */
#include <math.h>
#include <stdlib.h>

#include "delay_bounds.h"
#include "growing_array.h"
#include "own_state.h"
#include "sort.h"
#include "tool.h"

static int is_nonblocking(const struct own_rank *k)
{
	return k->a->kind == TAPE_ACTION_ISEND ||
	       k->a->kind == TAPE_ACTION_ISSEND ||
	       k->a->kind == TAPE_ACTION_IRECV;
}

/* ---- requests ---- */

static int compare_arrivals(const void *a, const void *b)
{
	double x = ((const struct sim_request *)a)->arrival_ns;
	double y = ((const struct sim_request *)b)->arrival_ns;

	return x < y ? -1 : x > y;
}

/*
 * Ends a wait whose requests are complete. The overheads of messages are
 * consecutive, in the order of arrival.
 */
static void end_wait(struct own *o, int rank)
{
	struct own_rank *k = &o->ranks[rank];
	struct sim_request few[16], *all = few, *r;
	double end = k->now_ns;
	size_t n = 0;

	if (k->a->n_waits > 16)
		all = tape_must(malloc(k->a->n_waits * sizeof *all));
	for (size_t i = 0; i < k->a->n_waits; i++) {
		r = sim_request_find(&k->requests, k->a->waits[i]);
		if (!r)
			continue;
		if (r->recv_ns > 0)
			all[n++] = *r;
		else
			end = tape_max(end, r->arrival_ns);
		sim_request_drop(&k->requests, k->a->waits[i]);
	}
	if (n) {
		double at = k->now_ns;

		tape_sort(all, n, sizeof *all, compare_arrivals);
		for (size_t i = 0; i < n; i++)
			at = tape_max(at, all[i].arrival_ns) + all[i].recv_ns;
		end = tape_max(end, at);
	}
	if (all != few)
		free(all);
	own_end_action(o, rank, end);
}

void own_wait(struct own *o, int rank)
{
	struct own_rank *k = &o->ranks[rank];
	struct sim_request *r;

	k->pending = 0;
	for (size_t i = 0; i < k->a->n_waits; i++) {
		r = sim_request_find(&k->requests, k->a->waits[i]);
		if (!r || r->is_awaited || !isnan(r->arrival_ns))
			continue;
		r->is_awaited = 1;
		k->pending++;
	}
	if (!k->pending)
		end_wait(o, rank);
}

void own_complete_request(struct own *o, int rank, uint64_t number,
			  double arrival_ns, double recv_ns)
{
	struct own_rank *k = &o->ranks[rank];
	struct sim_request *r = sim_request_find(&k->requests, number);

	if (!r)
		return;
	r->arrival_ns = arrival_ns;
	r->recv_ns = recv_ns;
	if (r->is_awaited && !--k->pending)
		end_wait(o, rank);
}

static void new_request(struct own *o, int rank)
{
	struct own_rank *k = &o->ranks[rank];

	if (k->a->request)
		sim_request_add(&k->requests, k->a->request);
}

/* ---- in flight ---- */

/* Ends a probe: the message has arrived, or at least its envelope. */
static void end_probe(struct own *o, const struct sim_message *m, double ns)
{
	struct sim_queue *q =
	    sim_find_queue(&o->queues, m->from, m->to, m->tag, m->channel);
	int rank = q->prober - 1;

	if (rank < 0 || sim_get_message(&o->queues, q->head - 1) != m)
		return;
	q->prober = 0;
	o->probers--;
	own_end_action(o, rank, tape_max(o->ranks[rank].now_ns, ns));
}

static void end_receive(struct own *o, const struct sim_message *m)
{
	if (m->channel & OWN_PLAYED)
		own_part_arrived(o, m, 0);
	else if (m->channel)
		own_token_arrived(o, m->to, m->arrival_ns);
	else if (m->receives)
		own_complete_request(o, m->to, m->receives, m->arrival_ns,
				     m->recv_ns);
	else
		own_end_action(o, m->to,
			       tape_max(m->posted_ns, m->arrival_ns) +
				   m->recv_ns);
}

static void arrive_message(struct own *o, uint32_t number, double arrival_ns)
{
	struct sim_message m;

	sim_get_message(&o->queues, number)->arrival_ns = arrival_ns;
	m = *sim_get_message(&o->queues, number);
	if (m.sides & SIM_RECEIVED)
		sim_message_drop(&o->queues, number);
	else if (o->probers)
		end_probe(o, sim_get_message(&o->queues, number), arrival_ns);
	if (m.sender_waits && m.channel & OWN_PLAYED)
		own_part_arrived(o, &m, 1);
	else if (m.sender_waits && m.sends)
		own_complete_request(o, m.from, m.sends, arrival_ns, 0);
	else if (m.sender_waits)
		own_end_action(o, m.from, arrival_ns);
	if (m.sides & SIM_RECEIVED)
		end_receive(o, &m);
}

static void depart_message(struct own *o, uint32_t number, double at_ns)
{
	struct sim_message *m = sim_get_message(&o->queues, number);

	m->has_started = 1;
	/*
	 * parts of collectives depend on each other in long chains: each is an
	 * event of its own, to limit recursion
	 */
	if (o->links && ((m->work_ns > 0 && o->by_net) ||
			 m->channel & OWN_PLAYED)) {
		m->start_ns = at_ns;
		own_add_event(o, at_ns, OWN_DEPART, number);
	} else {
		arrive_message(o, number, at_ns + m->transit_ns);
	}
}

static int find_links(const struct own *o, const struct sim_message *m,
		      int link[TAPE_LINKS_EACH])
{
	const int *host = o->m->host;
	int from = host ? host[m->from] : m->from;
	int to = host ? host[m->to] : m->to;
	const struct sim_net *net = o->m->net;
	int n = 0;

	if (m->channel == OWN_COMPUTES) {
		link[0] = OWN_LINKS * from + OWN_CORES;
		return 1;
	}
	if (!o->by_net)
		return 0;
	switch (own_distance(o, m->from, m->to)) {
	case TAPE_SWITCH:
	case TAPE_NET:
		link[n++] = OWN_LINKS * from + OWN_OUT;
		link[n++] = OWN_LINKS * to + OWN_IN;
		if ((net->smpi ? net->smpi->backbone : net->model->backbone) >
		    0)
			link[n++] = OWN_LINKS * o->hosts;
		break;
	case TAPE_CACHE:
	case TAPE_PACKAGE:
	case TAPE_SHM:
		link[n++] = OWN_LINKS * from + OWN_INSIDE;
		break;
	case TAPE_SELF:
	case TAPE_DISTANCES:
		break;
	}
	return n;
}

void own_start_transit(struct own *o, uint32_t number)
{
	struct sim_message *m = sim_get_message(&o->queues, number);
	int link[TAPE_LINKS_EACH], n = find_links(o, m, link);

	m->flight =
	    tape_links_send(o->links, m->start_ns, link, n, (double)m->bytes,
			    m->transit_ns - m->work_ns, m->work_ns);
	if (m->flight == TAPE_NO_FLIGHT)
		tape_die_no_memory();
	o->flying = tape_must(tape_grow_array(
	    o->flying, &o->flying_room, o->n_flying + 1, sizeof *o->flying));
	o->flying[o->n_flying++] = number;
	own_collect_arrivals(o);
}

void own_compute(struct own *o, int rank, double ns)
{
	uint32_t number = sim_message_add(&o->queues);
	struct sim_message *m = sim_get_message(&o->queues, number);

	m->channel = OWN_COMPUTES;
	m->from = m->to = rank;
	m->start_ns = o->ranks[rank].now_ns;
	m->transit_ns = m->work_ns = ns;
	own_add_event(o, m->start_ns, OWN_DEPART, number);
}

static void end_compute(struct own *o, uint32_t number, double arrival_ns)
{
	int rank = sim_get_message(&o->queues, number)->from;

	sim_message_drop(&o->queues, number);
	own_end_action(o, rank, arrival_ns);
}

void own_collect_arrivals(struct own *o)
{
	for (size_t i = 0; i < o->n_flying;) {
		uint32_t number = o->flying[i];
		uint32_t flight = sim_get_message(&o->queues, number)->flight;
		double there;

		if (!tape_links_arrived(o->links, flight, &there)) {
			i++;
			continue;
		}
		o->flying[i] = o->flying[--o->n_flying];
		tape_links_drop(o->links, flight);
		if (sim_get_message(&o->queues, number)->channel ==
		    OWN_COMPUTES)
			end_compute(o, number, there);
		else
			arrive_message(o, number, there);
	}
}

/* ---- both sides ---- */

static void post_send(struct own *o, struct sim_queue *q, uint64_t bytes,
		      const struct sim_cost *c, double start_ns,
		      uint64_t request)
{
	uint32_t number = sim_queue_take(&o->queues, q, SIM_RECEIVED);
	struct sim_message *m;

	if (number == SIM_NONE)
		number = sim_queue_add(&o->queues, q, SIM_SENT);
	m = sim_get_message(&o->queues, number);
	m->sides |= SIM_SENT;
	m->bytes = bytes;
	m->start_ns = start_ns;
	m->arrival_ns = NAN;
	m->transit_ns = c->transit_ns;
	m->work_ns = c->work_ns;
	m->recv_ns = c->recv_ns;
	m->protocol = (uint8_t)c->protocol;
	m->sender_waits = c->protocol == SIM_RENDEZVOUS;
	m->sends = request;
	if (c->protocol == SIM_EAGER)
		depart_message(o, number, start_ns);
	else if (m->sides & SIM_RECEIVED)
		depart_message(o, number, tape_max(start_ns, m->posted_ns));
	else if (o->probers)
		end_probe(o, m, start_ns + c->transit_ns - c->work_ns);
}

/* Request of a send without a wait: no request has this number. */
#define NO_REQUEST UINT64_MAX

void own_send(struct own *o, int rank)
{
	struct own_rank *k = &o->ranks[rank];
	const struct tape_action *a = k->a;
	enum tape_distance d;
	struct sim_cost c;
	int now = is_nonblocking(k);

	if (!own_check_rank(o, rank, a->peer))
		return;
	d = own_distance(o, rank, a->peer);
	if (a->kind == TAPE_ACTION_SEND || a->kind == TAPE_ACTION_ISEND)
		c = *sim_net_cost(o->m->net, d, a->bytes);
	else
		sim_net_ssend_cost(o->m->net, d, a->bytes, &c);
	if (now)
		new_request(o, rank);
	o->out->messages++;
	post_send(o, sim_find_queue(&o->queues, rank, a->peer, a->tag, 0),
		  a->bytes, &c,
		  k->begin_ns + (now ? c.isend_start_ns : c.send_start_ns),
		  !now	       ? 0
		  : a->request ? a->request
			       : NO_REQUEST);
	if (now) {
		if (c.protocol != SIM_RENDEZVOUS)
			own_complete_request(o, rank, a->request,
					     k->begin_ns + c.isend_ns, 0);
		own_end_action(o, rank, k->begin_ns + c.isend_ns);
	} else if (c.protocol != SIM_RENDEZVOUS) {
		own_end_action(o, rank, k->begin_ns + c.send_ns);
	}
}

static void post_receive(struct own *o, struct sim_queue *q, double posted_ns,
			 uint64_t request)
{
	uint32_t number = sim_queue_take(&o->queues, q, SIM_SENT);
	struct sim_message *m, taken;

	if (number == SIM_NONE)
		number = sim_queue_add(&o->queues, q, SIM_RECEIVED);
	m = sim_get_message(&o->queues, number);
	m->sides |= SIM_RECEIVED;
	m->posted_ns = posted_ns;
	m->receives = request;
	if (!(m->sides & SIM_SENT))
		return;
	if (!m->has_started) {
		depart_message(o, number, tape_max(m->start_ns, posted_ns));
	} else if (!isnan(m->arrival_ns)) {
		taken = *m;
		sim_message_drop(&o->queues, number);
		end_receive(o, &taken);
	}
}

void own_recv(struct own *o, int rank)
{
	struct own_rank *k = &o->ranks[rank];
	const struct tape_action *a = k->a;
	int now = is_nonblocking(k);

	if (!own_check_rank(o, rank, a->peer))
		return;
	if (now)
		new_request(o, rank);
	post_receive(o, sim_find_queue(&o->queues, a->peer, rank, a->tag, 0),
		     k->begin_ns, now ? a->request : 0);
	if (now)
		own_end_action(o, rank, k->begin_ns);
}

void own_probe(struct own *o, int rank)
{
	struct own_rank *k = &o->ranks[rank];
	const struct sim_message *m;
	struct sim_queue *q;

	if (!own_check_rank(o, rank, k->a->peer))
		return;
	q = sim_find_queue(&o->queues, k->a->peer, rank, k->a->tag, 0);
	m = q->head ? sim_get_message(&o->queues, q->head - 1) : NULL;
	if (m && m->sides == SIM_SENT &&
	    !(m->has_started && isnan(m->arrival_ns))) {
		double there = m->has_started
				   ? m->arrival_ns
				   : m->start_ns + m->transit_ns - m->work_ns;

		own_end_action(o, rank, tape_max(k->now_ns, there));
		return;
	}
	q->prober = rank + 1;
	o->probers++;
}

/* ---- parts of collectives ---- */

int own_part_is_blocking(struct own *o, int from, int to, uint64_t bytes)
{
	return sim_net_cost(o->m->net, own_distance(o, from, to), bytes)
		       ->protocol == SIM_RENDEZVOUS;
}

double own_part_send(struct own *o, int from, int to, uint32_t channel,
		     int32_t tag, uint64_t bytes, double at_ns, uint64_t number,
		     int blocking)
{
	struct sim_cost c = *sim_net_cost(o->m->net, own_distance(o, from, to),
					  bytes);

	post_send(o, sim_find_queue(&o->queues, from, to, tag, channel), bytes,
		  &c, at_ns + (blocking ? c.send_start_ns : c.isend_start_ns),
		  number);
	return at_ns + (blocking ? c.send_ns : c.isend_ns);
}

void own_part_recv(struct own *o, int from, int to, uint32_t channel,
		   int32_t tag, double at_ns, uint64_t number)
{
	post_receive(o, sim_find_queue(&o->queues, from, to, tag, channel),
		     at_ns, number);
}

/* ---- tokens ---- */

void own_send_token(struct own *o, int from, int to, uint32_t channel,
		    double start_ns)
{
	struct sim_cost c = *sim_net_cost(o->m->net, own_distance(o, from, to),
					  0);

	c.protocol = SIM_EAGER;
	post_send(o, sim_find_queue(&o->queues, from, to, 0, channel), 0, &c,
		  start_ns + c.send_start_ns, 0);
}

int own_receive_token(struct own *o, int from, int to, uint32_t channel,
		      double *arrival_ns)
{
	struct sim_queue *q = sim_find_queue(&o->queues, from, to, 0, channel);
	uint32_t number = sim_queue_take(&o->queues, q, SIM_SENT);
	struct sim_message *m;

	if (number == SIM_NONE)
		number = sim_queue_add(&o->queues, q, SIM_RECEIVED);
	m = sim_get_message(&o->queues, number);
	m->sides |= SIM_RECEIVED;
	m->posted_ns = o->ranks[to].now_ns;
	if (!(m->sides & SIM_SENT) || isnan(m->arrival_ns))
		return 0;
	*arrival_ns = m->arrival_ns;
	sim_message_drop(&o->queues, number);
	return 1;
}
