/*
 * The processes that follow one trace together, each the flows of its own ranks
 * (owners.h). Process 0 does all that one alone does; the others only serve it.
 * What they tell each other goes through sockets, while each goes on to look
 * after what it has to: nobody waits for another without being told so.
 */
#ifndef LIVE_WORKERS_H
#define LIVE_WORKERS_H

#include "owners.h"

struct live_workers;

/* For n processes, which are not there yet; NULL: it is one, alone. */
struct live_workers *live_workers_new(int n);

/* In process me, when it has begun. It dies where another has ended. */
void live_workers_join(struct live_workers *c, int me);

/* In who started them. */
void live_workers_leave(struct live_workers *c);

int live_workers_index(const struct live_workers *c);
struct tape_peers *live_workers_peers(struct live_workers *c);

/* Called again and again while this process waits for another. */
void live_workers_on_idle(struct live_workers *c, void (*idle)(void *),
			  void *self);

/* Does another wait for this one to exchange something? */
int live_workers_has_request(struct live_workers *c);

/* Dies where another has ended. */
void live_workers_check_alive(struct live_workers *c);

/*
 * All have the trace: 1, its ranks are dealt; 0: one has to do it alone, since
 * its tasks of PVM are found out by all of it. *consumes:
 * process 0 says it, all get it.
 */
int live_workers_agree(struct live_workers *c, struct tape_trace *t,
		       int *consumes);

/* This one waits for what the program does; do all of them wait, so or so? */
void live_workers_mark_idle(struct live_workers *c, int waits);
int live_workers_all_idle(const struct live_workers *c);

/* Bytes of its flows that are not read yet; those of the others, together. */
void live_workers_set_unread(struct live_workers *c, uint64_t bytes);
uint64_t live_workers_peer_unread(const struct live_workers *c);

/*
 * A copy of its sums (crew.h) for process 0, unless that has not taken the last
 * one yet; what is in it goes. To be called now and then, with NULL, for what
 * did not go at once.
 */
void live_workers_send_copy(struct live_workers *c, struct tape_bytes *copy);

/* The last ones of all, by process. Process 0, now and then. */
const struct tape_bytes *live_workers_read_copies(struct live_workers *c);

#endif
