/*
 * The trace goes to an analyser of the same MPI job (stream = mpi): each
 * process has a stream to one of its ranks.
 */
#ifndef TAPE_STREAM_SINK_H
#define TAPE_STREAM_SINK_H

#include "core.h"

/* Why the trace cannot go there, as a sentence; NULL: it can. Local. */
const char *tape_stream_sink_refused(void);

/*
 * Opens the stream, which the analyser does, too, and makes it the sink of the
 * trace; files: there are files as well. Non-zero: it cannot be opened, one
 * line has said why.
 */
int tape_stream_sink_open(int files);

/* MPI_Finalize has begun in this thread: what is left may take its time. */
void tape_stream_sink_finish(void);

/*
 * Ends it, once all flows are closed: waits until the analyser has taken all.
 * No sink is left.
 */
void tape_stream_sink_close(void);

#endif
