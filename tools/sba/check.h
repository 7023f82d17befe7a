/* What a trace's own messages say of its dates. */
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
	uint64_t violations;    /* received before they were sent */
	int64_t worst_ns;       /* by how much at most */
	struct tape_unmatched *unmatched; /* without the other end */
	uint64_t unknown;       /* completions of what began untraced */
	uint64_t left_out;      /* not matched, for others are only counted */
	uint64_t events;
	uint64_t n_remote; /* messages from ranks of another process */
};

/*
 * Reads all events of t once, in order of time; gives them to m, unless that
 * is NULL. With b, which may be NULL, t is in local time: b gets the messages
 * between two clocks, and k the first and last reading of each. With p, which
 * may be NULL, others do the same, each for its ranks, and notes get what m
 * does. The caller frees c->unmatched.
 */
void check_messages(struct tape_trace *t, struct check *c,
		    struct tape_not_recorded *m, struct clocks *k,
		    struct bounds *b, struct tape_peers *p,
		    struct tape_notices *notes);

#endif
