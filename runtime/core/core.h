/*
 * The variables that all parts of the runtime use: the state of the traced
 * process (process_state.h), and of the flow of each thread (flow_state.h).
 *
 * A thread's flow is reached through one thread-local pointer, tape_current:
 * it is NULL whenever calls are not to be recorded (before start, after stop,
 * while switched off, inside a traced call), so that a wrapper tests one thing
 * only. The flow's members in the first part are touched by every event.
 */
#ifndef TAPE_CORE_H
#define TAPE_CORE_H

#include <stdint.h>

#include "compiler.h"
#include "fortran_site.h"
#include "process_state.h"
#include "site.h"
#include "ticks.h"

extern struct tape_process tape_process
	__attribute__((visibility("hidden")));
extern __thread struct tape_flow *tape_current
	__attribute__((visibility("hidden"), tls_model("initial-exec")));
/* This thread's flow, whether recording or not. */
extern __thread struct tape_flow *tape_own
	__attribute__((visibility("hidden"), tls_model("initial-exec")));
/* The flow that is getting a window, if this thread gives it one. */
extern __thread struct tape_flow *tape_mapping
	__attribute__((visibility("hidden"), tls_model("initial-exec")));

/*
 * No record of an event may begin beyond: what belongs to one event fits into
 * the open chunk, its alpha and its counts too. The call in progress
 * and the tallies stand at its end, and the end of the flow takes a record for
 * each tally.
 */
static inline unsigned char *tape_chunk_limit(const struct tape_flow *f)
{
	uint32_t records = 2;

	if (tape_process.config.n_counters)
		records += TAPE_COUNTS_RECORDS;
	return f->chunk + TAPE_CHUNK_CALL - records * TAPE_RECORD_MAX -
	       2 * TAPE_TALLY_BYTES * f->tallies;
}

/* The call of each site that was defined. */
extern uint16_t tape_site_calls[TAPE_SITES_MAX]
	__attribute__((visibility("hidden")));
static inline unsigned tape_site_call(uint64_t site)
{
	return tape_site_calls[site];
}

/*
 * Bytes of a page of memory of this machine, a power of two. The system says
 * so once, when the recording starts or before.
 */
size_t tape_page_bytes(void);

/* Returns 1 in a copy of the traced process, which stores nothing. */
int tape_is_copy(void);

#endif
