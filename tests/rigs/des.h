/*
 * A discrete-event simulation of message-passing programs: the rig on which
 * the correction of the probe effect has a known truth. A random program is
 * executed twice, once with a tracer that costs nothing (the truth) and once
 * with one whose cost at every event is drawn; the second run becomes a trace
 * for tico, whose corrected dates must be those of the first.
 *
 *	p = des_make(seed);             a random program, free of deadlocks
 *	des_run(p, DES_TRUTH);
 *	des_run(p, DES_TRACED);
 *	des_text(p, DES_TRACED, file);  the traced run, for tapedump --assemble
 *
 * All dates are integer ns. The program is a list of steps for each rank;
 * which send a receive takes is fixed when the program is made, so that both
 * runs do the same things in the same order.
 *
 * What the machine does (method: Maillet 1996, chapter 4):
 * - an eager message sent at S is available at B = S + beta + tau bytes;
 * - a rendezvous starts when the send has begun and the receive is posted,
 *   at X, and is over at B = X + beta + tau bytes; its envelope can be probed
 *   beta after S;
 * - a receive or its wait, begun at SR, ends at max(SR, B) + DC, DC by size
 *   class (0 for a rendezvous); a wait for several ends with the last, and
 *   is asked for one after the other: some come before the call begins and
 *   after they were asked for;
 * - a collective ends a drawn lag after the last entry that it depends on,
 *   between two groups after those of the other one where it has a root;
 *   one in two calls is entered in the first and ends in the second; in
 *   every other program the blocking ones that Open MPI 4.1 does by messages
 *   (des_coll.c) end a drawn lag after the last of these;
 * - a window is entered a drawn lag after it was opened, and closed so after
 *   it was left.
 */
#ifndef DES_H
#define DES_H

#include <stdint.h>
#include <stdio.h>

#define DES_UNKNOWN INT64_MIN
#define DES_RANKS 6
#define DES_COMMS 4    /* the world, the world reversed, a part of it, */
#define DES_INTER 4    /* and one between its two halves */
#define DES_WINDOW 2   /* a communicator that stands for a window, too */
#define DES_LIST 8     /* requests that one wait may complete */
#define DES_CLASSES 66 /* size classes: bits of the size */

enum des_runs { DES_TRUTH, DES_TRACED, DES_RUNS };

enum des_kind {
	DES_LOCAL, DES_SEND, DES_RECV, DES_SENDRECV, DES_ISEND, DES_IRECV,
	DES_INIT,  /* a persistent request is made; DES_START starts it */
	DES_START,
	DES_WAIT,  /* for some messages */
	DES_POLL,  /* tests one request until it is done */
	DES_MISS,  /* one failed probe for a message that never comes */
	DES_PROBE, DES_IPROBE, /* the latter polls until it is there */
	DES_MPROBE, DES_MRECV,
	DES_COLL, DES_ICOLL, DES_COLL_WAIT,
	/* a window: one opens it to another, that one comes and goes, it is
	 * closed; what they tell each other are two messages */
	DES_POST, DES_ENTER, DES_LEAVE, DES_CLOSE,
	DES_FREE,  /* a send's request is freed, which waits for nothing */
	DES_CANCEL, DES_CANCELLED /* a receive for which nothing is sent */
};

struct des_message {
	int src, dst, comm, tag;
	int64_t bytes;
	int call;             /* of the send */
	int rendezvous, any;  /* any: received from any source */
	int buffered;         /* never a rendezvous */
	int freed;            /* its request was, nobody waits for it */
	int isend, irecv;     /* request numbers at its ends; 0: blocking */
	int64_t send_after, recv_after; /* blocking rendezvous: own delay */
	int64_t s[DES_RUNS], post[DES_RUNS];
};

struct des_collective {
	int call, comm, root, shape;
	int64_t bytes, lag[DES_RANKS];
	int64_t entry[DES_RUNS][DES_RANKS]; /* by rank in the communicator */
};

/* What the two runs tell of a step. */
struct des_dates {
	int64_t start, end;
	int64_t from;  /* where its waiting began: start, or the first poll */
	int64_t gave_up; /* end of the run of failed polls */
	int polled, begun;
	int arrived[DES_LIST];
};

struct des_step {
	enum des_kind kind;
	int call;
	int64_t gap, cost;      /* computation before it; own duration */
	int64_t before, after;  /* the tracer's cost beyond the constants */
	int64_t probe;          /* and of asking for arrival */
	int asked;
	int n, what[DES_LIST];  /* messages, or the collective */
	int side[DES_LIST];     /* of each message: 1 send, 2 receive */
	int request;            /* number of the one it makes or completes */
	/* how much larger its constants are than stated */
	int64_t off_before, off_after;
	struct des_dates d[DES_RUNS];
};

