/*
 * The trace of a process whose host does not see the trace directory, of a run
 * that is followed on another host (stream = node): it goes there by TCP, as a
 * sink (catalogue/gather_protocol.h). Nothing is sent inside of an event but
 * where a chunk is full, or has been open for a while. What cannot be sent at
 * once waits in memory; the thread waits where that is too much
 * (tape_back_reserve).
 */
#ifndef TAPE_REMOTE_TRACE_H
#define TAPE_REMOTE_TRACE_H

#include <stddef.h>

/* Is there a host to send to, and is this directory not seen here? */
int tape_remote_is_needed(const char *dir);

/*
 * Begins a trace of that program there; its directory goes to dir (n bytes).
 * This process is its rank 0. Returns 0, or -1 with a sentence in error.
 */
int tape_remote_begin(const char *program, char *dir, size_t n, char *error,
		      size_t en);

/* Goes on with that rank of the trace in dir; the same. */
int tape_remote_join(const char *dir, int rank, char *error, size_t en);

/* A task of the trace in dir: returns its rank, or -1 with the sentence. */
int tape_remote_join_task(const char *dir, char *error, size_t en);

/* Does this process send, and has it not ended that? */
int tape_remote_is_open(void);

/*
 * What this process told of call sites, modules and regions, as lines; NULL:
 * nothing, or not by this way. Only of tasks (tape_process.brief). The caller
 * frees it; it is begun anew.
 */
char *tape_remote_take_lines(void);

/* What this process was about to send is forgotten, and it sends no more. */
void tape_remote_discard(void);

/* In a forked child: the connection is the parent's. */
void tape_remote_close_in_child(void);

#endif
