/*
 * What the parts of the translation share: its state, and how records are
 * added. translate.c goes through the events, p2p.c has messages and blocking
 * calls, nonblocking.c has requests, collectives.c has collectives, overhead.c
 * the tracer's own time.
 *
 * The convert functions return 1 when the event became what they are named
 * after; 0 when it is nothing but a call of its name, and nothing was added.
 */
#ifndef T2NP_TRANSLATE_STATE_H
#define T2NP_TRANSLATE_STATE_H

#include "names.h"
#include "replay.h"
#include "sorter.h"

/* What is open in a flow: user tasks, the innermost last. */
struct stack {
	int32_t *task;
	uint32_t n, room;
	int seen;      /* it had an event */
	int64_t until; /* the end of the last overhead */
};

/* What is known of a node. */
struct node {
	int started, off; /* tracing began; it is switched off */
	int several;	  /* it has several flows */
	int32_t *subsets; /* by communicator; see collectives.c */
	int32_t *regions; /* their tasks, each raised by 1; 0: not known */
};

struct translate {
	const struct tape_trace *trace;
	const struct tape_replay *replay;
	FILE *f;
	struct picl *out; /* from the first event on */
	struct order *order;
	struct names *tasks, *subsets;
	int32_t calls[TAPE_CALL_COUNT]; /* their tasks, as of regions */
	size_t n_nodes, n_flows;
	struct node *nodes;
	struct stack *stacks; /* by flow */
	int64_t latest;
	int overhead;	 /* it is shown */
	int64_t horizon; /* all before was written; see overhead.c */
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

/* calloc, or the end. */
void *allocate_zeroed(size_t n, size_t size);

/* ---- p2p.c ---- */

/* A communicator as the rank knows it; NULL: none, or nothing is known. */
const struct tape_comm_info *find_rank_comm(const struct translate *t, int rank,
					    uint32_t comm);

/* The node of a rank of a communicator; -1: none, or not known. */
int32_t peer_node(const struct translate *t, int rank, uint32_t comm,
		  int32_t peer);

/* The same for what a receive asks for: it may be PICL_ANY_NODE. */
int32_t source_node(const struct translate *t, int rank, uint32_t comm,
		    int32_t peer);

int64_t picl_tag(int32_t tag);

/* Bytes beyond what a long holds are no size, and are cut. */
int64_t picl_bytes(uint64_t bytes);

/* Did a call of that length wait for a message? arrived as in an event. */
int call_has_waited(uint32_t arrived, int64_t ns);

/* How that call sends. */
enum picl_mode send_mode(unsigned call);

/* The operands of a receive, whatever its class calls them. */
struct receive {
	uint32_t comm, arrived;
	int32_t peer, tag, actual_peer, actual_tag;
	uint64_t bytes;
};

/* 1 where the partner is a node: e sends, from its start until to. */
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

/* The completions of e; waits: it may have blocked. */
int convert_completions(struct translate *t, const struct tape_event *e,
			int waits);

/* ---- collectives.c ---- */

int convert_collective(struct translate *t, const struct tape_event *e);

/* ---- overhead.c, where overhead is shown ---- */

/* Before any record of e, and after all. */
void overhead_before(struct translate *t, const struct tape_event *e);
void overhead_after(struct translate *t, const struct tape_event *e);

/* The time up to which records are complete now that e begins. */
int64_t overhead_horizon(const struct translate *t, const struct tape_event *e);

#endif
