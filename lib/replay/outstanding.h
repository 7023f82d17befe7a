/*
 * The inside of ops.h: what a rank has pending. outstanding.c keeps requests by
 * number and the receives that wait to be posted; ops.c knows what each class
 * of events does with them, collectives.c those of collectives, files and
 * windows.
 */
#ifndef TAPE_OUTSTANDING_H
#define TAPE_OUTSTANDING_H

#include "hash_slots.h"
#include "operations.h"
#include "channels.h"

/* What is known of a communicator of the rank. */
struct comm_state {
	uint64_t rounds; /* collectives so far */
	int32_t known;	 /* members in the trace plus 1; 0: not counted yet */
	/* of a window: the groups that it was opened to, and that it is open
	 * for; of a file, or a group of PVM's: the collective in two
	 * events that is in progress */
	uint32_t posted, started;
	struct tape_request *split;
};

/* Keys are compared by their hash, so different keys may look the same. */
#define TAPE_THREADS_KEYS 4096

TAPE_SLOTS_TYPE(tape_requests, struct tape_request *)

/* Slots of requests at first. */
#define TAPE_REQUESTS_LEAST 16

/* What the flows of one rank have in common. */
struct shared {
	struct tape_requests requests; /* by number */
	struct comm_state *comms; /* of those that were used so far */
	size_t n_comms;
	const struct tape_pvm_groups *pvm_groups;
	uint64_t unknown;
	struct tape_channels channels;
	uint64_t left_out; /* because of them */
	/* how many requests for messages in parts there were, of each kind */
	struct tape_parts {
		uint32_t comm;
		int32_t peer, tag, sends;
		uint64_t n;
	} *parts;
	size_t n_parts;
	int flows;
	int in_order;
	/* of messages sent, and received, by their key: the thread that does so
	 * plus 1; -1: several do. NULL: the rank has one flow */
	int32_t (*threads)[TAPE_THREADS_KEYS];
	/* receives that are not posted yet, in the order of their beginning:
	 * wildcards, and those after them whose key is known */
	struct tape_request *first, *last;
	uint64_t deferred; /* of the latter */
	int cleared;	   /* one that was in the way of others is not now */
};

struct tape_ops {
	const struct tape_trace *trace;
	const struct tape_rank_info *rank;
	int world;
	size_t tool;                 /* bytes of a tape_request that are its */
	uint32_t region;	     /* that the event in progress is in */
	struct shared *s;
	struct tape_ops_list *l; /* in progress: own, or the caller's */
	struct tape_ops_list own;
	const struct tape_event *e;  /* in progress */
	uint64_t events;             /* of this flow, with e */
	uint32_t behind;	     /* receives of e, posted later */
	/* to be used again; there is room for all that are dead in a list */
	struct tape_request **spare;
	int n_spare, n_dead;
	size_t spare_room;
};

/* Functions that return int return 0 or TAPE_ENOMEM. */

struct tape_op *tape_ops_add(struct tape_ops *o, enum tape_op_kind kind,
			struct tape_request *r);

/* Makes room for one more request in the table. */
int tape_ops_reserve_request(struct shared *s);

/* The place of that request in the table; *place is NULL where unknown. */
struct tape_request **tape_ops_find(struct tape_ops *o, uint64_t number);

/* What request d of an event stands for, or NULL; counts the unknown. */
struct tape_request *tape_ops_request(struct tape_ops *o, uint64_t number);

/* The request that the event in progress creates. NULL: out of memory. */
struct tape_request *tape_ops_create(struct tape_ops *o);

/* A blocking call of the event in progress. NULL: out of memory. */
struct tape_request *tape_ops_blocking(struct tape_ops *o);

/* One that is in no table and no list; tape_ops_let_die ends it. */
struct tape_request *tape_ops_new_request(struct tape_ops *o);
int tape_ops_free_later(struct tape_ops *o, struct tape_request *p);

/* Takes a request out of the table; it is valid as long as the list. */
int tape_ops_remove_request(struct tape_ops *o, struct tape_request *p);

/* The request has another number from now on. */
int tape_ops_rename(struct tape_ops *o, struct tape_request *p,
		    uint64_t number);

/* A persistent request begins again: one that the last time is not. */
struct tape_request *tape_ops_restart(struct tape_ops *o,
				      struct tape_request *p);

/* r ends, where it was left out: one of its channel is only counted. */
int tape_ops_end_left_out(struct tape_ops *o, struct tape_request *r);

/* r is sent or posted: notes whether several threads do so with its key. */
void tape_ops_note_thread(struct tape_ops *o, struct tape_request *r);

/* r begins at the event in progress. */
void tape_ops_begun(const struct tape_ops *o, struct tape_request *r);

/* A communicator of the rank; NULL: none, or not known. */
static inline const struct tape_comm_info *
tape_ops_comm(const struct tape_ops *o, uint32_t index)
{
	return index && index < o->rank->n_comms && o->rank->comms[index].index
		       ? &o->rank->comms[index]
		       : NULL;
}

/* World rank of a peer; -1: not in the trace. */
static inline int tape_ops_world(const struct tape_comm_info *c, int peer)
{
	return peer >= 0 && peer < c->size ? c->members[peer] : -1;
}

/* ---- messages in parts (parts.c) ---- */

/* A request that the event creates, to send or to receive them. */
int tape_ops_parts_init(struct tape_ops *o, const struct tape_psend *u,
			int sends);

/* ---- what several ranks do together (collectives.c) ---- */

/* A collective of all members of comm; root as passed, -1 none. */
int tape_ops_collective(struct tape_ops *o, uint32_t comm, int root);
/* The same with a request. */
int tape_ops_begin_collective(struct tape_ops *o, uint32_t comm, int root);
/* The same, of a request that may be started; and where it is. */
int tape_ops_coll_init(struct tape_ops *o, const struct tape_icoll *u);
int tape_ops_coll_start(struct tape_ops *o, struct tape_request *r);
/* The end of a collective that began. */
int tape_ops_leave(struct tape_ops *o, struct tape_request *r);

/* The same where the call is one of all; else a call of one process. */
int tape_ops_collective_if(struct tape_ops *o, uint32_t comm);
int tape_ops_begin_if(struct tape_ops *o, uint32_t comm);

int tape_ops_coll(struct tape_ops *o, const struct tape_coll *u);
int tape_ops_comm_new(struct tape_ops *o, const struct tape_comm_new *u);
int tape_ops_io(struct tape_ops *o, uint32_t comm);
int tape_ops_pscw(struct tape_ops *o, uint32_t comm, uint32_t group);

/* ---- receives ---- */

/*
 * r begins to receive: posted at once where its key is known and no wildcard
 * before it may have a right to its message.
 */
int tape_ops_receive(struct tape_ops *o, struct tape_request *r);

/* The same where it is taken at once (a matched probe); 1: it was posted. */
int tape_ops_post_matched(struct tape_ops *o, struct tape_request *r,
			  int *posted);

/* r, whose key is known now, ends with what r->bytes and r->arrived say. */
int tape_ops_receive_end(struct tape_ops *o, struct tape_request *r);

/* r got nothing: it was cancelled, or came from MPI_PROC_NULL. */
int tape_ops_cancel_receive(struct tape_ops *o, struct tape_request *r);

/* Nothing more will be known of r; ended: the event in progress ended it. */
int tape_ops_drop_receive(struct tape_ops *o, struct tape_request *r,
			  int ended);

/* All that is left is posted, or gone. */
int tape_ops_end_all_receives(struct tape_ops *o);

/* Frees what only the list holds. */
void tape_ops_free_list(struct shared *s);

#endif
