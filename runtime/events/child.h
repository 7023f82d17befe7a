/*
 * Forked children. A child is not traced while its parent exists. If the parent
 * has exited (daemon(3)), the child is the program from the user's point of
 * view: it continues the flow of the thread that called fork.
 */
#ifndef TAPE_CHILD_H
#define TAPE_CHILD_H

/* Called in the parent before fork, and in the child after fork. */
void tape_child_before_fork(void);
void tape_child_after_fork(void);

/* Called at each call of a child. Records the call if the parent has exited. */
void tape_child_call(void);

#endif
