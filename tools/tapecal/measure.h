/*
 * Measures messages between two processes, or of one process to itself. Both
 * processes of a link call each function with the same arguments; the first one
 * has the results. The functions use communicators of their own.
 */
#ifndef TAPECAL_MEASURE_H
#define TAPECAL_MEASURE_H

#include <stdint.h>

/* The largest message that is sent. */
#define MEASURE_MAX_BYTES ((int64_t)4 << 20)

/* Communicators and buffers that all measurements of a process share. */
struct station;

/* Two ranks of MPI_COMM_WORLD; equal ranks: messages to itself. */
struct link {
	int first, second;
	struct station *station;
};

enum measure {
	MEASURE_SEND,      /* half a round trip, by MPI_Send */
	MEASURE_SSEND,     /* half a round trip, by MPI_Ssend */
	MEASURE_HAND_OVER, /* the receive of a message that has arrived */
	/*
	 * As in a program that sends data it has just written or received.
	 * Both processes receive by MPI_Recv and send the same bytes on.
	 */
	MEASURE_BOUNCE,     /* half a round trip, by MPI_Send */
	MEASURE_SEND_CALL,  /* the call of MPI_Send in a round trip */
	MEASURE_ISEND_CALL, /* the call of MPI_Isend */
	MEASURE_EXCHANGE    /* MPI_Sendrecv of both with each other */
};

/* The largest number of rounds of a batch. */
#define MEASURE_ROUNDS 400

/* Times of one size: the fastest batch, by its median. Zeroed at first. */
struct times {
	int64_t bytes;
	int batches, settled;
	double median, second; /* of the fastest batch, and of the next one */
	int n;                 /* rounds of the fastest batch */
	double ns[MEASURE_ROUNDS];
};

/*
 * Called by all processes before the first and after the last measurement.
 * measure_begin returns NULL when out of memory.
 */
struct station *measure_begin(void);
void measure_end(struct station *s);

/*
 * The eager limit: the largest message, up to MEASURE_MAX_BYTES, whose send
 * returns before its receive. During the test the receiver calls the library on
 * another communicator: some eager sends wait for such a call.
 */
int64_t measure_limit(const struct link *l);

/*
 * Measures another batch of messages of some bytes, unless t is settled: after
 * three batches or more, if the two fastest are within 2% and 5 ns. Call it in
 * turn for all sizes, so that a temporary disturbance affects no size for good.
 * Both ends of a round trip post their receives before the other end sends, so
 * half of it is transit + DC, also for a rendezvous.
 *
 * MEASURE_HAND_OVER: bytes must not exceed the eager limit. The message is
 * received after exchanges empty round trips, which must take longer than the
 * transit. A test by the library is not enough: some report a message when only
 * its envelope has arrived. MEASURE_BOUNCE and MEASURE_EXCHANGE: exchanges
 * rounds, 1 or more, are timed together. Others ignore exchanges. The value in
 * the first process holds.
 */
void measure_batch(const struct link *l, enum measure what, int64_t bytes,
		   int exchanges, struct times *t);

/* Sends the first process's value of n to the second one. */
void measure_agree(const struct link *l, int64_t *n);

/* Times in ns of calls that find no message, and of a reading of the clock. */
struct idle_calls {
	double iprobe, test, wtime;
};

/* Measures these in one process without pending requests. */
void measure_idle(const struct station *s, struct idle_calls *c);

/* The q-quantile of n values. Sorts ns. */
double measure_quantile(double *ns, int n, double q);

#endif
