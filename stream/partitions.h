/*
 * The programs of one MPI job: mpirun -np 4 ./a : -np 2 ./b : -np 1 tapelive.
 * Each program is a partition, also an analyser. Processes that pass the same
 * name form one partition. Processes without a name form one partition if they
 * have the same command line in the same application context of mpirun.
 *
 *	struct tape_partition_request w = { .name = "coupler" };
 *	char error[TAPE_PARTITION_ERROR];
 *
 *	MPI_Init(&argc, &argv);
 *	if (tape_partitions_open(&w, error, sizeof error))
 *		errx(1, "%s", error);
 *	p = tape_partitions_find("ocean");	// and send to p->ranks[0]
 *	...
 *	tape_partitions_close();
 *	MPI_Finalize();
 *
 * All processes of the job have to call tape_partitions_open. In a program that
 * taperun traces with stream = mpi, MPI_Init calls it; a further call costs
 * nothing. Besnard 2013, section III.A: VMPI_Get_desc_by_name,
 * MPI_COMM_UNIVERSE.
 */
#ifndef TAPE_PARTITIONS_H
#define TAPE_PARTITIONS_H

#include <mpi.h>
#include <stddef.h>

/* Bytes of an error message. */
#define TAPE_PARTITION_ERROR 256

struct tape_partition {
	int id;		  /* its number, in order of first ranks */
	int analyser;	  /* it receives events and is not traced */
	const char *name; /* unique: a second "a" is "a-2" */
	const char
	    *command; /* words with one blank between; of its first rank */
	const char *version; /* of Tape, of its first rank */
	int size;
	const int *ranks; /* in the universe, by rank in the partition */
};

/* The partition that this process asks for. All fields may be 0. */
struct tape_partition_request {
	const char *name;    /* NULL or "": by command line */
	const char *command; /* NULL: the command line in /proc */
	int analyser;
	/*
	 * A communicator of all processes of the job, valid until the
	 * partitions are closed. NULL: MPI_COMM_WORLD.
	 */
	const MPI_Comm *world;
};

struct tape_partitions {
	MPI_Comm universe; /* of all processes; errors are returned */
	MPI_Comm mine;	   /* of this partition, in order of the universe */
	int rank, size;	   /* in the universe */
	int my_rank;	   /* in the partition */
	int my_app;	 /* application context within the partition, from 0 */
	int one_version; /* all processes run the same version of Tape */
	const struct tape_partition *my;
	int n;
	const struct tape_partition *list;
};

/*
 * Finds the partitions. Collective over all processes of the job, after MPI is
 * initialized. If the partitions are open already, returns 0 and keeps them. If
 * some processes have not called it after ten seconds, one line on standard
 * error reports the wait. Returns 0, or a negative TAPE_E code with one
 * sentence in error (n bytes).
 */
int tape_partitions_open(const struct tape_partition_request *request,
			 char *error, size_t n);

/* Returns the partitions; NULL before tape_partitions_open and after the close.
 */
const struct tape_partitions *tape_partitions(void);

/* Returns the partition of that name; NULL if none has it or none is open. */
const struct tape_partition *tape_partitions_find(const char *name);

/*
 * Frees both communicators and the table once it was called as often as
 * tape_partitions_open. Collective.
 */
void tape_partitions_close(void);

#endif
