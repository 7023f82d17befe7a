/*
 * Processes of the job that are not traced never meet the others in MPI_Init,
 * which then wait for ever: in calls of the library, some of which cannot be
 * watched by who makes them. So a thread does.
 */
#ifndef TAPE_INIT_WATCHDOG_H
#define TAPE_INIT_WATCHDOG_H

/*
 * Between the two, one line says what is waited for after 10 s, from the first
 * of the ranks that one command of the job started (mpirun ... : ...), or from
 * all where the launcher does not tell. Does nothing in a process without other
 * threads: some of libc is faster as long as there never was one.
 */
void tape_init_watchdog_start(void);
/* Once or more often. */
void tape_init_watchdog_stop(void);

#endif
