/*
 * The events of one thread: calls of MPI as an archive has them (entered, some
 * records, left) become events that hold what the records say; other regions
 * become marks. A record that its call cannot hold (a message of a persistent
 * request, one outside of calls) is an event of its own without duration: a
 * send before the call, a receive behind it.
 *
 * Times are ns. Within a flow they do not decrease; where those of an archive
 * do, the writer moves them.
 */
#ifndef OTF2TAPE_FLOW_H
#define OTF2TAPE_FLOW_H

#include "look_ahead.h"
#include "rank.h"
#include "writer.h"

/* What was odd, to be said at the end. */
struct losses {
	uint64_t alone;      /* records that became events of their own */
	uint64_t unfinished; /* calls that were not left */
	uint64_t unmatched;  /* left and not entered, completed and not begun */
	uint64_t moved;      /* began before the one before it ended */
	uint64_t inside;     /* regions and calls within calls */
	uint64_t undefined;  /* regions without a definition */
};

/* What the threads of a rank have in common. */
struct shared {
	struct rank *rank;
	struct look_ahead *look_ahead;
	struct tape_table requests; /* those under way */
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

/* Ends it; f is freed. */
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

/* A request is complete; m: of a receive, what came, else NULL. */
void flow_complete(struct flow *f, int64_t t, uint64_t request,
		   const struct message *m);
void flow_cancel(struct flow *f, int64_t t, uint64_t request);
void flow_add_failed_test(struct flow *f);

void flow_collective_begin(struct flow *f, int64_t t);
void flow_collective(struct flow *f, int64_t t, const struct collective *c);

#endif
