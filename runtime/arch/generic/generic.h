/* Any other machine: the clock of the system, no assembler; see arch.h. */
#ifndef TAPE_GENERIC_H
#define TAPE_GENERIC_H

#include <stdint.h>

#define TAPE_HAS_COUNTER 0
#define TAPE_COUNTER_CLOCK ""
#define TAPE_HAS_CALL_ON 0
#define TAPE_GLIBC_BASE "GLIBC_2.17"

/* Never called. */
static inline uint64_t tape_read_counter(void)
{
	return 0;
}

static inline void tape_begin_fenced(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline void tape_end_fenced(void)
{
}

#endif
