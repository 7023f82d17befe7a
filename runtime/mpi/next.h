/*
 * What the wrappers in C call: the next definition of the same name behind this
 * library, as dlsym(RTLD_NEXT) has it. It is the MPI library's, or that of a
 * profiling layer that was preloaded or linked as well, which then sees the
 * calls, too. Calls of our own go to PMPI_ and past any layer.
 *
 * A layer before this library (the program itself, where the layer was linked
 * into it) takes the program's calls first. If it hands them to PMPI_ they
 * never come here: that is said at the end of the run.
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
#include "tape_next.h"

extern struct tape_next tape_next __attribute__((visibility("hidden")));

/*
 * A layer has one of the calls that wait for a message: it is to see them as
 * the program makes them, not as other calls that do the same.
 */
extern int tape_next_has_receives __attribute__((visibility("hidden")));

/*
 * Parts of calls that are asked whether their message is there
 * (arrival_probe.h): the library's functions, past any layer.
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
 * While the tracer calls its own wrappers, layers are left out (alone 1), and
 * then they are back (0). No other thread may be in a call.
 */
void tape_next_bypass_layers(int alone);

/*
 * Changes the tables for good by put, between the wrappers and all layers. No
 * call is under way.
 */
void tape_next_replace(void (*put)(void));

/* The program's MPI_Init came here. */
void tape_next_set_reached(void);

/* Says which layer keeps calls from this process, if one does; once. */
void tape_next_report(void);

#endif
