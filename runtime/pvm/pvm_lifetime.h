/*
 * Start and end of the tracing of a PVM task. It starts with the first call
 * that enrols the process, and ends with pvm_exit or the process. A process
 * that enrols again is another task, in PVM and in the trace. Wrappers call
 * these functions, which pvm_start_stop.c contains.
 */
#ifndef TAPE_PVM_LIFETIME_H
#define TAPE_PVM_LIFETIME_H

#include "core.h"
#include "pvm.h"

/*
 * Called by a wrapper that finds no flow. source is the call site that tapepp
 * made; if it is NULL, address is the return address. Before the tracing starts
 * the result is an empty flow, for one call at a time: the wrapper makes the
 * real call, then calls tape_pvm_first. NULL: the call is not recorded.
 */
struct tape_flow *tape_pvm_first_flow(struct tape_site *source,
				      const void *address);

/*
 * Prepares the run before the first call if that spawns tasks, which need the
 * run. If the call does not enrol the process, tape_pvm_first undoes it.
 */
void tape_pvm_prepare(void);

/*
 * Called after the first call, which ran from start to end. If the process is
 * enrolled, starts the tracing and returns the flow, with the call's site. The
 * thread records nothing until the wrapper ends. NULL: the process is not
 * enrolled or not traced. The time for this is added to the flow's extra_after.
 * If the settings select another clock than the one read so far, both
 * timestamps become its first reading.
 */
struct tape_flow *tape_pvm_first(uint64_t *start, uint64_t *end, uint32_t call,
				 uint32_t *site);

/*
 * Called by the wrapper of a call that chance decides, if the call is the first
 * one. If the settings want the order of the run, enrols the process and starts
 * the tracing, so that the call is part of that order. Returns 1 then: *f is
 * the flow, or NULL if the process is not traced; *site is the call's, 0 if it
 * is not recorded.
 */
int tape_pvm_enrol_in_order(struct tape_flow **f, uint32_t call,
			    uint32_t *site);

/* Calls pvm_exit, records it if f is not NULL, and ends the trace. */
int tape_pvm_leave(struct tape_flow *f, uint32_t site);

/*
 * Calls pvm_spawn so that the started tasks are traced like this one.
 */
int tape_pvm_do_spawn(char *task, char **argv, int flag, char *where, int n,
		      int *tids);

#endif
