/*
 * The flows of threads: each thread gets one with its first call that is
 * recorded, and leaves it to another thread when it ends.
 */
#ifndef TAPE_FLOWS_H
#define TAPE_FLOWS_H

#include "core.h"

/*
 * Gives a flow to a thread that has none, or counts a lost call: that of a
 * thread that has ended, else a new one. There are so never more flows than
 * there were threads at once; flow 0 is only ever that of the thread that
 * called MPI_Init. frame is the caller's: a call that was left by longjmp or
 * an exception is over (nonlocal_exit.h), and recording goes on.
 */
struct tape_flow *tape_flow_acquire(const void *frame);

/*
 * Returns 1 in a forked copy of the traced process. It does not record and does
 * not change the files.
 */
int tape_is_child(void);

/* As tape_is_child, but fast while the flow is alive. */
static inline int tape_flow_is_forked_copy(const struct tape_flow *f)
{
	return TAPE_UNLIKELY(!f->alive) && tape_is_child();
}

/* The flow to record into, or NULL. */
static inline TAPE_ALWAYS struct tape_flow *tape_flow_now(void)
{
	struct tape_flow *f = tape_current;

	return TAPE_LIKELY(f != NULL)
		   ? f
		   : tape_flow_acquire(__builtin_frame_address(0));
}

/* Recording is on unless it was switched off or a region keeps it silent. */
void tape_flow_switch(struct tape_flow *f);


/*
 * For the start and the stop of the run (process.c), with the lock where flows
 * are closed. A new flow, numbered, with its file; NULL: error has a sentence.
 */
struct tape_flow *tape_flow_open(char *error, size_t n);
void tape_flow_free(struct tape_flow *f);

/*
 * The calling thread records into f from now on; NULL: into no flow. The
 * tracer has worked since tick t0, which counts before the first marker.
 */
void tape_flow_attach(struct tape_flow *f, uint64_t t0);

/*
 * Ends the flow, prints which events are missing, and closes the file. ours: no
 * other thread can be in the flow.
 */
void tape_flow_close(struct tape_flow *f, enum tape_end reason, int ours);

/* Registers, once, the handlers of the end of a thread and of fork. */
void tape_flows_hook(void);

/* Threads that begin from now on are switched off (1) or record (0). */
void tape_flows_switch_off(int off);

#endif
