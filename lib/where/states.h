/*
 * What each thread of a traced run does at the end of its trace: in a call, in
 * no call, or over; and the messages that are in no call yet.
 *
 *	struct where_states *s = where_states_new(t);
 *
 *	for (size_t i = 0; i < s->n_flows; i++)
 *		use(&s->flow[i]);
 *	where_states_free(s);
 *
 * Of a run in progress each flow is read once, and its call again at the end:
 * the calls that are stable were all in progress at one moment.
 */
#ifndef WHERE_STATES_H
#define WHERE_STATES_H

#include "replay.h"
#include "tape_call_in_progress.h"
#include "tape_peers.h"
#include "tape_reader.h"

enum where_state {
	WHERE_ABSENT,  /* nothing of it is in the trace */
	WHERE_UNKNOWN, /* tracing is off, or stopped before the end */
	WHERE_ENDED,   /* MPI_Finalize, MPI_Abort or exit */
	WHERE_OUTSIDE, /* in no call that may block */
	WHERE_UNSENT,  /* the process sends only calls that ended */
	WHERE_TESTING, /* its last calls were failed tests or probes */
	WHERE_IN_CALL
};

/* A request that a wait names. */
struct where_request {
	uint16_t call;         /* that created it */
	int is_send, is_recv;
	uint32_t comm;         /* of the rank */
	int32_t peer, tag;     /* as passed to the call */
	uint64_t bytes;
	uint32_t is_unmatched; /* its message has no other side yet */
};

struct where_flow {
	int rank, thread;
	enum where_state state;
	enum tape_end end;     /* where it ended */
	int is_stable;         /* the call was in progress at both readings */
	struct tape_call_in_progress call;
	struct where_request request[TAPE_CALL_REQUESTS_MAX];
	/* its last call that ended; call 0: none */
	uint16_t last_call;
	uint32_t last_site;
	int64_t last_end_ns;
	int is_off;            /* tracing is off (tape_off) */
	uint64_t polls;        /* calls of its last run of failed tests */
	int64_t init_ns;       /* the end of its first call */
};

/* Collectives of a rank on one of its communicators. */
struct where_rounds {
	uint64_t calls;        /* that ended */
	uint16_t last_call;    /* the last of them, and its root; -1: none */
	uint32_t last_site;
	int32_t last_root;
};

struct where_rank {
	size_t first, n_flows; /* indices of its flows */
	size_t n_active;       /* flows that have not ended */
	int is_here;           /* its process is, or was, on this host */
	int is_running;        /* its process is on this host and exists */
	int may_have_threads;  /* MPI_Init_thread was called */
	int is_uncertain;      /* some of its calls are not known */
	struct where_rounds *rounds; /* by index of the communicator */
	size_t n_rounds;       /* of those with collectives; a prefix */
};

/* A message that was sent and not received, or many alike. */
struct where_send {
	int from, to;          /* ranks of the trace */
	uint64_t comm, count;
	int32_t tag;
	struct tape_where where;
};

/* A posted receive without a message. */
struct where_receive {
	int rank, from;        /* from -1: any source */
	uint64_t comm;
	int32_t tag;
	int32_t thread;
	uint64_t event;        /* that posted it, in its flow, from 1 */
};

struct where_states {
	struct tape_trace *t;
	struct where_flow *flow;
	size_t n_flows;
	struct where_rank *rank;
	size_t n_ranks;
	int is_partial;        /* not all calls were recorded */
	char why_partial[400];
	int is_pvm;
	int is_running;        /* at least one process is */
	int64_t now_ns;        /* by the clock of this host, if the trace has
				* times of this clock and is running; else 0 */
	uint64_t eager_bytes;  /* a larger message is not eager; 0: unknown */
	struct where_send *send; /* by to, then from */
	size_t n_sends;
	struct where_receive *receive; /* by rank */
	size_t n_receives;
	uint64_t n_unsent;     /* receives whose message nobody has sent */
	struct where_messages *messages; /* while they are collected */
};

/*
 * Reads all flows of t, which the caller closes after where_states_free.
 * Prints progress on a terminal. Dies when out of memory.
 */
struct where_states *where_states_new(struct tape_trace *t);
void where_states_free(struct where_states *s);

/*
 * The same while a trace is followed (tape_follow.h): states of no events, to
 * which each event is added.
 */
struct where_states *where_states_begin(struct tape_trace *t);
void where_states_add_event(struct where_states *s, const struct tape_event *e);

/*
 * At the end of r, a replay of all flows with messages: where_states_stop finds
 * out what each flow does now. It comes before the first item without an event;
 * the message of each such item is added by where_messages_add. Then
 * where_states_complete comes. dir is where the trace is. Several processes
 * (peers; NULL: one) have the states of their own ranks: the call is
 * collective, and process 0 gets the states of all.
 */
void where_states_stop(struct where_states *s, const struct tape_replay *r);
void where_states_complete(struct where_states *s, const struct tape_replay *r,
			   const char *dir, struct tape_peers *peers);

/* Collectives of the rank on its communicator of that index, 0 before one. */
const struct where_rounds *where_rounds_of(const struct where_states *s,
					   int rank, uint32_t comm);

/* The same, which is changed then. Dies when out of memory. */
struct where_rounds *where_get_rounds(struct where_rank *r, uint32_t comm);

/* The identity of a communicator of a rank; 0: it is not known. */
uint64_t where_comm_id(const struct where_states *s, int rank, uint32_t comm);

/*
 * The first flow of the rank that has not ended, else its first one; NULL: it
 * has none.
 */
const struct where_flow *where_flow_of(const struct where_states *s, int rank);

/* Returns 1 if the ranks sent their events by MPI (stream = mpi). */
int where_is_mpi_stream(const struct tape_trace *t);

/* Returns 1 if times of the rank can be told up to now_ns. */
static inline int where_is_timed(const struct where_states *s, int rank)
{
	return s->now_ns && s->rank[rank].is_running;
}

/* Returns 1 if the call is a collective of its communicator. */
int where_is_collective(unsigned call, unsigned class_);

/* ---- messages_left.c ---- */

/* Fills the sends, the receives and the requests of s by a replay. */
void where_find_messages(struct where_states *s);

/*
 * The same by a replay of the caller: each message is added. Before the first
 * one without an event the requests that waits name are copied from r. p: as of
 * where_states_complete.
 */
void where_messages_begin(struct where_states *s);
void where_copy_requests(struct where_states *s, const struct tape_replay *r);
void where_messages_add(struct where_states *s, const struct tape_message *m);
void where_messages_end(struct where_states *s, struct tape_peers *p);

/* The index of the first receive of that rank or of a later one. */
size_t where_first_receive(const struct where_states *s, int rank);

/* The index of the first send to that rank or to a later one. */
size_t where_first_send(const struct where_states *s, int to);

/* ---- running.c ---- */

/*
 * Finds out which processes of the trace in dir exist on this host, and the
 * time there now: a process counts if it maps a file of the trace.
 */
void where_find_running(struct where_states *s, const char *dir);

#endif
