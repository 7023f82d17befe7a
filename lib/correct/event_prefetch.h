/*
 * The events of the flows on their way through tico, in batches: decoded ahead
 * of the traversal and encoded after it, by other threads where these are.
 *
 *	all = feeds_new(workers, flows);
 *	f = feed_open(all, reader);
 *	feed_set_ops(f, ops);
 *	feed_set_writer(f, writer);
 *	while ((e = feed_next_event(f)))
 *		feed_write_event(f, e, start_ns, end_ns, &p_end);
 *	why = feed_finish(f, &causality);
 *	feed_close(f);
 *	feeds_free(all);
 *
 * The traversal itself is one thread, the one that calls these functions: who
 * decodes a batch, or encodes it, and when, changes nothing of what it sees
 * nor of what is written. What a flow reads and writes stays in its order, for
 * one thread at a time turns over its batches, the oldest first.
 */
#ifndef CORRECT_EVENT_PREFETCH_H
#define CORRECT_EVENT_PREFETCH_H

#include "causality.h"
#include "delay_bounds.h"
#include "ops.h"
#include "tape_reader.h"
#include "writer.h"

struct feeds;
struct feed;

/*
 * For so many flows. workers: threads besides the caller's, 0 or more; fewer
 * where the system has no more. Dies when out of memory.
 */
struct feeds *feeds_new(int workers, size_t flows);

/* After all feeds are closed. */
void feeds_free(struct feeds *all);

/* The feed of a flow; from is its own from now on. Dies when out of memory. */
struct feed *feed_open(struct feeds *all, struct tape_flow *from);

/*
 * Of every event its operations are asked for, too: by ops, the caller's, which
 * nobody else may use before the end of the flow. Before the first event.
 */
void feed_set_ops(struct feed *f, struct tape_ops *ops);

/* The operations of the event that feed_next_event gave last, *n of them. */
struct tape_op *feed_event_ops(const struct feed *f, int *n);

/*
 * Sets the writer of the flow, which the feed owns from then on: each event is
 * written with the timestamps of feed_write_event, none before first_ns. If
 * certified, with the bounds of its end, rounded up if coarse. To be called
 * before the second event is fetched.
 */
void feed_set_writer(struct feed *f, struct tape_flow_writer *to,
		     int64_t first_ns, int certified, int coarse);

/*
 * The next event, NULL at the end of the flow. Without a writer it is valid
 * until the next call; else until it was put, at least. Dies where the flow is
 * damaged, or could not be written.
 */
const struct tape_event *feed_next_event(struct feed *f);

/*
 * e is to be written with these dates, corrected; p_end makes the second one.
 * All events are put, in their order, one after the next one was asked for at
 * the latest.
 */
void feed_write_event(struct feed *f, const struct tape_event *e,
		      int64_t start_ns, int64_t end_ns,
		      const struct tape_delay *p_end);

/*
 * After the end: how the flow ended. What was put is written, and the writer
 * closed. What of it goes backwards is added to c.
 */
enum tape_end feed_finish(struct feed *f, struct causality *c);

/* Closes the flow, wherever it is. NULL is accepted. */
void feed_close(struct feed *f);

#endif
