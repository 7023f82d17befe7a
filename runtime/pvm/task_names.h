/*
 * Names of tasks that are the same in each run, as tids and ranks are not. The
 * first task is 0. Task number I, from 0, of the S-th pvm_spawn of task T, from
 * 1, is T/S.I. A process that was the task T and enrols again is T+1, then T+2.
 * A task whose order is recorded or replayed writes its name into its rank.R,
 * behind its tid.
 */
#ifndef TAPE_PVM_TASK_NAMES_H
#define TAPE_PVM_TASK_NAMES_H

#include <stddef.h>

/* Room for a name, with its NUL. */
#define TAPE_PVM_TASK_NAME 512

struct tape_pvm_named {
	int tid, rank;
	char *name;
};

/* The named tasks of a trace, which may still grow. All zeros: none yet. */
struct tape_pvm_names {
	struct tape_pvm_named *task;
	size_t n, room;
	int unread; /* ranks below it are read */
};

/*
 * Reads the names that tasks of the trace have written since the last time. A
 * file that is not complete is read again. Without memory tasks are left out.
 */
void tape_pvm_read_names(struct tape_pvm_names *all, const char *dir);

/* Return the task of that tid or name, or NULL; it is the table's. */
const struct tape_pvm_named *tape_pvm_find_tid(const struct tape_pvm_names *all,
					       int tid);
const struct tape_pvm_named *
tape_pvm_find_name(const struct tape_pvm_names *all, const char *name);

/*
 * Names this task, which has just enrolled. Returns the name, or NULL if a task
 * without a name has spawned it, or the name is too long.
 */
const char *tape_pvm_name_task(void);

/*
 * Around a pvm_spawn of the program: the environment tells the tasks that it
 * starts whose they are.
 */
void tape_pvm_begin_spawn(void);
void tape_pvm_end_spawn(void);

#endif
