/*
 * In a job of several programs (stream = mpi) each sees its own partition as
 * MPI_COMM_WORLD. The wrappers go to the library through tables, as layers
 * after Tape need it (next.h); here the tables get functions that hand on the
 * partition's communicator in place of MPI_COMM_WORLD. A program that is not
 * in such a job never comes here.
 *
 * What is called back gets MPI_COMM_WORLD back. Not seen are calls of PMPI_
 * names, which go to the library past Tape.
 */
#ifndef TAPE_VIRTUAL_H
#define TAPE_VIRTUAL_H

#include <mpi.h>

#include "abi.h"
#include "core.h"

typedef void fortran_function(void);

/* The communicator that replaces MPI_COMM_WORLD; itself if nothing does. */
extern MPI_Comm tape_virtual_world __attribute__((visibility("hidden")));
extern MPI_Fint tape_virtual_fortran_world,
    tape_virtual_fortran_real __attribute__((visibility("hidden")));

/* The library's functions for Fortran, by call and interface. */
extern void *tape_virtual_fortran_below[TAPE_CALL_COUNT][2]
    __attribute__((visibility("hidden")));

/* Attributes of MPI_COMM_WORLD that are not those of the whole job. */
extern int tape_virtual_universe,
    tape_virtual_app __attribute__((visibility("hidden")));

/* Returns 1 if taperun put this process in a partition. */
int tape_virtual_wanted(void);

/*
 * Finds the partition and makes it the program's world, until MPI_COMM_SELF
 * has gone in MPI_Finalize. Collective in the job. Non-zero: the program has
 * the whole job as its world, and one line has said why.
 */
int tape_virtual_open(void);

/*
 * For a program that has begun with a session: the world that all programs of
 * the job meet on, which it does not see (virtual_sessions.c). Collective.
 * Non-zero: there is none.
 */
int tape_virtual_begin(void);
/* Puts what is about sessions into the tables of next.h. */
void tape_virtual_sessions(void);

/* Returns the function to call from Fortran in place of real, the library's. */
void *tape_virtual_fortran(unsigned call, int interface, void *real);

/* Returns 1 if MPI defines the attribute. */
int tape_virtual_predefined(int key);

/*
 * Returns 1 if comm is the program's MPI_COMM_WORLD, or in Open MPI a duplicate
 * of it, which has the same attributes.
 */
int tape_virtual_has_attributes(MPI_Comm comm);

/*
 * What the program's world has where the program wants handler, and what the
 * program is told of a handler that was got. At first the program's world has
 * none in MPICH, as an ordinary one: that of the real world is used, which
 * begin_fatal prepares. virtual_fatal.c.
 */
#ifdef OPEN_MPI
#define tape_virtual_begin_fatal() ((void)0)
#define tape_virtual_fatal(handler) (handler)
#define tape_virtual_seen(handler) (handler)
#else
void tape_virtual_begin_fatal(void);
MPI_Errhandler tape_virtual_fatal(MPI_Errhandler handler);
MPI_Errhandler tape_virtual_seen(MPI_Errhandler handler);
#endif

/* Returns a function that calls theirs with MPI_COMM_WORLD
 * (virtual_handlers.c). */
MPI_Comm_errhandler_function *
tape_virtual_handler(MPI_Comm_errhandler_function *theirs);
fortran_function *tape_virtual_fortran_handler(fortran_function *theirs);

/* Call-backs of an attribute, and the extra state that MPI passes to them. */
struct tape_virtual_keyval {
	MPI_Comm_copy_attr_function *copy;
	MPI_Comm_delete_attr_function *delete;
	void *extra;
};

/*
 * Fortran's function, in progress in this thread, has seen to its call-backs;
 * MPICH's calls the one for C.
 */
extern __thread int tape_virtual_by_fortran
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

/* Replaces the call-backs of k if they may get MPI_COMM_WORLD. */
void tape_virtual_keyval(struct tape_virtual_keyval *k);

static inline MPI_Fint tape_virtual_program_comm(MPI_Fint comm)
{
	return comm == tape_virtual_fortran_world ? tape_virtual_fortran_real
						  : comm;
}

#endif
