/*
 * Communicators along the hardware: libtape-hsplit (goglin-2018, section 3).
 *
 *	#include <tape_hsplit.h>
 *
 *	MPI_Comm comm = MPI_COMM_WORLD, next;
 *	while (comm != MPI_COMM_NULL) {
 *		tape_hsplit(comm, MPI_INFO_NULL, &next);
 *		comm = next;    // the processes of my switch, host, package,
 *	}                       // cache, core
 *
 * Link with -ltape-hsplit (Open MPI) or -ltape-hsplit-mpich. Needs no tracing.
 * Rules of a split:
 *
 *  - All members of the old communicator share an object of the hardware. The
 *    processes that share an object one level below form a new communicator.
 *    Levels that hold the same processes count as one level, with the type of
 *    the lowest.
 *  - A new communicator therefore has fewer members than the old one. A process
 *    that is not bound to an object below gets MPI_COMM_NULL; at the lowest
 *    level all processes get it.
 *  - The current binding of a process counts. An unbound process has no level
 *    below its host.
 *  - Members keep their order. The root of a communicator is its rank 0.
 *
 * Functions return MPI_SUCCESS or an error code. Before they return an error
 * they call the error handler of the communicator (for MPI_COMM_NULL that of
 * MPI_COMM_WORLD). They may be called between MPI_Init and MPI_Finalize.
 */
#ifndef TAPE_HSPLIT_H
#define TAPE_HSPLIT_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* Bytes of a type, with the NUL. */
#define TAPE_MAX_HLEVEL 64

/*
 * With this split_type MPI_Comm_split_type acts as tape_hsplit, if the
 * environment variable TAPE_SPLIT_TYPE is 1 and this library is linked or
 * preloaded.
 */
#define TAPE_COMM_TYPE_HW 0x7a9e

/*
 * Splits oldcomm, an intracommunicator, one level deeper. Collective over it.
 *
 * info   MPI_INFO_NULL, or the key
 *        mpi_hw_resource_type  selects this level instead of the next: a type
 *               that tape_get_hlevel_info returns, case ignored (L3, Package,
 *               NUMANode, Machine, Switch1), also with hwloc:// before it, or
 *               mpi_shared_memory (MPI 4.1, section 7.4.2). A process that is
 *               not bound to an object of that type gets MPI_COMM_NULL. The new
 *               communicator may then be as large as the old one. All processes
 *               pass the same type.
 * newcomm the new communicator, to be freed by MPI_Comm_free, or MPI_COMM_NULL
 */
int tape_hsplit(MPI_Comm oldcomm, MPI_Info info, MPI_Comm *newcomm);

/*
 * As tape_hsplit. In addition creates in *rootscomm a communicator of the roots
 * of all new communicators, ordered by rank in oldcomm. Processes that are not
 * a root get MPI_COMM_NULL.
 */
int tape_hsplit_with_roots(MPI_Comm oldcomm, MPI_Info info, MPI_Comm *newcomm,
			   MPI_Comm *rootscomm);

/*
 * Splits all levels: calls tape_hsplit_with_roots level by level. Fills
 * newcomms, and rootscomms if it is not NULL, with at most most communicators,
 * the first level first. most is at least 1 and the same on all processes.
 * *levels becomes the number of communicators in newcomms; after an error these
 * are valid. A process that is not a root at a level has MPI_COMM_NULL in
 * rootscomms there. If info selects a type, there is one level.
 */
int tape_hsplit_all(MPI_Comm oldcomm, MPI_Info info, int most,
		    MPI_Comm *newcomms, MPI_Comm *rootscomms, int *levels);

/*
 * Describes a communicator made by a split: *num_comms is the number of
 * communicators that the split made, *index the position of comm among them (0
 * to num_comms - 1, ordered by root), *type its hardware type. Local. A
 * duplicate of comm gives the same result. Fails if comm was not made by a
 * split of this library. *type stays valid until MPI_Finalize. Any of the three
 * may be NULL.
 */
int tape_get_hlevel_info(MPI_Comm comm, int *num_comms, int *index,
			 const char **type);

/*
 * Finds the type of the lowest hardware object that these nranks ranks of comm
 * share: "Cluster" if they are on several hosts without a common switch.
 * Collective over the listed processes, which pass the same list. A process
 * that is not in the list gets "Unknown" and does not wait.
 */
int tape_get_min_hlevel(MPI_Comm comm, int nranks, const int *ranks,
			const char **type);

/*
 * Collectives level by level (goglin-2018, sections 6 and 7.2): the roots of
 * each level, from the widest level to the narrowest or back, use the
 * collectives of the MPI library. A hierarchy is created once for a
 * communicator and used often.
 *
 * The results are those of MPI. A reduction adds in another order, so its
 * floating point results may differ in the last digits. If the operation is not
 * commutative, MPI's own reduction is called. A root other than rank 0 costs
 * one more message.
 */
typedef struct tape_hierarchy *tape_hierarchy;

/* Collective over comm, which must outlive *h. The caller frees *h. */
int tape_hierarchy_create(MPI_Comm comm, MPI_Info info, tape_hierarchy *h);
int tape_hierarchy_free(tape_hierarchy *h); /* collective; *h becomes NULL */

int tape_hbcast(void *buffer, int count, MPI_Datatype type, int root,
		tape_hierarchy h);
int tape_hreduce(const void *sendbuf, void *recvbuf, int count,
		 MPI_Datatype type, MPI_Op op, int root, tape_hierarchy h);
int tape_hallreduce(const void *sendbuf, void *recvbuf, int count,
		    MPI_Datatype type, MPI_Op op, tape_hierarchy h);
int tape_hbarrier(tape_hierarchy h);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
