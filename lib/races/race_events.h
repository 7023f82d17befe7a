/* What events do to the state of a search; race_pass.c calls these. */
#ifndef RACES_RACE_EVENTS_H
#define RACES_RACE_EVENTS_H

#include "messages.h"
#include "race_state.h"

/*
 * The number of an event of a flow among all of the trace; of the event that w
 * is of.
 */
uint64_t race_event_number(size_t flow, uint64_t event);
uint64_t race_where_number(const struct race_state *s,
			   const struct tape_where *w);

/* One message less on its way, or one end less to come, of the send m. */
void race_use_send(struct race_state *s, uint64_t number, struct race_send *m);

/*
 * Messages on their way, for probes: the key; what the next message of a key
 * knows is known to the rank; a message was received.
 */
struct tape_match_key race_probe_key(uint64_t comm, int from, int to,
				     int32_t tag);
void race_merge_probed(struct race_state *s, int rank,
		       const struct tape_match_key *key);
void race_remove_probed(struct race_state *s, const struct tape_message *m);

/* The event e sends the message of op; posts the receive of op. */
void race_begin_send(struct race_state *s, const struct tape_event *e,
		     const struct tape_op *op);
void race_post_receive(struct race_state *s, const struct tape_event *e,
		       const struct tape_op *op);

/*
 * Called when the event e begins. Of a blocking receive it stores, until the
 * receive ends, which messages the receive may take.
 */
void race_begin_receive(struct race_state *s, const struct tape_event *e);

/* The event of the item ends: the functions below are about it. */
struct tape_item;
void race_begin_end(struct race_state *s, const struct tape_item *i);

/* The send of op has ended, of that rank: it learns what its receiver knew. */
void race_end_send(struct race_state *s, int rank, const struct tape_op *op);

/* The event e, a probe, found the message of op. */
void race_end_probe(struct race_state *s, const struct tape_event *e,
		    const struct tape_op *op);

/* The receive of op has ended, or nothing more will be known of it. */
void race_end_receive(struct race_state *s, const struct tape_op *op);

/* The message was received in the event, or was never. */
void race_end_message(struct race_state *s, const struct tape_message *m);

/* All messages of the event that ended have come. */
void race_finish_event(struct race_state *s);

/*
 * The event e of the rank begins, or none any more (NULL): a test that found
 * nothing before counts as a call of its own unless e repeats it.
 */
void race_settle_test(struct race_state *s, int rank,
		      const struct tape_event *e);

/* Free what these refer to: a message on its way, receives of a rank that are
 * reported later, the event. */
void race_free_late(struct race_rank *r);
void race_free_probed(struct tape_slot *slot);
void race_free_ends(struct race_event *e);

#endif
