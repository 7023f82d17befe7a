/*
 * The order file of a rank: the decisions that MPI left to chance, in program
 * order. A header of TAPE_ORDER_HEADER bytes is followed by decisions. A
 * decision is a byte (its kind), then varints. Zero bytes after the last
 * decision belong to no decision: a process that is killed leaves them.
 *
 * Only receives, probes and completions whose result may differ are decisions.
 * Receives with a request (posts) are counted from 0 where their source is any;
 * the decision that ends a post comes when the post is complete.
 */
#ifndef TAPE_ORDER_FILE_H
#define TAPE_ORDER_FILE_H

#include <stddef.h>
#include <stdint.h>

enum {
	TAPE_ORDER_HEADER = 64, /* bytes */
	/* most bytes of a decision without its indices, and of an index */
	TAPE_ORDER_DECISION = 32,
	TAPE_ORDER_INDEX = 5,
	TAPE_ORDER_NUMBER = 10 /* of a request in place of an index */
};

/* The operands of each kind are named behind it. */
enum tape_order_kind {
	TAPE_DECISION_NONE,
	TAPE_DECISION_RECEIVED, /* call, source, tag: receive or probe */
	TAPE_DECISION_FAILED,	/* call, number of successive failures */
	TAPE_DECISION_FOUND,	/* call, source, tag: a probe that polls */
	TAPE_DECISION_TRUE,	/* call: a test or a probe of a known source */
	TAPE_DECISION_ANY,	/* call, 1 + index, or 0 for MPI_UNDEFINED */
	TAPE_DECISION_SOME,    /* call, 1 + count (0: MPI_UNDEFINED), indices */
	TAPE_DECISION_MATCHED, /* number of the post, source, tag */
	TAPE_DECISION_CANCELLED, /* number of the post: it was cancelled */
	TAPE_DECISION_FREED,	 /* number of the post: freed, not complete */
	TAPE_DECISION_FINISHED,	 /* number of posts: MPI_Finalize was called */
	/* of events (tape-order), which have no indices: requests by their
	 * number in the flow, and failures in a loop over two calls */
	TAPE_DECISION_ANY_NUMBERED,  /* call, number of the request, or 0 */
	TAPE_DECISION_SOME_NUMBERED, /* call, 1 + count, numbers, or 0 */
	TAPE_DECISION_FAILED_BOTH,   /* call, failures, other call, failures */
	TAPE_DECISION_KINDS
};

struct tape_order_decision {
	enum tape_order_kind kind;
	unsigned call;	/* number of the catalogue; below TAPE_CALL_COUNT */
	int32_t source; /* as in traces: -2 is MPI_PROC_NULL */
	int32_t tag;
	uint64_t number;     /* failures, index, request, count or post */
	unsigned other_call; /* of TAPE_DECISION_FAILED_BOTH, and how often */
	uint64_t other_number;
	const unsigned char *indices; /* or numbers of some, encoded */
};

/* Writes the header of a rank of a job of that many ranks. */
void tape_order_write_header(unsigned char *to, int rank, int ranks);

/*
 * Reads the header at p, of n bytes. Returns 0, or TAPE_EFORMAT if it is none,
 * or TAPE_EVERSION.
 */
int tape_order_read_header(const unsigned char *p, size_t n, int *rank,
			   int *ranks);

/*
 * Writes a decision at p, which has room for TAPE_ORDER_DECISION bytes;
 * indices follow it by tape_put_varint. Returns the byte after it.
 */
unsigned char *tape_order_write(unsigned char *p,
				const struct tape_order_decision *d);

/*
 * Reads the decision at *p, before end, and advances *p to the next. Returns 1,
 * or 0 where the data end. Returns TAPE_EFORMAT for a damaged decision, at
 * which *p stays.
 */
int tape_order_read(const unsigned char **p, const unsigned char *end,
		    struct tape_order_decision *d);

#endif
