/*
 * The communicators of PVM's messages and collectives. A context is a
 * communicator of all tasks that use it. The tasks that make a collective call
 * of a group with the same root are a communicator. So are the tasks at the
 * barriers of a group with the same count. The receivers of a multicast are a
 * list, defined once.
 *
 * The members of a group change, and the group server keeps no history: a
 * member may make its part of a call after others have made theirs and left.
 * All members know the group's name and the root task, which cannot leave
 * before all members have called. The tools find out which calls belong to one
 * collective (lib/replay/pvm_groups.h).
 *
 * Each communicator is defined at its first use. PVM is used by one thread at a
 * time.
 */
#ifndef TAPE_PVM_COMM_H
#define TAPE_PVM_COMM_H

#include "core.h"
#include "pvm.h"

struct tape_pvm_last {
	int context;
	uint32_t index; /* 0: not met yet */
};
extern struct tape_pvm_last tape_pvm_last
	__attribute__((visibility("hidden")));

/* Finds or defines the context and returns its number; 0: an error. */
TAPE_COLD uint32_t tape_pvm_context_find(int context);

/* Returns the number of the task's current context. */
static inline uint32_t tape_pvm_context(void)
{
	if (TAPE_LIKELY(tape_pvm_last.context == pvmmyctx &&
			tape_pvm_last.index))
		return tape_pvm_last.index;
	return tape_pvm_context_find(pvmmyctx);
}

/*
 * Returns the index, in the trace, of the communicator that stands for the
 * tasks that make this collective call of the group with this root task.
 */
uint32_t tape_pvm_group(unsigned call, const char *name, int root);

/* Forgets all numbers when the process becomes another task. */
void tape_pvm_forget(void);

/* Returns the number of the count tasks at a barrier of that group. */
uint32_t tape_pvm_barrier_of(const char *name, int count);

/* Returns the number of a list of n tasks; 0: an error. */
uint32_t tape_pvm_task_list(const int *tids, int n);

/* Returns the number of n tasks that a pvm_spawn started. */
uint32_t tape_pvm_spawned(const int *tids, int n);

/*
 * pvm_bcast does not report its receivers; only the pvm_mcast that it calls
 * internally has the list. tape_pvm_bcast_begin starts recording that list,
 * tape_pvm_bcast_list stores it, and tape_pvm_bcast_group returns its group
 * number, or 0. tape_pvm_bcast_end ends the recording.
 */
void tape_pvm_bcast_begin(void);
void tape_pvm_bcast_list(const int *tids, int n);
uint32_t tape_pvm_bcast_group(void);
void tape_pvm_bcast_end(void);

#endif
