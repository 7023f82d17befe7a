/*
 * Runs the ranks, each until it blocks or its turn ends; see own.h and
 * own_state.h.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "heap.h"
#include "own_state.h"
#include "tool.h"

/* Actions of a turn: limits how far a rank is ahead of its receivers. */
#define TURN 256

/* ---- errors ---- */

void own_fail(struct own *o, int rc, const char *format, ...)
{
	va_list ap;

	if (o->rc)
		return;
	o->rc = rc;
	va_start(ap, format);
	vsnprintf(o->out->error, sizeof o->out->error, format, ap);
	va_end(ap);
}

int own_check_rank(struct own *o, int rank, int32_t peer)
{
	if (peer >= 0 && peer < o->n)
		return 1;
	own_fail(o, TAPE_ERANGE, "%s: no rank %d", own_describe_action(o, rank),
		 (int)peer);
	return 0;
}

enum tape_distance own_distance(const struct own *o, int from, int to)
{
	if (o->m->distances)
		return tape_distance_between(o->m->distances, from, to);
	if (from == to)
		return TAPE_SELF;
	return o->m->host && o->m->host[from] == o->m->host[to] ? TAPE_SHM
								: TAPE_NET;
}

/* ---- events in the order of time ---- */

static int is_before(const void *own, const struct own_event *a,
		     const struct own_event *b)
{
	(void)own;
	return a->at_ns < b->at_ns ||
	       (a->at_ns <= b->at_ns && a->order < b->order);
}

TAPE_HEAP(events, struct own_event, const void *, is_before)

void own_add_event(struct own *o, double at_ns, enum own_event_kind kind,
		   uint32_t number)
{
	struct own_event e = {at_ns, o->order++, kind, number};
	size_t i = o->n_events++;

	o->events = tape_must(
	    tape_grow_array(o->events, &o->events_room, o->n_events, sizeof e));
	events_raise(NULL, o->events, i, e);
}

static struct own_event pop_event(struct own *o)
{
	struct own_event top = o->events[0];

	o->n_events = events_pop(NULL, o->events, o->n_events);
	return top;
}

/* ---- ranks ---- */

static void make_ready(struct own *o, int rank)
{
	int place = o->first_ready + o->n_ready++;

	o->ready[place < o->n ? place : place - o->n] = rank;
}

void own_end_action(struct own *o, int rank, double end_ns)
{
	struct own_rank *k = &o->ranks[rank];
	int rc;

	k->now_ns = end_ns;
	k->state = OWN_RUNS;
	if (o->times) {
		rc = o->times->put(o->times->self, rank, k->a,
				   llrint(k->begin_ns), llrint(end_ns));
		if (rc && !o->rc)
			o->rc = rc;
	}
	if (rank != o->running)
		make_ready(o, rank);
}

/* Lets time pass for a rank. shared: the rank needs a processor. */
static void spend_time(struct own *o, int rank, double ns, int shared)
{
	struct own_rank *k = &o->ranks[rank];

	if (!(ns >= 0 && k->now_ns + ns < 4e18)) {
		own_fail(o, TAPE_ERANGE,
			 "%s: %g operations or seconds: out of range",
			 own_describe_action(o, rank), k->a->amount);
		return;
	}
	if (shared && o->by_cores)
		own_compute(o, rank, ns);
	else
		own_end_action(o, rank, k->now_ns + ns);
}

/* Starts the next action of a rank. */
static void start_action(struct own *o, int rank)
{
	struct own_rank *k = &o->ranks[rank];

	switch (k->a->kind) {
	case TAPE_ACTION_INIT:
	case TAPE_ACTION_FINALIZE:
	case TAPE_ACTION_COMM_FREE:
		own_end_action(o, rank, k->now_ns);
		break;
	case TAPE_ACTION_PACK:
		if (o->m->no_packing) {
			own_end_action(o, rank, k->now_ns);
			break;
		}
		/* fall through */
	case TAPE_ACTION_COMPUTE:
		spend_time(o, rank, k->a->amount * k->ns_each, 1);
		break;
	case TAPE_ACTION_SLEEP:
		spend_time(o, rank, k->a->amount * 1e9, 0);
		break;
	case TAPE_ACTION_SEND:
	case TAPE_ACTION_SSEND:
	case TAPE_ACTION_ISEND:
	case TAPE_ACTION_ISSEND:
		own_send(o, rank);
		break;
	case TAPE_ACTION_RECV:
	case TAPE_ACTION_IRECV:
		own_recv(o, rank);
		break;
	case TAPE_ACTION_PROBE:
		own_probe(o, rank);
		break;
	case TAPE_ACTION_WAIT:
		own_wait(o, rank);
		break;
	case TAPE_ACTION_COLL:
	case TAPE_ACTION_ICOLL:
		own_collective(o, rank);
		break;
	case TAPE_ACTION_COMM:
		own_create_comm(o, rank);
		break;
	case TAPE_ACTION_WIN:
	case TAPE_ACTION_WIN_FREE:
	case TAPE_ACTION_PUT:
	case TAPE_ACTION_GET:
	case TAPE_ACTION_ACCUMULATE:
	case TAPE_ACTION_FENCE:
	case TAPE_ACTION_LOCK:
	case TAPE_ACTION_UNLOCK:
	case TAPE_ACTION_FLUSH:
	case TAPE_ACTION_POST:
	case TAPE_ACTION_START:
	case TAPE_ACTION_COMPLETE:
	case TAPE_ACTION_WAIT_WIN:
		own_window_action(o, rank);
		break;
	case TAPE_ACTION_KINDS:
		own_fail(o, TAPE_ERANGE, "%s: no such action",
			 own_describe_action(o, rank));
		break;
	}
}

