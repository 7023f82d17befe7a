/*
 * How long a message takes in SimGrid's SMPI, and the constants with which it
 * takes as long as on a machine that was measured (Clauss and others 2010,
 * sections 4.1 and 6: a piece-wise linear model with an arbitrary number of
 * pieces).
 *
 * Of s bytes from MPI_Send to the end of MPI_Recv (found by experiments with
 * SimGrid 3.32; doc/platforms.md):
 *
 *	s < eager:  os(s) + t(s) + or(s)
 *	else:       t(s), from when both have begun
 *	t(s) = latency x lat-factor(s + 16) + (s + 16) / (bandwidth x
 *	       bw-factor(s + 16))
 *
 * latency and bandwidth are those of the route; factors and overheads are
 * constant, or linear, between thresholds, and those at a threshold are the
 * ones below it. MPI_Isend has ois(s) in place of os(s), with any s.
 *
 * Nothing is allocated for a model; it is a plain struct of its owner's.
 */
#ifndef TAPE_MODEL_SMPI_FIT_H
#define TAPE_MODEL_SMPI_FIT_H

#include <stddef.h>
#include <stdint.h>

/* What SMPI sends in front of a message, in bytes. */
#define TAPE_SMPI_HEADER 16

/* Room in a table. */
#define TAPE_SMPI_PIECES 256

/* From that size on, a whole number of bytes, up to the next piece. */
struct tape_smpi_piece {
	double from_bytes;
	double constant, rate;
};

/* By rising from_bytes; the first one begins at 0. n = 0: nothing. */
struct tape_smpi_table {
	int n;
	struct tape_smpi_piece piece[TAPE_SMPI_PIECES];
};

struct tape_smpi {
	double latency_s;
	double bandwidth;    /* bytes per second */
	int64_t eager_bytes; /* the largest message that is sent eagerly */
	/* constant: the factor of the latency, rate: of the bandwidth */
	struct tape_smpi_table factors;
	/* constant: s, rate: s per byte */
	struct tape_smpi_table os, or, ois;
};

/* Measurements of one size. */
struct tape_smpi_size {
	double bytes;
	/* half round trips by MPI_Send and MPI_Recv, n of them */
	const double *ns;
	size_t n;
	/* calls: MPI_Send, MPI_Recv of what has arrived, MPI_Isend; negative:
	 * not measured */
	double send_ns, receive_ns, isend_ns;
	double exchange_ns; /* MPI_Sendrecv of two with each other, or so */
};

/*
 * Finds the constants for m sizes by rising bytes, each at most once. eager is
 * the largest message that is sent eagerly; no piece has sizes on both sides
 * of it, nor of one of the breaks: sizes, in any order, which are the first of
 * their kind. Pieces are those of tape_curve_fit (curve.h): of least relative
 * squares, as many as Schwarz's criterion allows. The two overheads of an eager
 * message are scaled down where they were four fifths of its time or more, for
 * SMPI adds them up. A factor of a latency is never negative: a line that
 * would need one is put together of several through the origin: each is off by
 * 2% at most, or they are twelve; of an overhead, two. latency_s is that of the
 * smallest messages, and bandwidth that of the largest ones: these factors are
 * 1, or nearly. Returns 0; TAPE_EFEW: no size; TAPE_ENOMEM. s is untouched on
 * error.
 */
int tape_smpi_fit(const struct tape_smpi_size *size, size_t m,
		  const double *breaks, size_t n_breaks, int64_t eager,
		  struct tape_smpi *s);

/*
 * What SMPI makes of s: the time in seconds of a message from the beginning of
 * MPI_Send to the end of an MPI_Recv that waits for it.
 */
double tape_smpi_message_s(const struct tape_smpi *s, double bytes);

/* The time on the route only: t(s) above. */
double tape_smpi_transfer_s(const struct tape_smpi *s, double bytes);

/*
 * With the factors of s, another route, on which these sizes take that long:
 * the pair of latency and bandwidth with the least relative squares. Both stay
 * as they are where m is 0.
 */
void tape_smpi_route(const struct tape_smpi *s,
		     const struct tape_smpi_size *size, size_t m,
		     double *latency_s, double *bandwidth);

/*
 * What two messages that cross on the route have together, as a multiple of
 * bandwidth: 2 if they take nothing of each other, 1 if they share it. From the
 * exchanges of size whose bytes take half of the time of a message or more, the
 * median; 2 if there is none. Between 1 and 2.
 */
double tape_smpi_capacity(const struct tape_smpi *s,
			  const struct tape_smpi_size *size, size_t m);

#endif
