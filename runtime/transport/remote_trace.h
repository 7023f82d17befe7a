/*
 * Sink for a process whose host cannot access the trace directory of a followed
 * run (stream = node). The trace is sent over TCP to the host of the analyser
 * (catalogue/gather_protocol.h). Inside of an event data are sent only when a
 * chunk is full or has been open for some time. Data that the connection does
 * not accept are queued in memory. If the queue is too long the thread waits
 * (tape_back_reserve).
 */
#ifndef TAPE_REMOTE_TRACE_H
#define TAPE_REMOTE_TRACE_H

#include <stddef.h>

/* Returns 1 if there is a host to send to and dir does not exist here. */
int tape_remote_is_needed(const char *dir);

/*
 * Begins a trace of that program on the other host, as rank 0. Stores the trace
 * directory in dir (n bytes). Returns 0, or -1 with a message in error.
 */
int tape_remote_begin(const char *program, char *dir, size_t n, char *error,
		      size_t en);

/* Joins the trace in dir as that rank. Returns 0, or -1 with a message. */
int tape_remote_join(const char *dir, int rank, char *error, size_t en);

/* Joins the trace in dir as a task. Returns its rank, or -1 with a message. */
int tape_remote_join_task(const char *dir, char *error, size_t en);

/* Returns 1 while this process sends its trace. */
int tape_remote_is_open(void);

/*
 * Returns the definition lines that this process has sent since the last call:
 * call sites, modules and regions. NULL if there are none. Only tasks store
 * them (tape_process.brief). The caller frees the text.
 */
char *tape_remote_take_lines(void);

/* Discards the queued data. This process sends nothing afterwards. */
void tape_remote_discard(void);

/* Called in a forked child: the connection belongs to the parent. */
void tape_remote_close_in_child(void);

#endif
