/*
 * What the recorder needs of the machine. This folder is the only part of the
 * recorder that asks which machine it is compiled for. Each machine's header
 * defines:
 *
 * TAPE_HAS_COUNTER	1: tape_read_counter() reads a counter of the processor
 *			that the kernel, too, may take as its clock
 * TAPE_COUNTER_CLOCK	the kernel's name of that clock source
 * TAPE_HAS_CALL_ON	1: tape_call_on() is there (call_on_stack.c)
 * TAPE_GLIBC_BASE	the first version of the C library on this machine
 *
 * tape_begin_fenced() and tape_end_fenced() stand around a reading of the clock
 * that no other instruction is to pass. The entries of dlsym, longjmp and the
 * functions that throw are in assembler, too (dlsym_entry.c,
 * longjmp_entries.c): on a machine without them the program's calls of these
 * functions go to the C library.
 *
 * With TAPE_MACHINE_GENERIC every machine is compiled like an unknown one.
 */
#ifndef TAPE_ARCH_H
#define TAPE_ARCH_H

#if defined(__x86_64__) && !defined(TAPE_MACHINE_GENERIC)
#include "x86_64/x86_64.h"
#else
#include "generic/generic.h"
#endif

/*
 * Calls function(argument) with top, a multiple of 16, as stack pointer. The
 * unwinder can pass from that stack to the caller's.
 */
void tape_call_on(void *top, void (*function)(void *), void *argument)
    __attribute__((visibility("hidden")));

#endif
