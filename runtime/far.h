/*
 * The trace of a process whose host does not see the trace directory, of a run
 * that is followed on another host (stream = node): it goes there by TCP, as a
 * sink (catalogue/gathering.h). Nothing is sent inside of an event but where
 * a chunk is full, or has been open for a while. What cannot be sent at once
 * waits in memory; the thread waits where that is too much (tape_back_ask).
 */
#ifndef TAPE_FAR_H
#define TAPE_FAR_H

#include <stddef.h>

/* Is there a host to send to, and is this directory not seen here? */
int tape_far_is_needed(const char *dir);

/*
 * Begins a trace of that program there; its directory goes to dir (n bytes).
 * This process is its rank 0. Returns 0, or -1 with a sentence in error.
 */
int tape_far_begin(const char *program, char *dir, size_t n, char *error,
		   size_t en);

/* Goes on with that rank of the trace in dir; the same. */
int tape_far_join(const char *dir, int rank, char *error, size_t en);

/* A task of the trace in dir: returns its rank, or -1 with the sentence. */
int tape_far_task(const char *dir, char *error, size_t en);

/* Does this process send, and has it not ended that? */
int tape_far_is_open(void);

/*
 * What this process told of call sites, modules and regions, as lines; NULL:
 * nothing, or not by this way. Only of tasks (tape_process.brief). The caller
 * frees it; it is begun anew.
 */
char *tape_far_lines(void);

/* What this process was about to send is forgotten, and it sends no more. */
void tape_far_forget(void);

/* In a forked child: the connection is the parent's. */
void tape_far_child(void);

#endif
