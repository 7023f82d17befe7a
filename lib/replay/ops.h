/*
 * What an event does with messages: turns each event of a rank into a few
 * operations (a message is sent, a receive is posted, a receive ends, ...),
 * following requests, persistent requests, matched probes and wildcards, so
 * that tools need not know the forms of MPI.
 *
 *	n = tape_ops_of(ops, event, list);
 *	for (i = 0; i < n; i++)
 *		switch (list[i].kind) ...
 *
 * Events of a rank are given in order, those of its threads in an order that
 * respects creation before completion. Memory is bounded by the requests
 * outstanding.
 *
 * MPI gives a message to the receive that was posted first among those that
 * may take it. A receive whose source or tag was a wildcard is posted when
 * these are known; an explicit one that it may have kept a message from is
 * posted after it, whichever ended first. Tools that cannot wait for that
 * (tico has to date the end of a receive when it comes) get the receive
 * posted where it ends at the latest; tape_ops_in_order asks for the order in
 * full, the end of a receive then being reported after it.
 */
#ifndef TAPE_OPS_H
#define TAPE_OPS_H

#include "operations.h"
#include "pvm_groups.h"
#include "tape_reader.h"

struct tape_ops;

/*
 * The operations of one flow of a rank. other: those of another flow of the
 * same rank, whose requests it shares, or NULL for the first. own: bytes of a
 * tape_request for the tool, a multiple of 8; that of the others. NULL: out of
 * memory. The caller frees each.
 */
struct tape_ops *tape_ops_new(const struct tape_trace *t, int rank,
			      const struct tape_ops *other, size_t own);
void tape_ops_free(struct tape_ops *o);

/*
 * For the flow's rank: who meets in the collective calls of PVM's groups is as
 * m says (pvm_groups.h), which must stay; NULL: the same tasks each time.
 */
void tape_ops_set_pvm_groups(struct tape_ops *o,
			     const struct tape_pvm_groups *m);

/* The flow's next event does nothing. */
void tape_ops_pass(struct tape_ops *o);

/* For the flow's rank: receives are posted in MPI's order, however late. */
void tape_ops_in_order(struct tape_ops *o);

/*
 * The operations of e, in *list (owned by o, until the next call). Returns
 * their number, or TAPE_ENOMEM. Messages to or from MPI_PROC_NULL make none,
 * nor do calls that failed.
 */
int tape_ops_of(struct tape_ops *o, const struct tape_event *e,
		struct tape_op **list);

/*
 * The same, added to the end of l. The operations of one event may be in one
 * list and those of the next in another. What the tool keeps in tape_request
 * is not touched in between: from its beginning to its end something is the
 * same struct.
 */
int tape_ops_append(struct tape_ops *o, const struct tape_event *e,
		    struct tape_ops_list *l);

/* What o's next events do is in that region of its rank; 0: in none. */
void tape_ops_region(struct tape_ops *o, uint32_t region);

/*
 * Sends, ends of receives and collectives that made no operations because of
 * others, of the same communicator and tag, that were only counted
 * (channels.h).
 */
uint64_t tape_ops_left_out(const struct tape_ops *o);

/*
 * After the last event of all flows of the rank: what becomes of the receives
 * that were never posted, as tape_ops_of.
 */
int tape_ops_end(struct tape_ops *o, struct tape_op **list);

/* Receives that the latest event ended and that are posted only later. */
uint32_t tape_ops_behind(const struct tape_ops *o);

/* Completions whose request was never seen being created. */
uint64_t tape_ops_unknown(const struct tape_ops *o);

/*
 * Calls f with each request of the rank that exists: it was created, and
 * neither completed nor freed. active is 0 if it is persistent and not started.
 */
void tape_ops_open_requests(const struct tape_ops *o,
			    void (*f)(void *own, const struct tape_request *r),
			    void *own);

#endif
