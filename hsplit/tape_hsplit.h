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
 *  - processes that share a piece of hardware one level below what all members
 *    of the old communicator share come together; levels that hold the same
 *    processes are one, which has the type of the lowest;
 *  - so a new communicator has fewer members than the old one; a process that
 *    is bound to no piece below gets MPI_COMM_NULL, and so do all at the end;
 *  - what a process may run on now, its binding, counts: an unbound one gets
 *    nothing below its host;
 *  - members keep their order; the root of a communicator is its rank 0.
 *
 * Functions return MPI_SUCCESS or an error code, after the error handler of the
 * communicator was called (of MPI_COMM_WORLD for MPI_COMM_NULL). They may be
 * called between MPI_Init and MPI_Finalize.
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

/* Types are shorter than this. */
#define TAPE_MAX_HLEVEL 64

/* The split_type with which MPI_Comm_split_type is tape_hsplit, if the variable
 * TAPE_SPLIT_TYPE is 1 and this library is linked or preloaded. */
#define TAPE_COMM_TYPE_HW 0x7a9e

/*
 * Splits oldcomm, an intracommunicator, one level deeper. Collective over it.
 *
 * info   MPI_INFO_NULL, or the key
 *        mpi_hw_resource_type  not the next level but this one: a type as
 *               tape_get_hlevel_info gives it, case ignored (L3, Package,
 *               NUMANode, Machine, Switch1), also with hwloc:// before it, or
 *               mpi_shared_memory (MPI 4.1, section 7.4.2). Who is bound to no
 *               piece of that type gets MPI_COMM_NULL. The rule of strict
 *               subsets does not hold then. All processes give the same.
 * newcomm the new communicator, to be freed by MPI_Comm_free, or MPI_COMM_NULL
 */
int tape_hsplit(MPI_Comm oldcomm, MPI_Info info, MPI_Comm *newcomm);

/*
 * The same, and of the roots of all new communicators one more, in the order of
 * their ranks: MPI_COMM_NULL at processes that are no root.
 */
int tape_hsplit_with_roots(MPI_Comm oldcomm, MPI_Info info, MPI_Comm *newcomm,
			   MPI_Comm *rootscomm);

/*
 * All levels at once: calls tape_hsplit_with_roots level by level and fills
 * newcomms, and rootscomms if it is not NULL, with at most most communicators
 * (1 or more, all processes say the same), the first level's first. *levels is
 * how many this process got (newcomms); after an error, these are valid. A
 * process that is no root at a level has MPI_COMM_NULL in rootscomms there. If
 * info asks for a type it is one level.
 */
int tape_hsplit_all(MPI_Comm oldcomm, MPI_Info info, int most,
		    MPI_Comm *newcomms, MPI_Comm *rootscomms, int *levels);

/*
 * What comm stands for: how many communicators its split made, which of them it
 * is, 0 to num_comms - 1 in the order of their roots, and the type of its
 * hardware. Local. Of a duplicate it is the same. An error if comm was not made
 * by a split of this library. *type stays valid until MPI_Finalize; any of the
 * three may be NULL.
 */
int tape_get_hlevel_info(MPI_Comm comm, int *num_comms, int *index,
			 const char **type);

/*
 * The type of the lowest piece of hardware that these nranks ranks of comm
 * share: "Cluster" if they are on several hosts with no switch in common.
 * Collective among the processes that are listed, which give the same list; a
 * process that is not in it gets "Unknown", and waits for nobody.
 */
int tape_get_min_hlevel(MPI_Comm comm, int nranks, const int *ranks,
			const char **type);

/*
 * Collectives level by level (goglin-2018, sections 6 and 7.2): each level's
 * roots, from the widest to the narrowest or back, by the collectives of the
 * MPI library. Made once for a communicator, used often.
 *
 * Results are those of MPI's. A reduction adds in another order: its floating
 * point results may differ in the last digits. If the operation is not
 * commutative, MPI's own is called. A root other than rank 0 costs one more
 * message.
 */
typedef struct tape_hierarchy *tape_hierarchy;

/* Collective over comm, which must outlive it. To be freed by _free. */
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
