/*
 * When each member leaves a collective operation; see coll_exits.h. The model
 * of messages: Maillet 1996, 6.2.3; the rest is Tape's own:
 * doc/perturbation.md, "By algorithm".
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "coll_exits.h"
#include "coll_run.h"
#include "delay_bounds.h"
#include "error.h"

struct sending {
	int together;
	double go_ns, posted_ns; /* NAN: not yet */
	double transit_ns;
};

struct dating {
	const struct tape_coll_cost *cost;
	struct tape_coll_run *run;
	struct sending *sendings;
	const double *entry;
	double *exit;
};

static void deliver_message(struct dating *d, const struct tape_coll_call *op,
			    int from, int to)
{
	const struct sending *s = &d->sendings[op->message];
	double there = s->go_ns;

	if (s->together)
		there = tape_max(there, s->posted_ns);
	there += s->transit_ns;
	tape_coll_message_arrived(
	    d->run, op->message, there,
	    d->cost->take(d->cost->of, from, to, op->bytes));
	if (s->together == TAPE_COLL_RENDEZVOUS)
		tape_coll_message_sent(d->run, op->message, there);
}

static double start_send(void *self, const struct tape_coll_call *op,
			 double at_ns)
{
	struct dating *d = self;
	struct sending *s = &d->sendings[op->message];
	const struct tape_coll_cost *c = d->cost;

	if (c->busy)
		at_ns += c->busy(c->of, op->member, op->peer, op->bytes,
				 op->kind == TAPE_COLL_SEND);
	s->go_ns = at_ns;
	s->transit_ns = c->transit(c->of, op->member, op->peer, op->bytes,
				   &s->together);
	if (s->together != TAPE_COLL_RENDEZVOUS)
		tape_coll_message_sent(d->run, op->message, at_ns);
	if (!s->together || !isnan(s->posted_ns))
		deliver_message(d, op, op->member, op->peer);
	return at_ns;
}

static void post_receive(void *self, const struct tape_coll_call *op,
			 double at_ns)
{
	struct dating *d = self;
	struct sending *s = &d->sendings[op->message];

	s->posted_ns = at_ns;
	if (s->together && !isnan(s->go_ns))
		deliver_message(d, op, op->peer, op->member);
}

static void store_exit(void *self, int member, double at_ns)
{
	struct dating *d = self;

	d->exit[member] = at_ns;
}

static int time_messages(struct dating *d, const struct tape_coll_program *p)
{
	struct tape_coll_net net = {d, start_send, post_receive, store_exit};
	int rc = tape_coll_run_open(p, &net, &d->run);

	d->sendings = malloc((p->n_messages + 1) * sizeof *d->sendings);
	if (!d->sendings)
		rc = TAPE_ENOMEM;
	for (size_t i = 0; i < p->n_messages && !rc; i++)
		d->sendings[i] = (struct sending){ 0, NAN, NAN, 0 };
	for (int v = 0; v < p->size && !rc; v++)
		tape_coll_enter(d->run, v, d->entry[v]);
	if (!rc)
		rc = tape_coll_run_rc(d->run);
	/* a deadlock would be an error of the algorithm's table */
	if (!rc && !tape_coll_is_complete(d->run))
		rc = 1;
	tape_coll_run_close(d->run);
	free(d->sendings);
	return rc;
}

int tape_coll_program_exits(const struct tape_coll_program *program,
			    const struct tape_coll_cost *cost,
			    const double *entry, double *exit)
{
	struct dating d = { .cost = cost, .entry = entry };
	size_t bytes = (size_t)program->size * sizeof *exit;
	int rc;

	d.exit = malloc(bytes);
	rc = d.exit ? time_messages(&d, program) : TAPE_ENOMEM;
	if (!rc)
		memcpy(exit, d.exit, bytes);
	free(d.exit);
	return rc;
}

int tape_coll_exits(const struct tape_collective *c, enum tape_coll_way way,
		    uint64_t segment, const struct tape_coll_cost *cost,
		    const double *entry, double *exit)
{
	struct tape_coll_program program;
	int rc = tape_coll_program_make(c, way, segment, &program);

	if (rc)
		return rc;
	rc = tape_coll_program_exits(&program, cost, entry, exit);
	tape_coll_program_free(&program);
	return rc;
}
