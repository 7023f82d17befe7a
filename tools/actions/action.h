/*
 * What each rank of a program does, without times: computations in operations,
 * messages in bytes, collectives, windows (Desprez, Markomanolis, Quinson and
 * Suter 2010, section 3). A simulator gives them dates of another machine.
 *
 *	struct tape_actions *s;
 *	const struct tape_action *a;
 *
 *	if (tape_actions_open_trace(t, &how, &s) < 0)
 *		tape_die("%s", tape_actions_error(s));
 *	while ((rc = tape_actions_next(s, rank, &a)) == 1)
 *		...
 *	tape_actions_close(s);
 *
 * They come from a trace (tape_actions_open_trace) or from files of text
 * (tape_actions_open_files, doc/actions.md), rank by rank, each rank at its own
 * pace: a simulator asks for the next action of the rank that may go on. Memory
 * is that of what is pending at each rank: where the source of a receive was a
 * wildcard, what comes behind it waits until the trace tells its message.
 *
 * Everything is resolved. Peers are world ranks. Tags tell communicators apart,
 * too: the k-th send and the k-th receive of one source, destination and tag
 * are one message. Polling that found nothing is no action, and a call that
 * completed one of several requests is a wait for that one.
 */
#ifndef TAPE_ACTION_H
#define TAPE_ACTION_H

#include <stddef.h>
#include <stdint.h>

#include "tape_reader.h"

enum tape_action_kind {
	TAPE_ACTION_INIT, /* MPI_Init; PVM: the task begins */
	TAPE_ACTION_FINALIZE,
	TAPE_ACTION_COMPUTE, /* amount: operations (flops) */
	TAPE_ACTION_PACK,    /* the same, to pack or unpack a message */
	TAPE_ACTION_SLEEP,   /* amount: seconds without the processor */
	TAPE_ACTION_SEND,    /* peer, tag, bytes; returns as MPI_Send does */
	TAPE_ACTION_SSEND,   /* not before its receive has begun */
	TAPE_ACTION_ISEND,   /* the same with request */
	TAPE_ACTION_ISSEND,
	TAPE_ACTION_RECV,  /* peer, tag, bytes as received */
	TAPE_ACTION_IRECV, /* bytes: at most, where more was allowed */
	TAPE_ACTION_PROBE, /* until a message of peer and tag is there */
	TAPE_ACTION_WAIT,  /* for all of the n_waits requests */
	TAPE_ACTION_COLL,  /* op, comm, root, bytes, rbytes */
	TAPE_ACTION_ICOLL, /* the same with request */
	TAPE_ACTION_COMM,  /* new communicator: comm from parent (a
			    * collective of that one), with color and key
			    * of MPI_Comm_split; color -1: not in one,
			    * comm is 0. n_group not 0: its members alone
			    * make it, which are the group, world ranks by
			    * rank in it; parent is comm */
	TAPE_ACTION_COMM_FREE,
	TAPE_ACTION_WIN, /* new window: comm is its number, parent the
			  * communicator, bytes its size here */
	TAPE_ACTION_WIN_FREE,
	TAPE_ACTION_PUT, /* peer (rank in the window), bytes */
	TAPE_ACTION_GET,
	TAPE_ACTION_ACCUMULATE, /* bytes there, rbytes back (0: none) */
	TAPE_ACTION_FENCE,
	TAPE_ACTION_LOCK, /* peer -1: lock_all; root 1: exclusive */
	TAPE_ACTION_UNLOCK,
	TAPE_ACTION_FLUSH, /* peer -1: of all targets */
	TAPE_ACTION_POST,  /* to the group members (ranks in the window) */
	TAPE_ACTION_START,
	TAPE_ACTION_COMPLETE,
	TAPE_ACTION_WAIT_WIN,
	TAPE_ACTION_KINDS
};

/*
 * The collectives: the names of SimGrid's actions, and what bytes and rbytes
 * are at a member. Of the v variants a trace tells only the sums of a rank.
 */
