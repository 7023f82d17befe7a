/*
 * Measures messages between two processes, or of one to itself. All functions
 * are called by both processes of a link, with the same arguments; results are
 * for the first one. They use communicators of their own.
 */
#ifndef TAPECAL_MEASURE_H
#define TAPECAL_MEASURE_H

#include <stdint.h>

/* The largest message that is sent. */
#define MEASURE_MAX_BYTES ((int64_t)4 << 20)

/* Communicators and buffers that all measurements of a process share. */
struct station;

/* Two ranks of MPI_COMM_WORLD; the same one twice: messages to itself. */
struct link {
	int first, second;
	struct station *station;
};

enum measure {
	MEASURE_SEND,      /* half a round trip, by MPI_Send */
	MEASURE_SSEND,     /* half a round trip, by MPI_Ssend */
	MEASURE_HAND_OVER, /* the receive of a message that has arrived */
	/*
	 * What a program does: it sends what it has just written, or got.
	 * Both processes receive by MPI_Recv and pass the same bytes on.
	 */
	MEASURE_BOUNCE,     /* half a round trip, by MPI_Send */
	MEASURE_SEND_CALL,  /* the call of MPI_Send in one */
	MEASURE_ISEND_CALL, /* that of MPI_Isend */
	MEASURE_EXCHANGE    /* MPI_Sendrecv of both with each other */
};

/* Rounds of a batch at most. */
#define MEASURE_ROUNDS 400

/* Times of one size: the quickest batch, by its median. Starts as zeros. */
struct times {
	int64_t bytes;
	int batches, settled;
	double median, second; /* of the quickest batch, and of the next one */
	int n;                 /* rounds of the quickest */
	double ns[MEASURE_ROUNDS];
};

/*
 * Before the first measurement, after the last one, by all processes. NULL: no
 * memory.
 */
struct station *measure_begin(void);
void measure_end(struct station *s);

/*
 * The largest message whose send returns before anybody receives it, of 0 to
 * MEASURE_MOST bytes. Its receiver calls the library meanwhile, on another
 * communicator: some sends that are no rendezvous wait for that.
 */
int64_t measure_limit(const struct link *l);

/*
 * Measures another batch of messages of some bytes, unless t is settled: three
 * batches or more, and the two quickest ones within 2% and 5 ns. Called in
 * turn for all sizes, so that what disturbs the machine for a while spoils no
 * size for good.
 * Both ends of a round trip post their receives before the other one sends: so
 * half of it is transit and hand-over, of a rendezvous, too.
 *
 * For MEASURE_HAND_OVER, bytes must not be above the limit, and as many empty
 * messages there and back as the first process says with exchanges must
 * take longer than the transit: the message is received after them. To ask the
 * library is not enough, for some say so when only the envelope is there.
 * For MEASURE_BOUNCE and MEASURE_EXCHANGE, so many rounds as the first process
 * says with exchanges, 1 or more, are timed together; others ignore it.
 */
void measure_batch(const struct link *l, enum measure what, int64_t bytes,
		   int exchanges, struct times *t);

/* What the first process has in n is told to the second one. */
void measure_agree(const struct link *l, int64_t *n);

/* Times in ns of calls that find nothing, and of a reading of the clock. */
struct idle_calls {
	double iprobe, test, wtime;
};

/* Measures them; by one process, which is waiting for nothing. */
void measure_idle(const struct station *s, struct idle_calls *c);

/* The q-quantile of n values, which are sorted by that. */
double measure_quantile(double *ns, int n, double q);

#endif
