/*
 * What the rig adds to the runtime in simulated time (runtime/simulated): the
 * tracer's cost is a number, RIG_ALPHA_NS in the environment, the time that
 * storing an event takes, of which the other costs are fixed fractions. At 0
 * the trace has the dates of the program without a tracer. Included ahead of
 * every source by the compiler's -include.
 */
#ifndef RIG_H
#define RIG_H

#define TAPE_RIG_COSTS
#define TAPE_NO_LAYERS
#define TAPE_RIG_HOOKS "rig_hooks.h"
/* its traces go through sba and tico, like those of real runs */
#define TAPE_META_BASE "local"
/* run with Open MPI's algorithms, which tico knows under this name */
#define TAPE_SMPI_LIBRARY(text, n) snprintf(text, n, "SMPI")

#include "simulated.h"

/*
 * SMPI answers that a message is there as soon as it was sent, and that a
 * receive has ended which has not. These say what MPI says, and take the time
 * of one question.
 */
#define PMPI_Iprobe rig_iprobe
#define PMPI_Request_get_status rig_get_status
#define PMPI_Wait rig_wait
#define PMPI_Waitall rig_waitall
int rig_iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *st);
int rig_get_status(MPI_Request request, int *flag, MPI_Status *st);
int rig_wait(MPI_Request *request, MPI_Status *st);
int rig_waitall(int n, MPI_Request *requests, MPI_Status *sts);

/* SMPI copies in no time: here each byte takes RIG_PACK_NS. */
#define PMPI_Pack rig_pack
#define PMPI_Unpack rig_unpack
int rig_pack(const void *in, int n, MPI_Datatype type, void *out, int size,
	     int *at, MPI_Comm comm);
int rig_unpack(const void *in, int size, int *at, void *out, int n,
	       MPI_Datatype type, MPI_Comm comm);

/* A completion of the call under way. */
void rig_done(void);

#endif
