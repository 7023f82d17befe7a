/*
 * The programs of one MPI job: mpirun -np 4 ./a : -np 2 ./b : -np 1 tapelive.
 * Each is a partition; those that analyse are partitions, too. Processes are
 * of one partition that were given the same name, or, without a name, that
 * have the same command line in the same part of the mpirun line.
 *
 *	struct tape_partition_wish w = { .name = "coupler" };
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
 * All processes of the job have to open; a program that taperun traces with
 * stream = mpi has done so in its MPI_Init, and opens again at no cost.
 * Paper's section III.A: VMPI_Get_desc_by_name, MPI_COMM_UNIVERSE.
 */
#ifndef TAPE_PARTITIONS_H
#define TAPE_PARTITIONS_H

#include <mpi.h>
#include <stddef.h>

/* Room for a sentence about what went wrong. */
#define TAPE_PARTITION_ERROR 256

struct tape_partition {
	int id;		  /* its number, in order of first ranks */
	int analyser;	  /* it takes events, and is not traced */
	const char *name; /* unique: a second "a" is "a-2" */
	const char
	    *command; /* words with one blank between; of its first rank */
	const char *version; /* of Tape, of its first rank */
	int size;
	const int *ranks; /* in the universe, in order of the partition's */
};

/* What this process is to be. All fields may be 0. */
struct tape_partition_wish {
	const char *name;    /* NULL or "": by command line */
	const char *command; /* NULL: as the kernel has it */
	int analyser;
	/*
	 * Who is asked: a communicator of all processes of the job, which has
	 * to stay until the partitions are closed. 0 is MPI_COMM_WORLD.
	 */
	const MPI_Comm *world;
};

struct tape_partitions {
	MPI_Comm universe; /* of all processes; errors are returned */
	MPI_Comm mine;	   /* of this partition, in order of the universe */
	int rank, size;	   /* in the universe */
	int my_rank;	   /* in the partition */
	int my_app;	 /* which part of mpirun's line within the partition */
	int one_version; /* all processes run the same version of Tape */
	const struct tape_partition *my;
	int n;
	const struct tape_partition *list;
};

/*
 * Finds the partitions. Collective among all processes of the job, once MPI is
 * initialized. Opened already: 0, and what was found then. Says so on standard
 * error where others have not come after ten seconds, once. Returns 0, or a
 * negative TAPE_E code with one sentence in error (n bytes).
 */
int tape_partitions_open(const struct tape_partition_wish *wish, char *error,
			 size_t n);

/* What was found; NULL before tape_partitions_open and after the close. */
const struct tape_partitions *tape_partitions(void);

/* The partition of that name; NULL: there is none, or nothing is open. */
const struct tape_partition *tape_partitions_find(const char *name);

/*
 * Frees both communicators and the table, once it was called as often as
 * open. Collective.
 */
void tape_partitions_close(void);

#endif
