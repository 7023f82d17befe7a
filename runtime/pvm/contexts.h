/*
 * What messages and collectives are told apart by. A context is a communicator
 * of all tasks that use it. So are those who make a collective call of a group
 * with the same root, and those who meet at its barriers, told from others by
 * their count. The receivers of a multicast are a list, defined once.
 *
 * Who is in a group changes, and the group server has forgotten by the time
 * that somebody asks: a member may make its part of a call when others have
 * made theirs and left. What all of them know alike is the group's name and the
 * task that is the root, which cannot leave before they have come. Which calls
 * of each belong together the tools find out (tools/replay/pvm_groups.h).
 *
 * Each is defined where it is first met. PVM is used by one thread at a time.
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

/* The context's number, found or defined; 0: it could not be. */
TAPE_COLD uint32_t tape_pvm_context_find(int context);

/* The number of the context that the task is in. */
static inline uint32_t tape_pvm_context(void)
{
	if (TAPE_LIKELY(tape_pvm_last.context == pvmmyctx &&
			tape_pvm_last.index))
		return tape_pvm_last.index;
	return tape_pvm_context_find(pvmmyctx);
}

/*
 * The number of those who make that collective call of the group with that
 * task as the root.
 */
uint32_t tape_pvm_group(unsigned call, const char *name, int root);

/* Another task begins: it defines what it meets itself. */
void tape_pvm_forget(void);

/* The number of the count tasks that meet at a barrier of that group. */
uint32_t tape_pvm_barrier_of(const char *name, int count);

/* The number of that list of n tasks; 0: it could not be defined. */
uint32_t tape_pvm_task_list(const int *tids, int n);

/* The same of tasks that a pvm_spawn has started. */
uint32_t tape_pvm_spawned(const int *tids, int n);

/*
 * pvm_bcast tells its receivers nobody but the pvm_mcast that it calls. From
 * listen to deafen that one's list is kept; heard gives its number, or 0.
 */
void tape_pvm_listen(void);
void tape_pvm_overhear(const int *tids, int n);
uint32_t tape_pvm_heard(void);
void tape_pvm_deafen(void);

#endif
