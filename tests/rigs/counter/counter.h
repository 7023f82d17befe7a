/*
 * Counts the calls of a program to MPI, or PVM, independently of Tape: no table
 * of Tape's is read, the entry points are those that the installed libraries
 * export. The library counter.so is preloaded ahead of libtape-mpi.so, so that
 * each call of one and the same run passes
 *
 *	program -> counter.so -> libtape-mpi.so -> MPI library
 *
 * and what the counter has and the trace has not, Tape has lost. For PVM there
 * is counter-pvm.so ahead of libtape-pvm.so; that one also adds up the bytes of
 * messages that the task sends, takes and finds.
 *
 * symbols	lists the entry points, from nm -D
 * trampolines	writes an entry for each of them, in assembly
 * counter.c	what an entry does: count, and find who is next
 * bytes.c	PVM: what entries of messages do beside
 * count	runs a program with the counter ahead of what is preloaded
 * counted.c	compares the counts with a trace
 *
 * Counts lie in one file for each process, mapped from its start: they survive
 * whatever ends the process. The file is this structure, in the byte order of
 * the machine, and the names of the entry points follow it, each with its NUL.
 */
#ifndef TAPE_COUNTER_H
#define TAPE_COUNTER_H

#include <stdint.h>

#define COUNTER_MAGIC 0x32544e434550f150u
#define COUNTER_MAX 8192 /* entry points */

/*
 * A call belongs to the run from MPI_Init on, which is part of it as
 * MPI_Finalize is, or it was made outside of it; with PVM, from the call that
 * makes the process a task up to pvm_exit. Calls that a function makes which
 * the library called back, inside of another call, are counted apart where
 * COUNTER_NESTED is in the environment, for that takes microseconds: to Tape
 * they are part of the call that they are made in.
 */
enum counter_when { COUNTER_OUTSIDE, COUNTER_WITHIN, COUNTER_NESTED,
		    COUNTER_WHENS };

struct counter_file {
	uint64_t magic;
	uint32_t names; /* entry points; those of their names follow */
	int32_t rank;   /* as the launcher says, 0 without one */
	int32_t pid;    /* PVM: says which rank, and 0 else */
	uint64_t calls[COUNTER_WHENS][COUNTER_MAX];
	uint64_t bytes[COUNTER_MAX];
	unsigned char sized[COUNTER_MAX]; /* its bytes are added up */
};

/*
 * bytes.c, missing in counter.so: the function to be called in place of the
 * next one of that name, NULL where there is none. It adds the bytes of a call
 * to *bytes.
 */
void *counter_sizes(const char *name, uint64_t *bytes)
	__attribute__((weak, visibility("hidden")));
/* Is the process a task of PVM now? */
int counter_is_task(void) __attribute__((weak, visibility("hidden")));
/*
 * A function of the program's that PVM hands messages to (pvm_addmhf) is at
 * work: its calls are the program's, wherever it was called from.
 */
extern int counter_handling __attribute__((visibility("hidden")));
/* Counts a message that was handed to one: a pvm_recv, as Tape takes it. */
void counter_handed(uint64_t bytes) __attribute__((visibility("hidden")));

#endif
