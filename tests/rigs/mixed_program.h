/*
 * Programs without races for certificates.c: messages, collectives of
 * communicators, and threads, which are created and joined and may wait for
 * each other in ways that no trace shows. Their receives name their sources, so
 * that all runs do the same.
 *
 * The machine: a message sent at S is there at B = S + beta + tau bytes, and
 * after those sent before by the same thread to the same one. A receive begun
 * at SR ends at max(SR, B) + dc. A rendezvous begins at X, when both sides have
 * begun, and ends at X + beta + tau bytes at its sender, dc later at its
 * receiver. A collective ends a constant time after the last entry that it
 * waits for. A member whose counts are zero does not wait, or nobody waits for
 * it.
 */
#ifndef MIXED_PROGRAM_H
#define MIXED_PROGRAM_H

#include <stdint.h>

enum { MIXED_RANKS = 5, MIXED_SLOTS = 3, MIXED_OPS = 600, MIXED_COMMS = 4 };
/* The flows of a rank: its first thread, and the threads in its other slots. */
enum { MIXED_FLOWS = MIXED_RANKS * MIXED_SLOTS };
enum { MIXED_EVENTS = 4000 };

enum mixed_kind {
	MIXED_LOCAL,
	MIXED_SEND,	  /* eager, by flow, to flow other */
	MIXED_RECV,	  /* of the message of the send with that number */
	MIXED_RENDEZVOUS, /* both sides */
	MIXED_ALL,	  /* a collective: all wait for all, */
	MIXED_ONE_TO_ALL, /* for the root, */
	MIXED_ALL_TO_ONE, /* the root for all, */
	MIXED_SOME,	  /* each for those whose counts are not zero */
	MIXED_CREATE,	  /* thread other, by flow */
	MIXED_JOIN,
	MIXED_RELEASE, /* other goes on after flow: a lock, without event */
	MIXED_COUNTED, /* a call that is only counted */
	MIXED_OFF	  /* calls while tracing is off */
};

/* The calls of MIXED_SOME. */
enum {
	MIXED_ALLTOALLV,
	MIXED_REDUCE_SCATTER,
	MIXED_GATHERV,
	MIXED_SCATTERV,
	MIXED_CALLS
};

/* What the flow does, after it computed for ns. */
struct mixed_op {
	enum mixed_kind kind;
	int flow, other;
	int comm;	     /* of a collective, whose root other is */
	int message;	     /* the number of the send */
	int64_t bytes, ns, other_ns;
	int call; /* of MIXED_SOME, and for whom each rank waits */
	unsigned awaited[MIXED_RANKS];
	int64_t off_before, off_after; /* the tracer costs so much more */
	int64_t hidden_ns;   /* what it costs without an event */
	uint64_t which;	     /* of a thread */
};

/* An event of the traced run. */
struct mixed_event {
	int kind;	   /* enum mixed_kind, or a step of a thread, below */
	const struct mixed_op *op;
	int64_t start, end;
	int64_t before, after; /* alphas of a step */
	int arrived;
	uint64_t which;
};
enum { MIXED_STEP = 100 }; /* + enum tape_thread_step */
enum { MIXED_THREAD = 120, MIXED_RECEIVES = 121 };

struct mixed_program {
	uint64_t state;
	int ranks, ops, comms, n_messages;
	unsigned members[MIXED_COMMS]; /* a bit for each rank */
	int64_t beta, tau, dc, limit;
	struct mixed_op op[MIXED_OPS];
	struct mixed_costs {
		int64_t before, after; /* stated costs of an event */
		int64_t less, more;    /* their sum may be so much off */
		int64_t open; /* what the first event of a thread costs more */
	} costs[MIXED_RANKS];
	int has_threads, has_locks, has_hidden;
	int has_no_steps; /* steps of threads are not recorded */
	/* of the traced run */
	struct mixed_event event[MIXED_FLOWS][MIXED_EVENTS];
	int events[MIXED_FLOWS];
	int64_t total[2]; /* without tracing, and with it */
};

/*
 * A random program; the same for the same arguments. blur: costs differ from
 * what is stated, within stated intervals. Dies when out of memory. The caller
 * frees it.
 */
struct mixed_program *mixed_program_make(uint64_t seed, int blur);

/*
 * Sets the costs of all events so that those of the flow with most of them are
 * that share of the time that the program takes without tracing.
 */
void mixed_program_scale(struct mixed_program *p, double share);

/* Runs it: sets total[is_traced], and of the traced run the events. */
void mixed_program_run(struct mixed_program *p, int is_traced);

#endif
