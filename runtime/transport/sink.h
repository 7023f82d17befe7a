/*
 * Sends the bytes of the trace to a stream (stream = mpi) in addition to files,
 * or instead of files. Sealed chunks are sent at once, the records of an open
 * chunk after some time, and text when it is written.
 *
 * Without files a flow's window is memory that is reused.
 */
#ifndef TAPE_SINK_H
#define TAPE_SINK_H

#include "core.h"
#include "stream_piece.h"

struct tape_sink {
	/* Sends the bytes. May wait for space. Called by any thread. */
	void (*put)(const struct tape_frame *head, const void *bytes);
	/* Sends the stored bytes if the last sending was long ago. */
	void (*hurry)(void);
	/* Returns 1 if there is no space now. NULL: put waits. */
	int (*is_full)(void);
	/* Called when the flows are closed, for that reason: sends all. */
	void (*stop)(enum tape_end reason);
	int files;  /* there are files, too */
	int in_job; /* by the MPI library, and so before that ends */
};

/* Returns 1 if the trace is in files. */
static inline int tape_sink_has_files(void)
{
	return !tape_process.sink || tape_process.sink->files;
}

/* Bytes that were written to a text file of the trace. */
void tape_sink_text(enum tape_frame_kind kind, uint64_t at, const void *text,
		    uint64_t bytes);

/*
 * For the text file name: opens it in the trace directory, or in memory where
 * the trace has no files. -1: errno is set.
 */
int tape_sink_open(const char *name, int flags);

/* Sends all of the file of that descriptor from that offset on. */
void tape_sink_file(enum tape_frame_kind kind, int fd, uint64_t from,
		    uint64_t at);

/* The chunk was sealed; last: its flow ends with it. */
void tape_sink_chunk(struct tape_flow *f, int last);

/*
 * In make_room: passes on new data, if the last time was a while ago, and
 * makes sure that the flow returns in time (f->limit). What it costs goes
 * with make_room's time.
 */
void tape_sink_pace(struct tape_flow *f);

/*
 * Definitions are passed on at once, and the first event with the second
 * one: so a task is known of that is killed before it has recorded much.
 */
void tape_sink_begin(struct tape_flow *f);

#endif
