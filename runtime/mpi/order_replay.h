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

/*
 * Returns 1 if the record says that this call, a test or a probe, fails; kinds
 * are those of its success. The library makes progress, nothing completes.
 */
int tape_order_is_failure(unsigned call, unsigned kinds);

/*
 * The source, tag and communicator of a post that the record ends. A post that
 * was cancelled, or freed without a message, must get none now. Returns 0 if
 * the post is left as it is.
 */
int tape_order_decide_post(struct tape_order_post *p, int *source, int *tag,
			   MPI_Comm *comm);

/*
 * Finds the recorded message of a receive or probe of any source: of that call
 * and kind, which may have that source and tag. Returns 0 if the call is left
 * as it is.
 */
int tape_order_choose_message(unsigned call, enum tape_order_kind kind,
			      int source, int tag, MPI_Comm comm,
			      struct tape_order_decision *d);

/* Returns the rank that MPI uses for a recorded source. */
int tape_order_to_rank(int32_t source);

/* Cancels a receive. Returns 1, or 0 if the receive had got its message. */
int tape_order_cancel_receive(MPI_Request *request);

/*
 * Posts the receive p with that source, tag and communicator. Returns the
 * result of MPI.
 */
int tape_order_post_receive(const struct tape_order_post *p, int source,
			    int tag, MPI_Comm comm, MPI_Request *request);

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

/* Puts the functions of blocking receives into the tables. */
void tape_order_put_receives(void);

/* Puts the functions of completions into the tables (order_complete.c). */
void tape_order_put_completions(void);

#endif
