/*
 * What each rank of a program does, without times: computations in operations,
 * messages in bytes, collectives and windows (Desprez, Markomanolis, Quinson
 * and Suter 2010, section 3). A simulator gives the actions the times of
 * another machine.
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
 * Actions come from a trace (tape_actions_open_trace) or from text files
 * (tape_actions_open_files, doc/actions.md). Each rank is read at its own pace:
 * the simulator asks for the next action of any rank that can continue. Memory
 * is that of the pending actions of each rank. After a receive of any source,
 * later actions of the rank wait until the trace shows the message that
 * matched.
 *
 * Everything is resolved. Peers are world ranks. Tags distinguish
 * communicators, too: the k-th send and the k-th receive with one source,
 * destination and tag are one message. A test without success is no action. A
 * call that completed one of several requests is a wait for that request.
 */
#ifndef TAPE_ACTION_H
#define TAPE_ACTION_H

#include <stddef.h>
#include <stdint.h>

#include "tape_reader.h"

enum tape_action_kind {
	TAPE_ACTION_INIT, /* MPI_Init; PVM: start of the task */
	TAPE_ACTION_FINALIZE,
	TAPE_ACTION_COMPUTE, /* amount: operations (flops) */
	TAPE_ACTION_PACK,    /* the same, for packing or unpacking */
	TAPE_ACTION_SLEEP,   /* amount: seconds without the processor */
	TAPE_ACTION_SEND,    /* peer, tag, bytes; returns as MPI_Send does */
	TAPE_ACTION_SSEND,   /* returns after its receive has begun */
	TAPE_ACTION_ISEND,   /* the same with request */
	TAPE_ACTION_ISSEND,
	TAPE_ACTION_RECV,  /* peer, tag, bytes as received */
	TAPE_ACTION_IRECV, /* bytes: upper limit, if more was allowed */
	TAPE_ACTION_PROBE, /* until a message of peer and tag arrives */
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
 * The collectives, with the names of SimGrid's actions, and the meaning of
 * bytes and rbytes at a member. For the v variants a trace has only the sums of
 * a rank.
 */
enum tape_action_op {
	TAPE_DO_BARRIER,
	TAPE_DO_BCAST,	   /* bytes: of the vector */
	TAPE_DO_REDUCE,	   /* the same */
	TAPE_DO_ALLREDUCE, /* the same */
	TAPE_DO_SCAN,	   /* the same */
	TAPE_DO_EXSCAN,	   /* the same */
	/* bytes: of all parts; rbytes: of its own part */
	TAPE_DO_REDUCE_SCATTER,
	TAPE_DO_GATHER,	 /* bytes: sent by each; rbytes: the same at the root */
	TAPE_DO_SCATTER, /* bytes at the root: to each; rbytes: received */
	TAPE_DO_ALLGATHER,  /* bytes: of one block */
	TAPE_DO_ALLTOALL,   /* the same */
	TAPE_DO_GATHERV,    /* bytes: sent; rbytes at the root: of all */
	TAPE_DO_SCATTERV,   /* bytes at the root: of all; rbytes: received */
	TAPE_DO_ALLGATHERV, /* bytes: sent; rbytes: of all */
	TAPE_DO_ALLTOALLV,  /* bytes: sent to all; rbytes: received from all */
	TAPE_DO_OPS
};

struct tape_action {
	enum tape_action_kind kind;
	enum tape_action_op op;
	/*
	 * Number of the event in its rank's flow, from 1; 0: not from a trace.
	 * If inside is set, the action is part of the event. Otherwise the
	 * action precedes the event: work of the program between two calls.
	 */
	uint64_t event;
	int inside;
	int32_t peer, tag;
	/*
	 * 0: the world; else 1, 2, ..., the same number at all ranks of one
	 * source
	 */
	uint32_t comm;
	uint32_t parent;
	int32_t root;           /* rank in comm, -1: none */
	int32_t color, key;
	uint64_t bytes, rbytes;
	double amount;
	/* the request that it creates, from 1 at each rank; or 0 */
	uint64_t request;
	size_t n_waits;
	const uint64_t *waits;  /* valid as long as the action */
	size_t n_group;
	const int32_t *group;
};

/* How a trace is converted to actions. */
struct tape_actions_how {
	/*
	 * Operations per second on the machine of the trace. Converts the time
	 * of computations to operations where no counter counts operations. 0:
	 * 1e9, so that an operation is a nanosecond.
	 */
	double rate;
	/*
	 * What computations are measured by: "time" or a counter's name. NULL:
	 * a counter of operations if the trace has one, else processor time if
	 * the trace has it, else the time between the calls less the tracer's
	 * time.
	 */
	const char *measure;
	int no_packing; /* no PACK actions */
};

struct tape_actions;

/*
 * Opens the actions of an open trace. The trace must stay open. Returns 0 or a
 * negative TAPE_E code. On error *s holds the error message
 * (tape_actions_error) and must be closed, too.
 */
int tape_actions_open_trace(struct tape_trace *t,
			    const struct tape_actions_how *how,
			    struct tape_actions **s);

/*
 * Opens the actions in text files, plain or gzip. path is a folder that t2ti
 * wrote, or a file that lists one file per rank, one a line, as for SimGrid.
 * Errors as above.
 */
int tape_actions_open_files(const char *path, struct tape_actions **s);

/* NULL is accepted. */
void tape_actions_close(struct tape_actions *s);

size_t tape_actions_ranks(const struct tape_actions *s);

/*
 * World ranks of a communicator's members, by rank in it. Returns NULL if the
 * members are not known.
 */
const int *tape_actions_members(const struct tape_actions *s, uint32_t comm,
				int *size);

/*
 * Reads the next action of a rank. Returns 1 with *a set, 0 at the end, or a
 * negative TAPE_E code. *a is valid until the next call for that rank.
 */
int tape_actions_next(struct tape_actions *s, int rank,
		      const struct tape_action **a);

/*
 * What computations were measured by: "time", or the name of a counter; "" for
 * files.
 */
const char *tape_actions_measure(const struct tape_actions *s);

/*
 * Messages and completions of requests so far that are no actions: the other
 * side, or the beginning, is not in the trace.
 */
uint64_t tape_actions_left_out(const struct tape_actions *s);

/*
 * The flow of the trace from which the actions of a rank are: that of its
 * thread that communicates. SIZE_MAX: the actions are not from a trace.
 */
size_t tape_actions_flow(const struct tape_actions *s, int rank);

/*
 * The error message. It names the rank, call and call site that cannot be an
 * action, or the file, line and word that is wrong.
 */
const char *tape_actions_error(const struct tape_actions *s);

#endif
