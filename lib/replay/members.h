/*
 * Who has entered and left the collectives in progress, for replay.h: the
 * rounds of rounds.h with what each member did, and who waits for entries to
 * come.
 */
#ifndef TAPE_MEMBERS_H
#define TAPE_MEMBERS_H

#include "replay.h"

struct tape_members;

/*
 * NULL: out of memory. t outlives it. The caller frees; NULL is fine. peers, or
 * NULL: those who read the other flows. A collective with members of several is
 * one owner's, whoever that is.
 */
struct tape_members *tape_members_new(const struct tape_trace *t,
				      struct tape_peers *peers);
void tape_members_free(struct tape_members *m);

/* From now on c, which must stay, waits where members leave. */
void tape_members_set_ideal(struct tape_members *m, struct tape_ideal_clock *c);

/*
 * e, the event-th event of its flow, enters as op says, in that region.
 * Returns 0 or TAPE_ENOMEM.
 */
int tape_members_enter(struct tape_members *m, const struct tape_op *op,
		       const struct tape_event *e, uint32_t region,
		       uint64_t event);

/*
 * May the member not leave yet as op says? Then waiter is woken when it may:
 * as tape_messages_wait.
 */
int tape_members_wait(struct tape_members *m, const struct tape_op *op,
		      size_t waiter);
/* Removes the flow from the waiter list of the collective. */
void tape_members_unwait(struct tape_members *m, const struct tape_op *op,
			 size_t waiter);
int tape_members_woken(struct tape_members *m, size_t *waiter);

/* Calls f with where members entered what not all have left; key NULL. */
void tape_members_in_progress(const struct tape_members *m,
			      void (*f)(void *own,
					const struct tape_where *begun,
					const struct tape_match_key *key),
			      void *own);

/* And leaves; at_once: by the event that it entered by. */
int tape_members_leave(struct tape_members *m, const struct tape_op *op,
		       const struct tape_event *e, uint32_t region,
		       uint64_t event, int at_once);

/* What another process has seen of a member: a record of that kind. */
enum {
	TAPE_PEERS_MEMBER = TAPE_KINDS_OF_REPLAY + 2,
	TAPE_MEMBER_BYTES = 96
};
int tape_members_arrive(struct tape_members *m, const void *record);

/* There are no more events: what is in progress is given out as it is. */
int tape_members_end(struct tape_members *m);

/* The next round that is over; valid until the next call. NULL: none. */
const struct tape_collective_round *tape_members_next(struct tape_members *m);

#endif
