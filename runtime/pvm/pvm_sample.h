/*
 * Clock samples of PVM's tasks. A server (server.c), which taperun starts on
 * the first task's host, and a task of another clock domain exchange rounds of
 * messages, when the task starts and when it leaves; the server appends them
 * to the file clocks of the trace directory.
 *
 * The server says where it is in PVM's mailbox of the name that TAPE_CLOCKS
 * has: its tid and the context of all that is said here. A task sends one
 * message SAMPLE_ASK: the directory, its clock domain (escaped), the phase. It
 * is sent SAMPLE_ROUND as often as there are rounds, each of which it answers
 * with SAMPLE_ROUND and the ticks of the message's coming and of the answer's
 * going (as two unsigned long), then SAMPLE_END: an int, 0 where there were no
 * rounds because another task of its domain had them.
 */
#ifndef TAPE_PVM_SAMPLE_H
#define TAPE_PVM_SAMPLE_H

#define TAPE_PVM_CLOCKS "TAPE_CLOCKS"

/* the last one is from the server's daemon: a task has ended */
enum { SAMPLE_ASK = 1, SAMPLE_ROUND, SAMPLE_END, SAMPLE_GONE };

/* No answer within this: the other side is gone, or was never there. */
#define SAMPLE_SECONDS 3

/*
 * One phase, 0 before the run or 1 after it, for the task of that domain (as
 * tape_clock_domain names it). Does nothing in the domain of rank 0. Buffers,
 * context and options of the task are as before.
 */
void tape_pvm_sample(const char *domain, int after);

/* Has rank 0, of that domain, said how fast its clock runs? */
int tape_pvm_is_rated(const char *domain);

#endif