struct des_rank {
	struct des_step *step;
	int n, room, requests;
	int64_t first;          /* when it begins */
	int64_t pending_gap;
	int64_t before[64], after[64], done_after; /* constants by class */
	/* how much less, and more, their sum may be; the last is that of
	 * done */
	int64_t less[65], more[65];
};

/*
 * A clock with a known error: at each knot it is ahead of the truth by ahead,
 * and the trace states ahead - below to ahead + above; linear in between.
 */
#define DES_KNOTS 40
struct des_clock {
	int n;
	int64_t at[DES_KNOTS], ahead[DES_KNOTS];
	int64_t below[DES_KNOTS], above[DES_KNOTS];
};

struct des_comm {
	int size, member[DES_RANKS]; /* world ranks */
	int place[DES_RANKS];        /* of a world rank among them, or -1 */
	int number[DES_RANKS];       /* the same in its own group */
	int side[DES_RANKS];         /* of a world rank, and members of each: */
	int sizes[2];                /* the second is 0 but for DES_INTER */
};

struct des_program {
	uint64_t seed, state;
	int ranks, hosts;
	int64_t beta, tau, eager, dc[DES_CLASSES];
	struct des_comm comm[DES_COMMS + 1]; /* from 1 */
	struct des_rank rank[DES_RANKS];
	struct des_message *message;
	struct des_collective *collective;
	int messages, collectives, message_room, collective_room;
	int64_t alpha; /* scale of the tracer's cost */
	int algorithms; /* collectives are done by messages */
	int blurred;    /* costs are stated by intervals */
	int regions;    /* every fifth step begins a region of two steps */
	int clocks;     /* each rank has its own, which errs */
	int tiers;	/* near ranks' messages are quicker; 2: and the trace
			 * says where ranks are */
	struct des_clock clock[DES_RANKS];
};

/*
 * A random program of about steps steps; the same for the same arguments.
 * Dies when out of memory. The caller frees it.
 */
struct des_program *des_make(uint64_t seed, int steps);
void des_free(struct des_program *p);

/*
 * Varies the tracing cost from event to event, within stated intervals
 * (des_blur.c). Before the traced run.
 */
void des_blur(struct des_program *p);

/* Gives each rank a clock of its own that errs. After the traced run. */
void des_bend(struct des_program *p);

/*
 * What a message takes: beta + tau bytes, or of beta less by how near the ranks
 * are to each other, if p->tiers is set before the runs (des_tiers.c): where
 * each rank is, and what a tier is called and takes.
 */
int64_t des_transit(const struct des_program *p, int from, int to,
		    int64_t bytes);
int64_t des_beta(const struct des_program *p, int from, int to);
int des_host(const struct des_program *p, int rank);
const char *des_position(const struct des_program *p, int rank);
#define DES_TIERS 6
extern const char *const des_tier_name[DES_TIERS];
int64_t des_tier_beta(const struct des_program *p, int tier);

/* The reading of a rank's clock at a time. */
int64_t des_shown(const struct des_program *p, int rank, int64_t ns);

/* The machine and its communicators; the first part of des_make. */
void des_machine(struct des_program *p);

/* A number from 0 to n - 1 of the program's own generator, n > 0. */
int64_t des_random(struct des_program *p, int64_t n);

int des_size_class(int64_t bytes);

/* Does a neighbourhood collective of rank me of size receive from rank i? */
int des_is_source(int size, int me, int i);

/* Is it done by messages? */
int des_by_algorithm(const struct des_program *p,
		     const struct des_collective *c);

/*
 * When member me has sent and received everything, by the entries known so far;
 * DES_UNKNOWN if they do not tell.
 */
int64_t des_leave(const struct des_program *p, const struct des_collective *c,
		  enum des_runs run, int me);

/* Executes; 0, or -1 when some rank could not go on (a broken program). */
int des_run(struct des_program *p, enum des_runs run);

/* What the tracer costs after a step of the rank, ns; 0 in the truth. */
int64_t des_cost_after(const struct des_program *p, enum des_runs run, int rank,
		       const struct des_step *s);

/*
 * Factors that were compared: all, of these those of regions, of phases, with
 * T_ideal, with the sum of the widths of their intervals; outside of these.
 */
struct des_factors {
	uint64_t all, regions, phases, ideals, outside;
	double width;
};

/*
 * Compares the factors of the truth with their intervals in the corrected run,
 * each in tapestat's JSON, and prints the first that is outside.
 */
void des_compare_factors(struct des_factors *c, const struct des_program *p,
			 const char *truth, const char *corrected);

/*
 * What begins phases: of every other program the region, of the others the call
 * site that the first rank passes most often. Cut to size.
 */
void des_find_marker(const struct des_program *p, char *text, size_t size);

/* A run as text, for tapedump --assemble; DES_TRUTH: events cost nothing. */
void des_text(const struct des_program *p, enum des_runs run, FILE *out);

#endif
