/*
 * The runtime in simulated time: what takes the place of runtime/ticks.h and
 * runtime/mpi/abi.h when Tape's own sources are compiled for SimGrid's MPI
 * (SMPI). Included ahead of every source by the compiler's -include, so that
 * no file of the runtime knows of it.
 *
 * The ranks are processes in one address space, each with its own copy of the
 * program's variables, and one simulated clock dates all events. What the
 * tracer costs is a number: RIG_ALPHA_NS in the environment, the time that
 * storing an event takes, of which the other costs are fixed fractions. At 0
 * the trace has the dates of the program without a tracer.
 */
#ifndef RIG_SMPI_H
#define RIG_SMPI_H

/* runtime/ticks.h, and of runtime/mpi abi.h, handles.h and next.h are here */
#define TAPE_CLOCK_H
#define TAPE_ABI_H
#define TAPE_HANDLES_H
#define TAPE_NEXT_H
#define TAPE_NO_LAYERS
/* requests are asked by PMPI_Request_get_status, and handles are addresses */
#define OPEN_MPI
/* PMPI_Iprobe finds a message from its send on */
#define TAPE_RIG_ASKS_AHEAD
/* the start of tracing takes no time: ranks that are together stay so, where a
 * barrier would let some go before others, in the run without costs, too */
#define TAPE_RIG_STARTS_TOGETHER

#include <mpi.h>

/* not in SimGrid; here no rank waits for the processor, either */
#define PMPI_Comm_idup(comm, new, request) \
	(*(request) = MPI_REQUEST_NULL, PMPI_Comm_dup(comm, new))
#include <stdint.h>
#include <time.h>

/* One thread runs all ranks; each rank has its own copy of the variables. */
#define __thread

/* ---- the clock ---- */

enum tape_clock_source { TAPE_CLOCK_AUTO, TAPE_CLOCK_TSC, TAPE_CLOCK_RAW };

extern int tape_clock_is_tsc;

/* Simulated time, to the nearest ns; 0 before MPI_Init. */
uint64_t tape_tick(void);
#define tape_raw_ns tape_tick

int tape_clock_choose(enum tape_clock_source wanted);
void tape_clock_anchor(uint64_t *tick, uint64_t *ns, uint32_t *slack);
double tape_clock_hz(void);
void tape_clock_domain(char *name, unsigned n);
int64_t tape_clock_asleep_ns(void);

/* A host of the simulated platform. */
#define gethostname rig_hostname
int rig_hostname(char *name, size_t n);

/* ---- the interface of the library ---- */

static inline void tape_next_alone(int alone)
{
	(void)alone;
}

static inline void tape_next_reached(void)
{
}

static inline void tape_next_report(void)
{
}

enum { TAPE_SHARED_HANDLES = 1 };

/*
 * Requests do not share handles here, and a freed request gives up its handle.
 */
static inline int tape_shared(uintptr_t handle, uintptr_t sample)
{
	(void)handle, (void)sample;
	return -1;
}

static inline uint32_t tape_handle_hash(uintptr_t handle)
{
	return (uint32_t)(handle >> 5 ^ handle >> 9);
}

static inline uint64_t tape_status_bytes(const MPI_Status *s)
{
	return (uint64_t)s->count;
}

static inline int tape_is_small(int count, MPI_Datatype type)
{
	(void)count;
	(void)type;
	return 1;
}

static inline int tape_type_size(MPI_Datatype type)
{
	int size = 0;

	PMPI_Type_size(type, &size);
	return size;
}

static inline int tape_status_cancelled(const MPI_Status *s)
{
	return s->cancelled;
}

/* SMPI has MPI_ROOT 0, which is a rank: no test of it here. */
static inline int32_t tape_peer(int rank)
{
	if (rank == MPI_ANY_SOURCE)
		return -1;
	if (rank == MPI_PROC_NULL)
		return -2;
	return rank;
}

static inline int32_t tape_tag(int tag)
{
	return tag == MPI_ANY_TAG ? -1 : tag;
}

/*
 * The word of a handle, and the same made if need be. SMPI's requests are
 * small: several would share a word of the runtime's own table, which counts
 * on one request in 256 bytes.
 */
enum { TAPE_HANDLES_NEAR = 0 };
uint64_t *rig_word(uintptr_t handle, int make);
static inline uint64_t *tape_handles_word(uintptr_t handle)
{
	return rig_word(handle, 0);
}

static inline uint64_t *tape_handles_make(uintptr_t handle)
{
	return rig_word(handle, 1);
}

/* ---- the question, and its cost ---- */

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

/* SMPI stops the program in this one. */
#define PMPI_Topo_test rig_topo_test
static inline int rig_topo_test(MPI_Comm comm, int *kind)
{
	(void)comm;
	*kind = MPI_UNDEFINED;
	return MPI_SUCCESS;
}

/* ns of the tracer's work, beside those of asking */
struct rig_cost {
	double before; /* from the entry to the question */
	double after;  /* storing the event */
	double done;   /* each completion but the first of a call */
	double now_and_then; /* every RIG_RARELY-th event, noted with it */
};
enum { RIG_RARELY = 50 };
extern struct rig_cost rig_cost;

/* Lets simulated time pass; the processor of this rank is busy. */
void rig_spend(double ns);

#endif
