/*
 * Programs that race, for races.c: what their ranks do, and two runs of them,
 * simulated in the order of time.
 */
#ifndef RACE_PROGRAM_H
#define RACE_PROGRAM_H

#include <stdint.h>

#include "tape_reader.h"

enum { RANKS = 6, STEPS = 400, EVENTS = 4000, MESSAGES = RANKS * STEPS };
enum { ANY = TAPE_ANY_SOURCE, LAST = -2 }; /* LAST: who sent the last one */
/*
 * TRUTH: nothing costs anything. TRACED: all events cost what is stated. Of a
 * correction in phases: LIGHT, where only events that depend on the order cost,
 * race_light_cost; REPLAYED and FREE, which take the messages that LIGHT took,
 * and cost as TRACED and nothing.
 */
enum run { TRUTH, TRACED, LIGHT, REPLAYED, FREE, RUNS };
enum kind { SEND, RECV, IRECV, WAIT, WAITANY, TEST, KINDS };

/*
 * A step of a rank. Whom it sends to may depend on what it received. A test is
 * repeated until it finds its message, so a rank may compute longer.
 */
struct step {
	enum kind kind;
	int peer, tag; /* a receive: ANY, or a rank; a send: LAST, or a rank */
	int64_t bytes, ns; /* of a send; before the step */
	int64_t off_before, off_after; /* the tracer costs so much more than
					* stated */
	int calls;	   /* before it, that are only counted, */
	int64_t calls_ns;  /* and cost the tracer so much */
};

/* An event of a run. */
struct event {
	const struct step *s;
	int peer, message; /* the actual ones; message -1: a test failed */
	int request, open; /* that one, of so many that were not completed */
	int64_t start, end;
	int arrived;
};

struct message {
	int from, to, tag, taken;
	int64_t bytes, arrives;
};

struct rank {
	struct step step[STEPS];
	int source[STEPS], request[STEPS]; /* taken in LIGHT, by step */
	int n;
	int64_t first, before, after; /* stated costs of an event */
	int64_t less, more;	      /* their sum may be so much off */
	struct event event[RUNS][EVENTS];
	int events[RUNS];
};

struct program {
	uint64_t state;
	int ranks;
	int64_t beta, tau, dc;
	int has_queues; /* messages to a rank arrive one after the other */
	struct rank rank[RANKS];
	struct message message[MESSAGES];
	int messages;
};

/*
 * A random program; the same for the same arguments. blur: costs differ from
 * what is stated, within stated intervals. Dies when out of memory. The caller
 * frees it.
 */
struct program *race_program_make(uint64_t seed, int blur);

/* Are events of the step recorded in LIGHT? */
int race_is_light(const struct step *s);

/* What such an event costs then, before it and once more after it, ns. */
enum { RACE_LIGHT_NS = 30 };

/*
 * Sets the costs of all events of TRACED so that they are the share of the time
 * that the program takes in TRUTH, which has been run, in the rank with most
 * events.
 */
void race_program_scale(struct program *p, double share);

/*
 * Runs it; LIGHT before REPLAYED and FREE. Returns 0, or a negative number if
 * the ranks wait for each other.
 */
int race_program_run(struct program *p, enum run run);

#endif
