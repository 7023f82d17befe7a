/*
 * Tape in your program: switch tracing off and on, name regions.
 *
 *	#include <tape.h>
 *
 *	tape_off();            // set-up is not interesting
 *	setup();
 *	tape_on();
 *	tape_enter("solve");   // a region; regions nest
 *	solve();
 *	tape_leave();
 *
 * Link with -ltape-mpi, or compile with tapecc. Each function acts on the
 * calling thread (tape_on, tape_off: on the thread and on threads that begin
 * later), may be called at any time, also before MPI_Init and after
 * MPI_Finalize, where it does nothing, and never fails. errno is kept.
 */
#ifndef TAPE_H
#define TAPE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Stops recording; calls go straight to the library until tape_on. */
void tape_off(void);

/* Goes on recording. Tracing is on when MPI_Init returns. */
void tape_on(void);

/*
 * Enters a region. name is a string that ends with NUL; it is read at the
 * first use, kept by content, and may be freed afterwards. At most 65535
 * distinct names a process; more are recorded as one region "(other)". Regions
 * more than 256 deep are not recorded.
 */
void tape_enter(const char *name);

/* Leaves the region entered last; without one it does nothing. */
void tape_leave(void);

#ifdef __cplusplus
}
#endif

#endif
