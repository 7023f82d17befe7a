/* Which of the things that a user may name as input it is. */
#ifndef TAPE_IS_TRACE_H
#define TAPE_IS_TRACE_H

/*
 * Whether path is to be opened as a trace: a folder with a file meta, or
 * nothing that is there (the sentence is then that of a trace). Other folders
 * and files are of actions.
 */
int tape_is_trace(const char *path);

#endif
