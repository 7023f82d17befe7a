/*
 * The families of message-passing libraries, those of MPI and PVM: each has a
 * binary interface of its own, and a tracing library of its own. This file
 * recognises a family by names only; program_file.h reads files.
 */
#ifndef TAPE_LIBRARY_FAMILY_H
#define TAPE_LIBRARY_FAMILY_H

/* Values of a set: a program may give signs of both. */
enum tape_family {
	TAPE_FAMILY_NONE = 0,
	TAPE_FAMILY_OPENMPI = 1,
	TAPE_FAMILY_MPICH = 2,
	TAPE_FAMILY_BOTH = 3, /* of MPI */
	TAPE_FAMILY_PVM = 4
};

/* The family of a shared library, by its name with or without folders. */
enum tape_family tape_family_of_library(const char *name);

/* That of the launcher which started this process, by what it left behind. */
enum tape_family tape_family_of_environment(void);

/* "Open MPI", "MPICH", "PVM"; "libtape-mpi.so" and so on. One family. */
const char *tape_family_name(enum tape_family family);
const char *tape_family_tracer(enum tape_family family);

#endif
