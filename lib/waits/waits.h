/*
 * How long a call waited for others, by the dates of both sides. Only numbers:
 * all times in nanoseconds of one clock, results are never negative. A wait is
 * part of the call that waits; where the other side came only after that had
 * ended, which true dates never say, the whole call counts and no more.
 *
 * The classes of waits are those of Scalasca (Geimer, Wolf, Wylie, Mohr:
 * Parallel Computing 35, 2009).
 */
#ifndef TAPE_WAITS_H
#define TAPE_WAITS_H

#include <stddef.h>
#include <stdint.h>

#include "record.h"
#include "tape_ids.h"

enum tape_wait_kind {
	TAPE_WAIT_NONE,
	TAPE_WAIT_LATE_SENDER,	 /* a receive, for its message to be sent */
	TAPE_WAIT_LATE_RECEIVER, /* a send, for its receive to be posted */
	TAPE_WAIT_BARRIER,	 /* for the last one to enter */
	TAPE_WAIT_N_TO_N,	 /* of all to all: for the last one to enter */
	TAPE_WAIT_LATE_ROOT,	 /* of one to all: for the root */
	TAPE_WAIT_EARLY_ROOT,	 /* of all to one: the root, for the last one */
	TAPE_WAIT_PREFIX,	 /* of scans: for the ranks before */
	TAPE_WAIT_LOCK,		 /* of a window, for the rank that held it */
	TAPE_WAIT_END,		 /* in MPI_Finalize, for the last one */
	TAPE_WAIT_KINDS
};

/* "late sender"; static. */
const char *tape_wait_name(enum tape_wait_kind kind);

/*
 * A receive that waited from awaited_ns on and ended at ended_ns, for a message
 * whose sending began at sent_ns: min(sent, ended) - awaited.
 */
int64_t tape_wait_late_sender(int64_t awaited_ns, int64_t ended_ns,
			      int64_t sent_ns);

/*
 * A call that completes a send, from begun_ns to ended_ns, whose receive was
 * posted at posted_ns: posted - begun. 0 where the call ended before: then
 * nothing held it.
 */
int64_t tape_wait_late_receiver(int64_t begun_ns, int64_t ended_ns,
				int64_t posted_ns);

/* One member of a collective: it came, it waited since, it left. */
struct tape_wait_member {
	int64_t begun_ns, awaited_ns, ended_ns;
	int there;        /* else nothing is known of it */
	int sends, receives; /* does it give, or get, data? */
};

/*
 * How long member i waited in a collective of n members: wait[i], and late[i],
 * the member that it waited for, or -1. root: -1 where it has none, or is not
 * known. slack_ns: by how much dates of two members may be wrong.
 *
 * One that left before another came, by more than the slack, did not wait for
 * that one, whatever the collective: it waited for the last of those that came
 * before it left. room: for 2 n + 1 numbers. It takes n log n steps at most.
 */
void tape_wait_collective(enum tape_shape shape, int64_t slack_ns,
			  int32_t root, const struct tape_wait_member *m,
			  size_t n, int32_t *room, int64_t *wait,
			  int32_t *late);

#endif
