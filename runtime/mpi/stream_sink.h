/*
 * The trace goes to an analyser of the same MPI job (stream = mpi): each
 * process has a stream to one of its ranks.
 */
#ifndef TAPE_STREAM_SINK_H
#define TAPE_STREAM_SINK_H

#include "core.h"

/* Returns why the trace cannot be streamed; NULL: it can. Local. */
const char *tape_stream_sink_refused(void);

/*
 * Opens the stream, together with the analyser, and makes it the sink of the
 * trace. files: the trace is also written to files. Non-zero: the stream cannot
 * be opened; one line has reported why.
 */
int tape_stream_sink_open(int files);

/* MPI_Finalize has begun in this thread: sends the remaining data. */
void tape_stream_sink_finish(void);

/*
 * Closes the stream after all flows are closed: waits until the analyser has
 * received all data. The trace then has no sink.
 */
void tape_stream_sink_close(void);

#endif
