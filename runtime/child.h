/*
 * Copies of the process. A forked child is not part of the trace; but where its
 * parent is gone it is what the user knows as the program (daemon(3)), and goes
 * on with the flow of the thread that forked.
 */
#ifndef TAPE_CHILD_H
#define TAPE_CHILD_H

/* In the parent, ahead of fork; in the child of a traced process, after it. */
void tape_child_before_fork(void);
void tape_child_after_fork(void);

/* A child makes a call. The parent may be gone: then it is recorded. */
void tape_child_call(void);

#endif
