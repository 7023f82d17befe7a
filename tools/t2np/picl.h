/*
 * New PICL as text: one record a line,
 *
 *	rectype evttype time node pid nfields [descriptor data ...]
 *
 * time in seconds with nine decimals since the first event of the trace.
 * Nothing here knows of events or of order.
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
 * Events below 0; user tasks are 0, 1, ... Those of sends are of the standard
 * mode: see picl_mode.
 */
enum picl_evttype {
	PICL_CLOSE = -12,
	PICL_SEND = -21,
	PICL_ISEND = -27,
	PICL_SEND_ASKED = -28,  /* is an isend over? it is */
	PICL_SEND_ASKED_NOT = -29, /* it is not */
	PICL_SEND_DONE = -30,   /* end of an isend: it did not block */
	PICL_SEND_WAITED = -31, /* it did */
	PICL_SEND_CANCELLED = -32,
	PICL_RECV = -51,        /* the message was there */
	PICL_RECV_WAITED = -52, /* the receive had to wait for it */
	PICL_FOUND = -53,       /* is a message there? it is */
	PICL_FOUND_NOT = -54,   /* it is not */
	PICL_PROBE = -55,       /* a probe that waits, as a receive */
	PICL_PROBE_WAITED = -56,
	PICL_IRECV = -57,
	PICL_RECV_ASKED = -58,  /* from here on as for isend */
	PICL_RECV_ASKED_NOT = -59,
	PICL_RECV_DONE = -60,
	PICL_RECV_DONE_WAITED = -61,
	PICL_RECV_CANCELLED = -62,
	PICL_BARRIER = -402,
	PICL_OVERHEAD = -602,   /* the system's, that is the tracer's */
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

/* Of each mode a send has its own event, an isend a row of six. */
enum picl_mode {
	PICL_STANDARD,
	PICL_BUFFERED,
	PICL_SYNCHRONOUS,
	PICL_READY
};

/* The event in that mode: of a blocking send, and from PICL_ISEND on. */
static inline int32_t picl_send(enum picl_mode m)
{
	return PICL_SEND - (int32_t)m;
}

static inline int32_t picl_isend(int32_t evttype, enum picl_mode m)
{
	return evttype - 6 * (int32_t)m;
}

enum {
	PICL_ALL = -1,      /* every node: as node, and as subset */
	PICL_ANY_TAG = -1,
	PICL_ANY_NODE = -2, /* source of a receive */
	PICL_DATA = 3       /* most data of a record, but for subsets */
};

/* A record whose data are integers. */
struct picl_record {
	int64_t time_ns;    /* in the trace's base */
	int32_t node, pid;
	int16_t rectype, n; /* n data, at most PICL_DATA */
	int32_t evttype;
	int64_t data[PICL_DATA];
};

struct picl;

/*
 * Writes to f, which stays the caller's; time 0 is origin_ns, and no record
 * is earlier. Dies when out of memory or when f does not take the bytes.
 */
struct picl *picl_new(FILE *f, int64_t origin_ns);

/* Hands the rest to f, and frees. NULL is accepted. */
void picl_free(struct picl *p);

void picl_put(struct picl *p, const struct picl_record *r);

/* The label of a user task. Bytes that are no plain character become "_". */
void picl_label(struct picl *p, int64_t time_ns, int32_t task,
		const char *label);

/* Subset id consists of those n members that are not negative. */
void picl_subset(struct picl *p, int64_t time_ns, int32_t id,
		 const int *members, int n);

#endif
