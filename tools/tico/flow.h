/*
 * The engine's inside: what is known of each flow, and the functions that its
 * files share. depend.c knows what an event tells other flows and waits for,
 * ends.c what follows for its end, engine.c in which order.
 */
#ifndef TICO_FLOW_H
#define TICO_FLOW_H

#include "engine.h"

struct flow {
	struct tape_flow *reader;
	struct tape_flow_writer *writer;
	struct tape_ops *ops;
	const struct tape_event *e; /* under way, or NULL */
	struct tape_op *list;
	int n_ops, forced, finished, rank;
	int begun;                  /* e; else it was only looked at */
	const struct flow *first;   /* of its rank */
	int64_t last_ns;            /* end of the last event that began */
	double p;                   /* perturbation before e */
	double p_start;             /* at its start */
	/* a run of failed tests that the next event may turn into a wait */
	int run;
	struct tape_event run_event;
	double run_p;
	int64_t last_ta;
	int64_t reached;            /* end of its last event, as corrected */
};

struct engine {
	struct tape_trace *t;
	const struct eager *eager;
	struct tape_comm_learner *learner;
	const struct tape_comm_model *model;
	struct result *r;
	struct flow *flows;
	size_t n_flows;
	struct tape_match *match, *windows; /* messages; TELL and HEAR */
	struct tape_rounds *rounds;
	int *host; /* of each rank, numbered */
};

/* How far apart two ranks are. */
enum tape_distance engine_distance(const struct engine *g, int a, int b);

/* Did the message in s? */
int engine_was_rendezvous(const struct tape_slot *s);

/* The message of an operation that engine_ready says is there. */
const struct tape_slot *engine_slot(struct engine *g, const struct tape_op *op);

/* The round of a collective. Dies when out of memory. */
struct tape_round *engine_round(struct engine *g, const struct tape_op *op);

/* Tells others what the event under way of f begins. */
void engine_publish(struct engine *g, struct flow *f, struct tape_op *op);

/* Does the operation end something that may have had to be waited for? */
int engine_may_wait(const struct tape_op *op);

/* Is everything there that the operation's end depends on? */
int engine_ready(struct engine *g, const struct tape_op *op);

/* The event is over, with its partner or without: frees what op held. */
void engine_release(struct engine *g, const struct tape_op *op);

/* Where the wait of an event began: with the run of failed tests before it. */
int64_t engine_wait_start(const struct flow *f, double *p);

/* Gives the messages that the event of f ends to the learner. */
void engine_learn(struct engine *g, struct flow *f);

/* The perturbation at the end of the event of f. */
double engine_end(struct engine *g, struct flow *f);

#endif
