/*
 * The events of one thread. An MPI call of an archive (enter, records, leave)
 * becomes an event that holds the data of the records. Other regions become
 * marker events. A record that does not fit its call (a message of a persistent
 * request, or outside of calls) becomes an event without duration: a send
 * before the call, a receive after the call.
 *
 * Times are ns. Within a flow they do not decrease. If the times of the archive
 * decrease, the writer moves them.
 */
#ifndef OTF2TAPE_FLOW_H
#define OTF2TAPE_FLOW_H

#include "look_ahead.h"
#include "rank.h"
#include "writer.h"

/* What could not be imported as it is, for messages at the end. */
struct losses {
	uint64_t alone;      /* records that became events of their own */
	uint64_t unfinished; /* calls that were not left */
	uint64_t unmatched;  /* left but not entered, completed but not begun */
	uint64_t moved;	     /* events that began before the previous end */
	uint64_t inside;     /* regions and calls within calls */
	uint64_t undefined;  /* regions without a definition */
};

/* The state that the threads of a rank share. */
struct shared {
	struct rank *rank;
	struct look_ahead *look_ahead;
	struct tape_table requests; /* in progress */
	struct losses *losses;
};

struct message {
	OTF2_CommRef comm;
	uint32_t peer, tag;
	uint64_t bytes;
};

struct collective {
	OTF2_CollectiveOp op;
	OTF2_CommRef comm;
	uint32_t root;
	uint64_t sent, received;
};

struct flow;

struct flow *flow_open(struct shared *s, int thread);

/* Ends the flow and frees f. */
void flow_close(struct flow *f);

void flow_enter(struct flow *f, int64_t t, const struct region *r,
		const struct place *place);
void flow_leave(struct flow *f, int64_t t, const struct region *r);
void flow_switch_recording(struct flow *f, int64_t t, int on);

/* A counter has this value from now on. */
void flow_counter(struct flow *f, uint32_t counter, int64_t value);

void flow_send(struct flow *f, int64_t t, const struct message *m);
void flow_recv(struct flow *f, int64_t t, const struct message *m);
void flow_isend(struct flow *f, int64_t t, const struct message *m,
		uint64_t request);
void flow_irecv(struct flow *f, int64_t t, uint64_t request);
void flow_icoll(struct flow *f, int64_t t, uint64_t request);

/*
 * A request completes, is cancelled, or was tested without success. m: the
 * message of a receive, else NULL.
 */
void flow_complete(struct flow *f, int64_t t, uint64_t request,
		   const struct message *m);
void flow_cancel(struct flow *f, int64_t t, uint64_t request);
void flow_add_failed_test(struct flow *f);

void flow_collective_begin(struct flow *f, int64_t t);
void flow_collective(struct flow *f, int64_t t, const struct collective *c);

#endif
