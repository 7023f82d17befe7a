/*
 * What the functions that replay share; see order_layer.h. A rank follows its
 * record until the program departs from it. From there it runs in its own
 * order.
 */
#ifndef TAPE_ORDER_REPLAY_H
#define TAPE_ORDER_REPLAY_H

#include "order_layer.h"

/* The functions between the replay and the library. */
extern struct tape_next tape_order_below __attribute__((visibility("hidden")));

/* Pending posts whose source the record has decided. */
extern struct tape_order_posts tape_order_replayed
    __attribute__((visibility("hidden")));

/* Bits of kinds that a call may have. */
#define TAPE_DECISION_BIT(kind) (1u << (kind))

/*
 * Returns the next decision, which is of that call and of one of these kinds,
 * or NULL where this thread or rank runs in its own order. Says so when the
 * program departs from the record.
 */
const struct tape_order_decision *tape_order_follow(unsigned call,
						    unsigned kinds);

/*
 * Returns 1 if the record says that this call, a test or a probe, fails; kinds
 * are those of its success. The library makes progress, nothing completes.
 */
int tape_order_is_failure(unsigned call, unsigned kinds);

/* The rank runs in its own order from here; expected and got say why. */
void tape_order_depart(const char *expected, const char *got);

/* A wait for what the record has; all zeros when it begins. */
struct tape_order_patience {
	uint64_t start_ns;
	unsigned polls;
	int was_said;
};

/*
 * Called after each vain attempt, yields the processor. After half the time of
 * the setting replay_wait it names the call. Returns 1 when the time is over:
 * the rank then runs in its own order.
 */
int tape_order_give_up(struct tape_order_patience *w, unsigned call);

/*
 * The source, tag and communicator of a post that the record ends. A post that
 * was cancelled must get no message now. Returns 0 if it is left as it is.
 */
int tape_order_decide_post(struct tape_order_post *p, int *source, int *tag,
			   MPI_Comm *comm);

/* Numbers a post. Returns 0 where the rank or thread has its own order. */
int tape_order_number_post(struct tape_order_post *p);

/*
 * Persistent receives of any source (order_persistent.c): a start posts an
 * ordinary receive in place of them. Replaces handles of started ones by those
 * of these receives.
 */
void tape_order_replace_started(int n, MPI_Request *requests);

/* The receive that stood for owner is complete. */
void tape_order_end_start(MPI_Request owner);

/* Puts the functions of persistent receives into the tables. */
void tape_order_put_persistent(void);

/* Puts the functions of completions into the tables (order_complete.c). */
void tape_order_put_completions(void);

#endif
