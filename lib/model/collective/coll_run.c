/* Runs each member as far as possible (Maillet 1996, 6.2.3); see coll_run.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "delay_bounds.h"
#include "coll_run.h"
#include "error.h"
#include "sort.h"

struct member {
	uint32_t at;            /* the current call */
	uint32_t known;         /* first wait whose time is unknown */
	uint8_t inside, posted, ready;
	double now_ns;
};

struct message {
	int32_t from, to;
	double sent_ns, there_ns, take_ns; /* NAN: not known */
};

struct tape_coll_run {
	const struct tape_coll_program *p;
	struct tape_coll_net net;
	struct member *members;
	struct message *messages;
	int *ready, n_ready;    /* members that may continue */
	int goes, left, rc;
	struct message *taken;  /* of a group of waits */
	size_t taken_room;
};

int tape_coll_run_open(const struct tape_coll_program *p,
		       const struct tape_coll_net *net,
		       struct tape_coll_run **run)
{
	struct tape_coll_run *r = calloc(1, sizeof *r);
	size_t n = (size_t)p->size + 1;

	*run = r;
	if (!r)
		return TAPE_ENOMEM;
	r->p = p;
	r->net = *net;
	r->members = calloc(n, sizeof *r->members);
	r->messages = malloc((p->n_messages + 1) * sizeof *r->messages);
	r->ready = calloc(n, sizeof *r->ready);
	if (!r->members || !r->messages || !r->ready)
		return TAPE_ENOMEM;
	for (int v = 0; v < p->size; v++)
		r->members[v].at = p->first[v];
	for (size_t i = 0; i < p->n_calls; i++) {
		const struct tape_coll_call *op = &p->calls[i];

		if (op->kind == TAPE_COLL_SEND || op->kind == TAPE_COLL_ISEND)
			r->messages[op->message] =
				(struct message){ op->member, op->peer, NAN,
						  NAN, 0 };
	}
	return 0;
}

void tape_coll_run_close(struct tape_coll_run *r)
{
	if (!r)
		return;
	free(r->members);
	free(r->messages);
	free(r->ready);
	free(r->taken);
	free(r);
}

int tape_coll_is_complete(const struct tape_coll_run *r)
{
	return r->left == r->p->size;
}

int tape_coll_run_rc(const struct tape_coll_run *r)
{
	return r->rc;
}

/* ---- waiting ---- */

static int is_time_known(const struct tape_coll_run *r,
			 const struct tape_coll_call *op)
{
	const struct message *m = &r->messages[op->message];

	return !isnan(op->kind == TAPE_COLL_WAIT_SEND ||
		      op->kind == TAPE_COLL_SEND ? m->sent_ns : m->there_ns);
}

static int compare_arrival(const void *a, const void *b)
{
	double x = ((const struct message *)a)->there_ns;
	double y = ((const struct message *)b)->there_ns;

	return x < y ? -1 : x > y;
}

/* Completes a group of waits: messages are received in order of arrival. */
static void receive_group(struct tape_coll_run *r, struct member *m,
			  uint32_t end)
{
	size_t n = 0, most = end - m->at;
	double sent = m->now_ns;

	if (most > r->taken_room) {
		void *more = realloc(r->taken, most * sizeof *r->taken);

		if (!more) {
			r->rc = TAPE_ENOMEM;
			return;
		}
		r->taken = more;
		r->taken_room = most;
	}
	for (uint32_t i = m->at; i < end; i++) {
		const struct tape_coll_call *op = &r->p->calls[i];
		const struct message *x = &r->messages[op->message];

		if (op->kind == TAPE_COLL_WAIT_SEND)
			sent = tape_max(sent, x->sent_ns);
		else if (x->take_ns > 0)
			r->taken[n++] = *x;
		else
			sent = tape_max(sent, x->there_ns);
	}
	if (n > 1)
		tape_sort(r->taken, n, sizeof *r->taken, compare_arrival);
	for (size_t i = 0; i < n; i++)
		m->now_ns = tape_max(m->now_ns, r->taken[i].there_ns) +
			    r->taken[i].take_ns;
	m->now_ns = tape_max(m->now_ns, sent);
}