static void run_turn(struct own *o, int rank)
{
	struct own_rank *k = &o->ranks[rank];
	int rc;

	o->running = rank;
	for (int i = 0; i < TURN && !o->rc; i++) {
		rc = tape_actions_next(o->s, rank, &k->a);
		if (rc <= 0) {
			k->state = OWN_ENDED;
			o->ended++;
			if (rc < 0)
				own_fail(o, rc, "%s", tape_actions_error(o->s));
			break;
		}
		k->actions++;
		k->begin_ns = k->now_ns;
		k->state = OWN_BLOCKED;
		start_action(o, rank);
		if (k->state != OWN_RUNS)
			break;
	}
	o->running = -1;
	if (k->state != OWN_RUNS || o->rc)
		return;
	if (o->links)
		own_add_event(o, k->now_ns, OWN_RUN, (uint32_t)rank);
	else
		make_ready(o, rank);
}

/*
 * Processes the next event in time when no rank can continue. Returns 0 if
 * there is none.
 */
static int run_next_event(struct own *o)
{
	double link = o->links ? tape_links_next(o->links) : INFINITY;
	struct own_event e;

	if (link < INFINITY &&
	    (!o->n_events || link <= o->events[0].at_ns)) {
		tape_links_advance(o->links, link);
		own_collect_arrivals(o);
		return 1;
	}
	if (!o->n_events)
		return 0;
	e = pop_event(o);
	switch (e.kind) {
	case OWN_RUN:
		make_ready(o, (int)e.number);
		break;
	case OWN_DEPART:
		own_start_transit(o, e.number);
		break;
	case OWN_LOCK:
		own_request_lock(o, (int)e.number);
		break;
	}
	return 1;
}

static void run_ranks(struct own *o)
{
	while (!o->rc) {
		if (o->n_ready) {
			int rank = o->ready[o->first_ready++];

			if (o->first_ready == o->n)
				o->first_ready = 0;
			o->n_ready--;
			run_turn(o, rank);
		} else if (!run_next_event(o)) {
			break;
		}
	}
	if (!o->rc && o->ended < o->n)
		own_report_deadlock(o);
}

/* ---- begin and end ---- */

static double or_one(double f)
{
	return f > 0 ? f : 1;
}

/* Returns 1 if a host has more ranks than processors. */
static int has_full_host(const struct own *o)
{
	int *n = tape_must(calloc((size_t)o->hosts + 1, sizeof *n));
	int full = 0;

	for (int r = 0; r < o->n && o->m->cores > 0; r++)
		full |= ++n[o->m->host ? o->m->host[r] : r] > o->m->cores;
	free(n);
	return full;
}

static void open_links(struct own *o)
{
	const struct sim_net *net = o->m->net;
	double backbone = net->smpi ? net->smpi->backbone
				    : net->model->backbone;
	double each = net->smpi ? net->smpi->link : 0;

	o->hosts = o->n;
	for (int r = 0; r < o->n && o->m->host; r++)
		if (o->m->host[r] >= o->hosts)
			o->hosts = o->m->host[r] + 1;
	o->by_net = sim_net_is_shared(net);
	o->by_cores = has_full_host(o);
	if (!o->by_net && !o->by_cores)
		return;
	o->links = tape_must(tape_links_new(OWN_LINKS * (size_t)o->hosts + 1));
	for (int l = 0; l < OWN_LINKS * o->hosts; l++)
		if (l % OWN_LINKS == OWN_CORES && o->by_cores)
			tape_links_rate(o->links, l, o->m->cores);
		else if (l % OWN_LINKS != OWN_CORES && each > 0)
			tape_links_rate(o->links, l, each);
	if (backbone > 0)
		tape_links_rate(o->links, OWN_LINKS * o->hosts, backbone);
}

static void open_ranks(struct own *o)
{
	const struct sim_machine *m = o->m;

	o->ranks = tape_must(calloc((size_t)o->n + 1, sizeof *o->ranks));
	o->ready = tape_must(calloc((size_t)o->n + 1, sizeof *o->ready));
	for (int r = 0; r < o->n; r++) {
		double speed = m->rate * or_one(m->speed);

		if (m->rank_speed)
			speed *= or_one(m->rank_speed[r]);
		o->ranks[r].ns_each = 1e9 / speed;
		make_ready(o, r);
	}
}

int sim_own_run(struct tape_actions *s, const struct sim_machine *m,
		const struct sim_times *times, struct sim_outcome *out)
{
	struct own o = {.s = s,
			.m = m,
			.times = times,
			.out = out,
			.n = (int)tape_actions_ranks(s),
			.running = -1};

	memset(out, 0, sizeof *out);
	open_ranks(&o);
	open_links(&o);
	run_ranks(&o);
	out->max_in_flight = o.queues.max_waiting;
	out->cores = o.by_cores;
	for (int r = 0; r < o.n; r++) {
		out->actions += o.ranks[r].actions;
		sim_requests_free(&o.ranks[r].requests);
	}
	own_comms_free(&o);
	own_windows_free(&o);
	sim_queues_free(&o.queues);
	tape_links_free(o.links);
	free(o.flying);
	free(o.events);
	free(o.ready);
	free(o.ranks);
	return o.rc;
}