enum tape_action_op {
	TAPE_DO_BARRIER,
	TAPE_DO_BCAST,          /* bytes: of the vector */
	TAPE_DO_REDUCE,         /* the same */
	TAPE_DO_ALLREDUCE,      /* the same */
	TAPE_DO_SCAN,           /* the same */
	TAPE_DO_EXSCAN,         /* the same */
	TAPE_DO_REDUCE_SCATTER, /* bytes: of all parts; rbytes: of its own */
	TAPE_DO_GATHER,         /* bytes: sent by each; rbytes the same at the
				 * root */
	TAPE_DO_SCATTER,        /* bytes: to each, at the root; rbytes: got */
	TAPE_DO_ALLGATHER,      /* bytes: of one block */
	TAPE_DO_ALLTOALL,       /* the same */
	TAPE_DO_GATHERV,        /* bytes: sent; rbytes at the root: of all */
	TAPE_DO_SCATTERV,       /* bytes at the root: of all; rbytes: got */
	TAPE_DO_ALLGATHERV,     /* bytes: sent; rbytes: of all */
	TAPE_DO_ALLTOALLV,      /* bytes: sent to all; rbytes: got of all */
	TAPE_DO_OPS
};

struct tape_action {
	enum tape_action_kind kind;
	enum tape_action_op op;
	/*
	 * The event of its rank's flow that it is part of, from 1; or before
	 * which it is, where it is not inside: what the program does between
	 * two calls. 0: not from a trace.
	 */
	uint64_t event;
	int inside;
	int32_t peer, tag;
	uint32_t comm;          /* 0 the world; else 1, 2 ..., the same number
				 * at all ranks of one source */
	uint32_t parent;
	int32_t root;           /* rank in comm, -1: none */
	int32_t color, key;
	uint64_t bytes, rbytes;
	double amount;
	uint64_t request;       /* that it creates, from 1 at each rank; or 0 */
	size_t n_waits;
	const uint64_t *waits;  /* valid as long as the action */
	size_t n_group;
	const int32_t *group;
};

/* How a trace becomes actions. */
struct tape_actions_how {
	/*
	 * Operations per second of the machine of the trace: computations that
	 * no counter of operations tells are their time at this rate. 0: 1e9,
	 * so that an operation is a nanosecond.
	 */
	double rate;
	/* NULL: a counter of operations if the trace has one, else processor
	 * time if it has that, else what passed between the calls less the
	 * tracer's time. Or "time", or a counter's name. */
	const char *measure;
	int no_packing;         /* PACK is left out */
};

struct tape_actions;

/*
 * Of an open trace, which must stay. Returns 0 or a negative TAPE_E code; *s
 * then holds the sentence (tape_actions_error) and is to be closed.
 */
int tape_actions_open_trace(struct tape_trace *t,
			    const struct tape_actions_how *how,
			    struct tape_actions **s);

/*
 * Of files of text, plain or gz: path names a folder that t2ti wrote, or a file
 * that lists one file per rank, one a line, as SimGrid wants it.
 */
int tape_actions_open_files(const char *path, struct tape_actions **s);

/* NULL is accepted. */
void tape_actions_close(struct tape_actions *s);

size_t tape_actions_ranks(const struct tape_actions *s);

/* Members of a communicator, world ranks by rank in it; NULL: not known. */
const int *tape_actions_members(const struct tape_actions *s, uint32_t comm,
				int *size);

/*
 * The next action of a rank: 1 with *a set, valid until the next of that rank;
 * 0 at its end; or a negative TAPE_E code.
 */
int tape_actions_next(struct tape_actions *s, int rank,
		      const struct tape_action **a);

/*
 * What computations were measured by: "time", or the name of a counter; "" of
 * files. And messages so far that are no actions, for their other side, or its
 * number, is not in the trace.
 */
const char *tape_actions_measure(const struct tape_actions *s);
uint64_t tape_actions_left_out(const struct tape_actions *s);

/*
 * The flow of the trace that the actions of a rank are of: one of its threads,
 * the one that communicates; SIZE_MAX: they are not of a trace.
 */
size_t tape_actions_flow(const struct tape_actions *s, int rank);

/* The sentence: which rank, call and place cannot be an action, or which file,
 * line and word is wrong. */
const char *tape_actions_error(const struct tape_actions *s);

#endif
