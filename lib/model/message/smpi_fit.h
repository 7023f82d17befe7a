/*
 * The time of a message in SimGrid's SMPI, and the constants that reproduce the
 * times of a measured machine (Clauss and others 2010, sections 4.1 and 6: a
 * piecewise linear model with an arbitrary number of pieces).
 *
 * For s bytes from MPI_Send to the end of MPI_Recv (found by experiments with
 * SimGrid 3.32; doc/platforms.md, "The time of a message in SimGrid"):
 *
 *	s < eager:  os(s) + t(s) + or(s)
 *	else:       t(s), from when both have begun
 *	t(s) = latency x lat-factor(s + 16) + (s + 16) / (bandwidth x
 *	       bw-factor(s + 16))
 *
 * latency and bandwidth are those of the route. Factors and overheads are
 * constant or linear between thresholds; at a threshold the lower piece holds.
 * MPI_Isend has ois(s) in place of os(s), for any s.
 *
 * A model is a plain struct of its owner; nothing is allocated.
 */
#ifndef TAPE_MODEL_SMPI_FIT_H
#define TAPE_MODEL_SMPI_FIT_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of SMPI's header of a message. */
#define TAPE_SMPI_HEADER 16

/* Capacity of a table. */
#define TAPE_SMPI_PIECES 256

/* From that size on, a whole number of bytes, up to the next piece. */
struct tape_smpi_piece {
	double from_bytes;
	double constant, rate;
};

/* By rising from_bytes; the first piece begins at 0. n = 0: empty. */
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
	/* calls: MPI_Send, MPI_Recv of an arrived message, MPI_Isend;
	 * negative: not measured */
	double send_ns, receive_ns, isend_ns;
	double exchange_ns; /* MPI_Sendrecv of two processes; <= 0: none */
};

/*
 * Finds the constants for m sizes by rising bytes, each at most once. eager is
 * the largest eager message. breaks are further sizes, in any order, at which a
 * piece must begin; no piece has sizes on both sides of a break or of eager.
 *
 * Pieces are those of tape_curve_fit (curve.h). The two overheads of an eager
 * message are scaled down to four fifths of its time at most, since SMPI adds
 * them. A latency factor is never negative: a line with a negative constant is
 * replaced by lines through the origin. Their error is at most 2%, or their
 * number is twelve (two for an overhead). latency_s is that of the smallest
 * messages, bandwidth that of the largest: these factors are 1, or nearly.
 *
 * Returns 0, TAPE_EFEW without a size, or TAPE_ENOMEM. s is unchanged on error.
 */
int tape_smpi_fit(const struct tape_smpi_size *size, size_t m,
		  const double *breaks, size_t n_breaks, int64_t eager,
		  struct tape_smpi *s);

/*
 * The time of a message in SMPI with s, in seconds, from the beginning of
 * MPI_Send to the end of an MPI_Recv that waits for it.
 */
double tape_smpi_message_s(const struct tape_smpi *s, double bytes);

/* The time on the route only, seconds: t(s) above. */
double tape_smpi_transfer_s(const struct tape_smpi *s, double bytes);

/*
 * Fits another route to the times of m sizes with the factors of s: latency and
 * bandwidth of least relative squares. Both are unchanged if m is 0.
 */
void tape_smpi_route(const struct tape_smpi *s,
		     const struct tape_smpi_size *size, size_t m,
		     double *latency_s, double *bandwidth);

/*
 * The capacity of the route for two messages in opposite directions, as a
 * multiple of bandwidth: from 1 (they share it) to 2 (they are independent). It
 * is the median over the exchanges of sizes whose bytes take half of the time
 * of a message or more; 2 without such an exchange.
 */
double tape_smpi_capacity(const struct tape_smpi *s,
			  const struct tape_smpi_size *size, size_t m);

#endif
