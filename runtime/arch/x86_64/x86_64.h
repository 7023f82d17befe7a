/* x86-64: the time stamp counter; see arch.h. */
#ifndef TAPE_X86_64_H
#define TAPE_X86_64_H

#include <stdint.h>

#define TAPE_MACHINE_X86_64 1
#define TAPE_HAS_COUNTER 1
#define TAPE_COUNTER_CLOCK "tsc"
#define TAPE_HAS_CALL_ON 1
#define TAPE_GLIBC_BASE "GLIBC_2.2.5"

static inline uint64_t tape_read_counter(void)
{
	/* the header with __rdtsc is ten times as long as all others */
	return __builtin_ia32_rdtsc();
}

static inline void tape_begin_fenced(void)
{
	__builtin_ia32_lfence();
}

static inline void tape_end_fenced(void)
{
	__builtin_ia32_lfence();
}

#endif
