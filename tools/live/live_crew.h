/*
 * The processes that follow one trace together, each the flows of its own ranks
 * (owners.h). Process 0 does all that one alone does; the others only serve it.
 * What they tell each other goes through sockets, while each goes on to look
 * after what it has to: nobody waits for another without being told so.
 */
#ifndef LIVE_CREW_H
#define LIVE_CREW_H

#include "owners.h"

struct live_crew;

/* For n processes, which are not there yet; NULL: it is one, alone. */
struct live_crew *live_crew_new(int n);

/* In process me, when it has begun. It dies where another has ended. */
void live_crew_join(struct live_crew *c, int me);

/* In who started them. */
void live_crew_leave(struct live_crew *c);

int live_crew_me(const struct live_crew *c);
struct tape_peers *live_crew_peers(struct live_crew *c);

/* Called again and again while this process waits for another. */
void live_crew_idle(struct live_crew *c, void (*idle)(void *), void *self);

/* Does another wait for this one to exchange something? */
int live_crew_called(struct live_crew *c);

/* Dies where another has ended. */
void live_crew_watch(struct live_crew *c);

/*
 * All have the trace: 1, its ranks are dealt; 0: one has to do it alone, since
 * its tasks of PVM are found out by all of it. *consumes:
 * process 0 says it, all get it.
 */
int live_crew_agree(struct live_crew *c, struct tape_trace *t, int *consumes);

/* This one waits for what the program does; do all of them wait, so or so? */
void live_crew_waits(struct live_crew *c, int waits);
int live_crew_all_wait(const struct live_crew *c);

/* Bytes of its flows that are not read yet; those of the others, together. */
void live_crew_behind(struct live_crew *c, uint64_t bytes);
uint64_t live_crew_others_behind(const struct live_crew *c);

/*
 * A copy of its sums (crew.h) for process 0, unless that has not taken the last
 * one yet; what is in it goes. To be called now and then, with NULL, for what
 * did not go at once.
 */
void live_crew_send(struct live_crew *c, struct tape_bytes *copy);

/* The last ones of all, by process. Process 0, now and then. */
const struct tape_bytes *live_crew_copies(struct live_crew *c);

#endif
