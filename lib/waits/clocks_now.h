/*
 * The clocks of a trace that is followed, while it is followed: placed by the
 * rounds at the start of the run, steered by its messages
 * (lib/model/clock/clock_running.h). doc/streaming.md has the method.
 */
#ifndef TAPE_CLOCKS_NOW_H
#define TAPE_CLOCKS_NOW_H

#include "tape_peers.h"
#include "replay.h"

struct tape_clocks_now;

/*
 * Places the clocks of t by its rounds before the run, so that times of all its
 * flows can be compared; before any flow is opened. *c is NULL where t has one
 * clock only and no other can come, where it is in global time, and where some
 * clock has no rounds: then nothing is changed. Of tasks of PVM that come later
 * each new clock is placed when it comes. Returns 0, TAPE_ENOMEM, or another
 * error (tape_trace_error).
 */
int tape_clocks_now_open(struct tape_trace *t, struct tape_clocks_now **c);
void tape_clocks_now_close(struct tape_clocks_now *c);

/*
 * What is found in t, item by item; c may be NULL. Once a second of the run, at
 * first ten times, the clocks are steered. Returns 0 or TAPE_ENOMEM.
 */
int tape_clocks_now_add_item(struct tape_clocks_now *c,
			     const struct tape_item *i);

/* Returns 1 if rounds placed each clock of the trace; 0 if c is NULL. */
int tape_clocks_now_is_known(const struct tape_clocks_now *c);

/*
 * Of several processes, each with the events of own ranks, each sees some
 * messages. When all meet each tells all what it knows, hears what all, itself
 * among them, told (records of TAPE_PEERS_CLOCK), and settles: from then on all
 * have the same dates again. share comes first, right after the opening. Where
 * c is NULL nothing is done. Those that return something return 0 or
 * TAPE_ENOMEM.
 */
enum { TAPE_PEERS_CLOCK = TAPE_KINDS_OF_CLOCKS_NOW, TAPE_CLOCK_BYTES = 40 };
int tape_clocks_now_share(struct tape_clocks_now *c);
int tape_clocks_now_send(struct tape_clocks_now *c, struct tape_peers *p);
void tape_clocks_now_receive(struct tape_clocks_now *c, const void *data);
int tape_clocks_now_settle(struct tape_clocks_now *c);

/*
 * Returns the error of timestamps now, of the worst clock, in ns (infinite: not
 * bounded). *so_far: the maximum so far. Both are 0 if c is NULL.
 */
double tape_clocks_now_error(const struct tape_clocks_now *c, double *so_far);

#endif
