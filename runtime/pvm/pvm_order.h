/*
 * Record and replay of what PVM leaves to chance: the messages of receives from
 * any task; the results of pvm_nrecv, pvm_probe and a pvm_trecv with a time;
 * the instance that pvm_joingroup gives; whether pvm_recvinfo finds a mailbox.
 * The library's own receives from any task, in collectives of groups, are among
 * them. While the program has set a matching function (pvm_recvf), all receives
 * are.
 *
 * A decision has the tid of the sender. A replay translates it by the names of
 * tasks (task_names.h). A message of a task without a name, or of a daemon, is
 * any such message with the tag.
 *
 * A replay replaces PVM's matching function (pvm_recvf) during a call. Ours
 * accepts the recorded message, if the replaced function accepts that message;
 * where the record says that the call fails, ours accepts no message. The call
 * itself, its buffers and its errors remain the library's.
 *
 * Only the thread that enrolled is recorded and replayed. The calls of message
 * handlers are left as they are.
 */
#ifndef TAPE_PVM_ORDER_H
#define TAPE_PVM_ORDER_H

#include "order_match.h"
#include "pvm_arrival_probe.h"

/*
 * Returns 1 if chance decides the result of a receive from tid that waits, up
 * to limit (NULL: without end). A time that PVM rejects is an error. The
 * library waits for the group server with a time.
 */
static inline int tape_pvm_is_by_chance(int tid, const struct timeval *limit)
{
	if (!limit)
		return tid == -1 || tape_pvm_matching;
	return limit->tv_sec >= 0 && limit->tv_usec >= 0 &&
	       (tid <= 0 || tid != gstid);
}

/*
 * pvm_recv or pvm_trecv (call) in order. f: the flow that records it, or NULL.
 * *arrived: as in the event. Returns what the call returns.
 */
int tape_pvm_receive_in_order(const struct tape_flow *f, unsigned call, int tid,
			      int tag, struct timeval *limit,
			      uint32_t *arrived);

/* pvm_nrecv or pvm_probe in order. Returns what the call returns. */
int tape_pvm_poll_in_order(unsigned call, int tid, int tag);

/* pvm_joingroup in order. Returns what the call returns. */
int tape_pvm_join_in_order(char *name);

/*
 * Returns 1 if chance decides whether a pvm_recvinfo finds that mailbox: the
 * call does not wait for it, and the library has no need of it.
 */
int tape_pvm_is_polled_mailbox(const char *name, int flags);

/* pvm_recvinfo in order. Returns what the call returns. */
int tape_pvm_recvinfo_in_order(char *name, int index, int flags);

/* Returns 1 if the settings want the order of this run. */
int tape_pvm_wants_order(void);

/*
 * Begins what the settings say, for the task that has just enrolled and has
 * that name, or NULL. Lines on standard error say what cannot be done.
 */
void tape_pvm_start_order(const char *name);

/* The task leaves: closes its file, says if decisions are left. */
void tape_pvm_stop_order(void);

#endif
