/*
 * The workers: processes that follow one trace in parallel, each the flows of
 * its own ranks. Worker 0 also does everything that a single process would do.
 * Workers exchange records over sockets and keep serving their own flows
 * meanwhile. A worker blocks on a peer only after an explicit request.
 */
#ifndef LIVE_WORKERS_H
#define LIVE_WORKERS_H

#include "tape_peers.h"

struct live_workers;

/* Makes the sockets of n workers before they are forked; NULL if n < 2. */
struct live_workers *live_workers_new(int n);

/* Called by worker me after the fork: closes the sockets of its peers. */
void live_workers_join(struct live_workers *c, int me);

/* Called by the process that forked the workers: frees c. NULL is accepted. */
void live_workers_leave(struct live_workers *c);

/* Return the index of this worker (0 if c is NULL), and the interface for
 * exchanges between the workers (NULL if c is NULL). */
int live_workers_index(const struct live_workers *c);
struct tape_peers *live_workers_peers(struct live_workers *c);

/* Sets the function that is called regularly while this worker waits for its
 * peers. */
void live_workers_on_idle(struct live_workers *c, void (*idle)(void *),
			  void *self);

/*
 * A copy of each worker (fork), all of one moment: after the same exchange each
 * worker calls fork, which returns 1 in the copy, 0 in the worker, and -1 if
 * there is no copy. The copies exchange records with each other. fork NULL: no
 * more copies. A worker whose copy has ended calls live_workers_end_copy.
 * has_failed: there is no answer of this copy, so all others end theirs, too
 * (live_workers_copy_has_failed).
 */
void live_workers_on_copy(struct live_workers *c, int (*fork)(void *),
			  void *self);
void live_workers_end_copy(struct live_workers *c, int has_failed);
int live_workers_copy_has_failed(const struct live_workers *c);

/*
 * Worker 0: live_workers_can_copy returns 1 if no copy is at work or requested;
 * live_workers_request_copy requests one of each worker;
 * live_workers_awaits_copy returns 1 until this worker is copied, which needs
 * two exchanges.
 */
int live_workers_can_copy(const struct live_workers *c);
void live_workers_request_copy(struct live_workers *c);
int live_workers_awaits_copy(const struct live_workers *c);

/* Returns 1 if a peer has requested an exchange. */
int live_workers_has_request(struct live_workers *c);

/* Dies if a peer has exited. */
void live_workers_check_alive(struct live_workers *c);

/*
 * Agrees on how to analyse the trace. Returns 1 if the ranks were distributed
 * over the workers, 0 if one process must analyse the trace alone (PVM).
 * *consumes: all workers get the value of worker 0.
 */
int live_workers_agree(struct live_workers *c, struct tape_trace *t,
		       int *consumes);

/*
 * live_workers_mark_idle marks this worker as idle (1) or busy (0).
 * live_workers_all_idle returns 1 if every worker is idle.
 */
void live_workers_mark_idle(struct live_workers *c, int waits);
int live_workers_all_idle(const struct live_workers *c);

/* Set the bytes that this worker has not read; return the sum of its peers. */
void live_workers_set_unread(struct live_workers *c, uint64_t bytes);
uint64_t live_workers_peer_unread(const struct live_workers *c);

/*
 * Sends a copy of this worker's sums to worker 0, and empties copy. The copy is
 * dropped if the previous one is still being sent. Call it regularly with NULL
 * to send the rest of a copy.
 */
void live_workers_send_copy(struct live_workers *c, struct tape_bytes *copy);

/* Worker 0: receives copies. Returns the last complete copy of each worker, by
 * index. */
const struct tape_bytes *live_workers_read_copies(struct live_workers *c);

#endif