/* Completes the group of waits at m->at; 0: a time is still unknown. */
static int end_waits(struct tape_coll_run *r, struct member *m, uint32_t last)
{
	const struct tape_coll_call *ops = r->p->calls;
	uint32_t i = m->known > m->at ? m->known : m->at;

	for (;; i++) {
		m->known = i;
		if (!is_time_known(r, &ops[i]))
			return 0;
		if (!ops[i].more || i + 1 == last ||
		    ops[i + 1].kind < TAPE_COLL_WAIT_SEND)
			break;
	}
	receive_group(r, m, i + 1);
	m->at = i + 1;
	return 1;
}

/* ---- running ---- */

static int run_call(struct tape_coll_run *r, struct member *m, uint32_t end)
{
	const struct tape_coll_call *op = &r->p->calls[m->at];
	const struct message *x = &r->messages[op->message];
	int sends = op->kind == TAPE_COLL_SEND || op->kind == TAPE_COLL_ISEND;

	if (op->kind >= TAPE_COLL_WAIT_SEND)
		return end_waits(r, m, end);
	if (!m->posted) {
		m->posted = 1;
		if (sends)
			m->now_ns = r->net.send(r->net.self, op, m->now_ns);
		else
			r->net.recv(r->net.self, op, m->now_ns);
	}
	if (op->kind == TAPE_COLL_SEND || op->kind == TAPE_COLL_RECV) {
		if (!is_time_known(r, op))
			return 0;
		m->now_ns = sends ? tape_max(m->now_ns, x->sent_ns)
				  : tape_max(m->now_ns, x->there_ns) +
					    x->take_ns;
	}
	m->posted = 0;
	m->at++;
	return 1;
}

static void run_member(struct tape_coll_run *r, int member)
{
	struct member *m = &r->members[member];
	uint32_t end = r->p->first[member + 1];

	while (m->at < end && !r->rc)
		if (!run_call(r, m, end))
			return;
	if (r->rc)
		return;
	m->inside = 0;
	r->left++;
	r->net.left(r->net.self, member, m->now_ns);
}

/* Runs all ready members. A member may make others ready: no recursion. */
static void run_ready(struct tape_coll_run *r)
{
	if (r->goes)
		return;
	r->goes = 1;
	while (r->n_ready) {
		int member = r->ready[--r->n_ready];

		r->members[member].ready = 0;
		if (r->members[member].inside)
			run_member(r, member);
	}
	r->goes = 0;
}

static void mark_ready(struct tape_coll_run *r, int member)
{
	struct member *m = &r->members[member];

	if (!m->inside)
		return;
	if (!m->ready)
		r->ready[r->n_ready++] = member;
	m->ready = 1;
	run_ready(r);
}

void tape_coll_enter(struct tape_coll_run *r, int member, double at_ns)
{
	struct member *m = &r->members[member];

	m->inside = 1;
	m->now_ns = at_ns;
	mark_ready(r, member);
}

/* Returns 1 if the member waits for this message. */
static int is_waiting_for(const struct tape_coll_run *r, int member, int sent,
			  uint32_t message)
{
	const struct member *m = &r->members[member];
	uint32_t at = m->known > m->at ? m->known : m->at;
	const struct tape_coll_call *op = &r->p->calls[at];

	return m->inside && at < r->p->first[member + 1] &&
	       op->message == message &&
	       sent == (op->kind == TAPE_COLL_SEND ||
			op->kind == TAPE_COLL_WAIT_SEND);
}

void tape_coll_message_sent(struct tape_coll_run *r, uint32_t message,
			    double ns)
{
	struct message *x = &r->messages[message];

	x->sent_ns = ns;
	if (is_waiting_for(r, x->from, 1, message))
		mark_ready(r, x->from);
}

void tape_coll_message_arrived(struct tape_coll_run *r, uint32_t message,
			       double ns, double take_ns)
{
	struct message *x = &r->messages[message];

	x->there_ns = ns;
	x->take_ns = take_ns;
	if (is_waiting_for(r, x->to, 0, message))
		mark_ready(r, x->to);
}
