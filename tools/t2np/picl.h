/*
 * New PICL as text: one record a line,
 *
 *	rectype evttype time node pid nfields [descriptor data ...]
 *
 * time in seconds with nine decimals since the first event of the trace. This
 * file does not depend on events or on their order.
 */
#ifndef T2NP_PICL_H
#define T2NP_PICL_H

#include <stdint.h>
#include <stdio.h>

enum picl_rectype {
	PICL_MARK = -2,
	PICL_ENTRY = -3,
	PICL_EXIT = -4,
	PICL_LABEL = -5,
	PICL_PROCESS_SUBSET = -202
};

/*
 * Event types are negative; user tasks are 0, 1, ... The types of sends are
 * those of the standard mode: see picl_mode.
 */
enum picl_evttype {
	PICL_CLOSE = -12,
	PICL_SEND = -21,
	PICL_ISEND = -27,
	PICL_SEND_ASKED = -28,	   /* a query of an isend: complete */
	PICL_SEND_ASKED_NOT = -29, /* a query of an isend: not complete */
	PICL_SEND_DONE = -30,	   /* end of an isend, which did not block */
	PICL_SEND_WAITED = -31,	   /* end of an isend, which blocked */
	PICL_SEND_CANCELLED = -32,
	PICL_RECV = -51,	/* the message had arrived */
	PICL_RECV_WAITED = -52, /* the receive waited for the message */
	PICL_FOUND = -53,	/* a nonblocking probe: message arrived */
	PICL_FOUND_NOT = -54,	/* a nonblocking probe: no message */
	PICL_PROBE = -55,	/* a blocking probe: as PICL_RECV */
	PICL_PROBE_WAITED = -56,
	PICL_IRECV = -57,
	PICL_RECV_ASKED = -58, /* this and the following: as for isend */
	PICL_RECV_ASKED_NOT = -59,
	PICL_RECV_DONE = -60,
	PICL_RECV_DONE_WAITED = -61,
	PICL_RECV_CANCELLED = -62,
	PICL_BARRIER = -402,
	PICL_OVERHEAD = -602, /* time of the tracer */
	PICL_ALLGATHER = -780,
	PICL_ALLREDUCE = -782,
	PICL_ALLTOALL = -783,
	PICL_BCAST = -785,
	PICL_GATHER = -786,
	PICL_REDUCE = -790,
	PICL_REDUCE_SCATTER = -791,
	PICL_SCAN = -792,
	PICL_SCATTER = -793,
	PICL_SUBSET = -812,
	PICL_TRACING = -901,
	PICL_LEVEL = -904
};

/* Each mode has one type for a send, and six types for an isend. */
enum picl_mode {
	PICL_STANDARD,
	PICL_BUFFERED,
	PICL_SYNCHRONOUS,
	PICL_READY
};

/* Return the event type in mode m: of a blocking send; of a type from
 * PICL_ISEND on. */
static inline int32_t picl_send(enum picl_mode m)
{
	return PICL_SEND - (int32_t)m;
}

static inline int32_t picl_isend(int32_t evttype, enum picl_mode m)
{
	return evttype - 6 * (int32_t)m;
}

enum {
	PICL_ALL = -1, /* all nodes: as a node, and as a subset */
	PICL_ANY_TAG = -1,
	PICL_ANY_NODE = -2, /* source of a receive */
	PICL_DATA = 3	    /* limit of the data of a record, except subsets */
};

/* A record with integer data. */
struct picl_record {
	int64_t time_ns;    /* in the trace's base */
	int32_t node, pid;
	int16_t rectype, n; /* n data, at most PICL_DATA */
	int32_t evttype;
	int64_t data[PICL_DATA];
};

struct picl;

/*
 * Writes records to f, which the caller closes. Time 0 is origin_ns; no record
 * is earlier. Dies when out of memory. All functions die if writing to f fails.
 */
struct picl *picl_new(FILE *f, int64_t origin_ns);

/* Writes the buffered bytes to f and frees p. NULL is accepted. */
void picl_free(struct picl *p);

void picl_put(struct picl *p, const struct picl_record *r);

/* Writes the label of a user task. Blanks, quotes and non-ASCII bytes become
 * "_". */
void picl_label(struct picl *p, int64_t time_ns, int32_t task,
		const char *label);

/* Defines subset id: the n members, without negative ones. */
void picl_subset(struct picl *p, int64_t time_ns, int32_t id,
		 const int *members, int n);

#endif
