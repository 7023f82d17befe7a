/* Checks the timestamps of a trace by its messages. */
#ifndef SBA_CHECK_H
#define SBA_CHECK_H

#include <stdint.h>

#include "message_bounds.h"
#include "notices.h"
#include "tape_peers.h"
#include "tape_reader.h"
#include "unmatched.h"

struct check {
	uint64_t transits;      /* messages whose both ends are in the trace */
	int64_t least_ns;       /* smallest time from send to end of receive */
	uint64_t violations;    /* messages received before they were sent */
	int64_t worst_ns;       /* the largest violation */
	struct tape_unmatched *unmatched; /* messages with one end only */
	uint64_t unknown;       /* completions of untraced requests */
	uint64_t left_out;      /* not matched: others were only counted */
	uint64_t events;
	uint64_t n_remote; /* messages from ranks of another process */
};

/*
 * Reads all events of t once, in order of time, and passes them to m, unless m
 * is NULL. If b is not NULL, t is in local time: b gets the messages between
 * two clocks, and k the first and last reading of each clock. If p is not NULL,
 * each process reads the events of its ranks, and notes gets the same as m. The
 * caller frees c->unmatched.
 */
void check_messages(struct tape_trace *t, struct check *c,
		    struct tape_not_recorded *m, struct clocks *k,
		    struct bounds *b, struct tape_peers *p,
		    struct tape_notices *notes);

#endif
