/*
 * The functions that the wrappers in C call: the next definition of the same
 * name after this library, as found by dlsym(RTLD_NEXT). The definition belongs
 * to the MPI library, or to a profiling layer that was preloaded or linked.
 * Such a layer then sees the calls, too. The tracer's own calls use PMPI_ names
 * and bypass all layers.
 *
 * A layer that is loaded before this library, or linked into the program,
 * receives the program's calls first. If the layer forwards them to PMPI_
 * names, Tape does not see them. Tape reports such a layer at the end of the
 * run.
 */
#ifndef TAPE_NEXT_H
#define TAPE_NEXT_H

#include <mpi.h>

#include "abi.h"

/* the name that was removed from MPI, of a type that stayed */
#if defined OPEN_MPI && OMPI_OMIT_MPI1_COMPAT_DECLS
#define MPI_Handler_function MPI_Comm_errhandler_function
#endif

/* tape_next.to_MPI_Send is what MPI_Send calls, and so on. */
extern struct tape_next tape_next __attribute__((visibility("hidden")));
#include "tape_next.h"

/*
 * A layer defines one of the calls that wait for a message. It must see these
 * calls as the program makes them, not their parts.
 */
extern int tape_next_has_receives __attribute__((visibility("hidden")));

/*
 * The functions that arrival probes call (arrival_probe.h): the library's,
 * which bypass all layers.
 */
struct tape_probe_calls {
	int (*to_MPI_Irecv)(void *, int, MPI_Datatype, int, int, MPI_Comm,
			    MPI_Request *);
	int (*to_MPI_Send)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
	int (*to_MPI_Isend)(const void *, int, MPI_Datatype, int, int, MPI_Comm,
			    MPI_Request *);
	int (*to_MPI_Iprobe)(int, int, MPI_Comm, int *, MPI_Status *);
	int (*to_MPI_Probe)(int, int, MPI_Comm, MPI_Status *);
	int (*to_MPI_Improbe)(int, int, MPI_Comm, int *, MPI_Message *,
			      MPI_Status *);
	int (*to_MPI_Mprobe)(int, int, MPI_Comm, MPI_Message *, MPI_Status *);
};
extern struct tape_probe_calls tape_probe_calls
    __attribute__((visibility("hidden")));

/*
 * Leaves the layers out while the tracer calls its own wrappers (alone 1), and
 * restores them (alone 0). No other thread may be in a call.
 */
void tape_next_bypass_layers(int alone);

/*
 * Changes the tables permanently: put stores functions between the wrappers and
 * all layers. No call may be in progress.
 */
void tape_next_replace(void (*put)(void));

/* The name of a call of the catalogue. */
const char *tape_next_name(unsigned call);

/* Notes that the program's MPI_Init has reached the wrapper. */
void tape_next_set_reached(void);

/* Reports a layer that does not forward the program's calls; once. */
void tape_next_report(void);

#endif
