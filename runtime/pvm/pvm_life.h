/*
 * Start and end of the tracing of a PVM task. It starts with the first call
 * that enrols the process, and ends with pvm_exit or the process. Who enrols
 * once more is another task to PVM, and so it is here.
 */
#ifndef TAPE_PVM_LIFE_H
#define TAPE_PVM_LIFE_H

#include "core.h"
#include "pvm.h"

/*
 * A call finds no flow to be recorded in; it was made at the site that tapepp
 * found, or at that return address where source is NULL. Before the tracing
 * starts the result is a flow that holds nothing, for one call at a time: its
 * wrapper runs as far as the real call, then asks tape_pvm_first. NULL: not
 * recorded.
 */
struct tape_flow *tape_pvm_idle(struct tape_site *source,
				const void *address);

/*
 * The first call will spawn tasks: the run has to be there before they are.
 * Should the call then fail to enrol, tape_pvm_first takes it back.
 */
void tape_pvm_ahead(void);

/*
 * That call was made, from start to end. If the process is enrolled by now this
 * starts the tracing: the flow, with the call's site; the thread records
 * nothing until the wrapper ends. NULL: it is not enrolled, or not traced. The
 * time that this takes is in the flow's extra_after. Where the settings want
 * another clock than the one that was read, both dates become its first.
 */
struct tape_flow *tape_pvm_first(uint64_t *start, uint64_t *end, uint32_t call,
				 uint32_t *site);

/* Does pvm_exit, recorded if f is not NULL, and ends the trace. */
int tape_pvm_leave(struct tape_flow *f, uint32_t site);

/*
 * Does pvm_spawn, so that the tasks that it starts are traced as this one is.
 */
int tape_pvm_do_spawn(char *task, char **argv, int flag, char *where, int n,
		   int *tids);

#endif
