/*
 * The state of the translation, and functions that its parts share. translate.c
 * handles the events, p2p.c messages and blocking calls, nonblocking.c
 * requests, collectives.c collectives, overhead.c the tracer's own time.
 *
 * The convert functions return 1 if they added records of their kind. They
 * return 0 if they added nothing: then the event becomes a user task with the
 * name of its call.
 */
#ifndef T2NP_TRANSLATE_STATE_H
#define T2NP_TRANSLATE_STATE_H

#include "names.h"
#include "replay.h"
#include "sorter.h"

/* The open user tasks of a flow, the innermost last. */
struct stack {
	int32_t *task;
	uint32_t n;
	size_t room;
	int seen;      /* the flow had an event */
	int64_t until; /* the end of the last overhead */
};

/* The state of a node. */
struct node {
	int started, off; /* tracing began; tracing is switched off */
	int several;	  /* the node has several flows */
	int32_t *subsets; /* by communicator; see collectives.c */
	int32_t *regions; /* by region: its task + 1; 0: not known yet */
};

struct translate {
	const struct tape_trace *trace;
	const struct tape_replay *replay;
	FILE *f;
	struct picl *out; /* from the first event on */
	struct order *order;
	struct names *tasks, *subsets;
	int32_t calls[TAPE_CALL_COUNT]; /* by call: its task + 1, or 0 */
	size_t n_nodes, n_flows;
	struct node *nodes;
	struct stack *stacks; /* by flow */
	int64_t latest;
	int overhead;	 /* show the tracer's own time */
	int64_t horizon; /* earlier records are written; overhead.c */
};

/* An entry and its exit; times in the trace's base. */
struct pair {
	int32_t evttype;
	int64_t from, to;
	int16_t n_in, n_out;
	int64_t in[PICL_DATA], out[PICL_DATA];
};

/* Adds both records of a pair that belongs to e. */
void add_pair(struct translate *t, const struct tape_event *e,
	      const struct pair *p);

/* Allocates zeroed memory; dies when out of memory. */
void *allocate_zeroed(size_t n, size_t size);

/* ---- p2p.c ---- */

/* Returns a communicator as the rank knows it; NULL: none, or unknown. */
const struct tape_comm_info *find_rank_comm(const struct translate *t, int rank,
					    uint32_t comm);

/* Returns the node of the rank peer of a communicator; -1: none, or unknown. */
int32_t peer_node(const struct translate *t, int rank, uint32_t comm,
		  int32_t peer);

/* As above for the source that a receive names; it may be PICL_ANY_NODE. */
int32_t source_node(const struct translate *t, int rank, uint32_t comm,
		    int32_t peer);

int64_t picl_tag(int32_t tag);

/* Limits a number of bytes to INT64_MAX. */
int64_t picl_bytes(uint64_t bytes);

/*
 * Returns 1 if a call of ns waited for its message. arrived: as in an event; if
 * it is unknown (2), the length decides.
 */
int call_has_waited(uint32_t arrived, int64_t ns);

/* Returns the mode of a send. */
enum picl_mode send_mode(unsigned call);

/* The operands of a receive, for all classes of receives. */
struct receive {
	uint32_t comm, arrived;
	int32_t peer, tag, actual_peer, actual_tag;
	uint64_t bytes;
};

/* Adds a send from the start of e to to. Returns 0 if peer is no node. */
int add_send(struct translate *t, const struct tape_event *e, int64_t to,
	     uint32_t comm, int32_t peer, int32_t tag, uint64_t bytes);

int convert_receive(struct translate *t, const struct tape_event *e,
		    const struct receive *r);
int convert_send(struct translate *t, const struct tape_event *e);
int convert_recv(struct translate *t, const struct tape_event *e);
int convert_mcast(struct translate *t, const struct tape_event *e);
int convert_nrecv(struct translate *t, const struct tape_event *e);
int convert_sendrecv(struct translate *t, const struct tape_event *e);
int convert_probe(struct translate *t, const struct tape_event *e);
int convert_mprobe(struct translate *t, const struct tape_event *e);
int convert_iprobe(struct translate *t, const struct tape_event *e);
int convert_improbe(struct translate *t, const struct tape_event *e);

/* ---- nonblocking.c ---- */

int convert_isend(struct translate *t, const struct tape_event *e);
int convert_irecv(struct translate *t, const struct tape_event *e);
int convert_isendrecv(struct translate *t, const struct tape_event *e);
int convert_start(struct translate *t, const struct tape_event *e);
int convert_pready(struct translate *t, const struct tape_event *e);
int convert_imrecv(struct translate *t, const struct tape_event *e);
int convert_mrecv(struct translate *t, const struct tape_event *e);
int convert_query(struct translate *t, const struct tape_event *e);

/* Converts the completions of e. waits: the call may have blocked. */
int convert_completions(struct translate *t, const struct tape_event *e,
			int waits);

/* ---- collectives.c ---- */

int convert_collective(struct translate *t, const struct tape_event *e);

/* ---- overhead.c, where overhead is shown ---- */

/* Add the overhead before and after e: before its first and after its last
 * record. */
void overhead_before(struct translate *t, const struct tape_event *e);
void overhead_after(struct translate *t, const struct tape_event *e);

/* Returns the time up to which all records are known when e begins. */
int64_t overhead_horizon(const struct translate *t, const struct tape_event *e);

#endif
