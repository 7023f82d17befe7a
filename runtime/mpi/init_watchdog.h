/*
 * Processes of the job that are not traced do not take part in the tracer's
 * collective calls in MPI_Init, so the traced processes wait for ever. The
 * waiting thread cannot report that from inside the library. So another thread
 * does.
 */
#ifndef TAPE_INIT_WATCHDOG_H
#define TAPE_INIT_WATCHDOG_H

/*
 * If tape_init_watchdog_stop is not called within 10 s, one line reports the
 * wait. It is printed by the lowest rank of each application context of mpirun,
 * or by all ranks if the launcher does not report contexts. Does nothing in a
 * process that never had a second thread: parts of libc are faster in it.
 */
void tape_init_watchdog_start(void);
/* May be called more than once. */
void tape_init_watchdog_stop(void);

#endif
