/*
 * A window of a trace as a trace: the events that began or ended in it, whole.
 *
 *	c = tape_cut_new(t, "w.tape", from_ns, to_ns);
 *	while (tape_replay_next(r, &i) == 1)
 *		tape_cut_item(c, r, i);
 *	events = tape_cut_end(c, r, "tapecut");
 *
 * Who matches messages by their order has to begin with the same message on
 * both sides. So what was in progress when the window began stands at its
 * beginning, as events that took no time: messages that were sent and not
 * received, requests that were not over, entries of collectives that not all
 * had left; and regions that were open. It begins after the first event that
 * ends in it, which is left out.
 *
 * Each flow begins with a mark on, and ends with one off where the window does,
 * in whatever else it was then. What began before the end and did not end is
 * there without its other half.
 *
 * The replay needs all of EVENTS, MESSAGES, ROUNDS. Memory is that of what is
 * in flight. Dies with a sentence where a file cannot be written.
 */
#ifndef CUT_CUT_H
#define CUT_CUT_H

#include "replay.h"

struct tape_cut;

/*
 * From and to in ns from the end of the first MPI_Init, or else the start of
 * the first event; INT64_MAX: to the end. path: of the trace that is made. Dies
 * if it is there.
 */
struct tape_cut *tape_cut_new(const struct tape_trace *t, const char *path,
			      int64_t from_ns, int64_t to_ns);
void tape_cut_item(struct tape_cut *c, const struct tape_replay *r,
		   const struct tape_item *i);

/*
 * The same by several processes that play the trace together, each its flows,
 * r being new: all call it, and tape_cut_end. What they have to say to each
 * other, and how far each may go, is found where they meet (tape_guest of
 * analysis.h, with the cut as self).
 */
struct tape_cut *tape_cut_new_part(const struct tape_trace *t, const char *path,
				   int64_t from_ns, int64_t to_ns,
				   struct tape_replay *r,
				   struct tape_peers *peers);
int tape_cut_send_state(void *self);
int tape_cut_receive_state(void *self, int from, int now, unsigned kind,
			   const void *data);
int64_t tape_cut_time_limit(void *self);

/*
 * After the last item: the trace is there under its name, of so many events; or
 * of none, then it is not. Frees c. history: what made it, after which the
 * window is added.
 */
uint64_t tape_cut_end(struct tape_cut *c, const struct tape_replay *r,
		      const char *history);

/* "from,to" in seconds; ",", "1.5," or "1.5": to the end. Or dies. */
void tape_cut_window(const char *text, int64_t *from_ns, int64_t *to_ns);

#endif
