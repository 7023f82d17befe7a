/*
 * What messages and collectives are told apart by. A context is a communicator
 * of all tasks that use it. So is a group, of its members, told from one of
 * that name by their number; and apart from it those of them who meet at a
 * barrier, told from others by their count. The receivers of a multicast are a
 * list, defined once.
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

/* This task's number in that group, and how many there are in it. */
struct tape_pvm_group {
	uint32_t index; /* 0: not known */
	int rank, size;
};
struct tape_pvm_group tape_pvm_group(const char *name);

/* Another task begins: it defines what it meets itself. */
void tape_pvm_forget(void);

/*
 * Somebody has joined or left it: its size is asked for when it is next wanted.
 * A task hears of itself only, and of others by a barrier of another count.
 */
void tape_pvm_group_changed(const char *name);

/* The number of the count tasks that meet at a barrier of that group. */
uint32_t tape_pvm_barrier_of(const char *name, int count);

/* The number of that list of n tasks; 0: it could not be defined. */
uint32_t tape_pvm_task_list(const int *tids, int n);

/*
 * pvm_bcast tells its receivers nobody but the pvm_mcast that it calls. From
 * listen on, that one's list is kept; heard gives its number.
 */
void tape_pvm_listen(void);
void tape_pvm_overhear(const int *tids, int n);
uint32_t tape_pvm_heard(void);

#endif
