/*
 * The runtime in simulated time: what replaces runtime/core/ticks.h and
 * of some headers of runtime/mpi when Tape's own sources are compiled for
 * SimGrid's MPI (SMPI: Clauss et al., Single Node On-Line Simulation of MPI
 * Applications with SMPI, 2011). Included ahead of every source by the
 * compiler's -include, so that no file of the runtime needs to know of it.
 *
 * The ranks are threads of control in one process and one kernel thread, each
 * with its own copy of the program's variables, Tape's among them. One
 * simulated clock dates all events. Nothing that Tape does takes simulated
 * time: it calls no communication, and what its own work takes on the processor
 * is left out of what SMPI measures. A test rig may let it cost something
 * (spend.h).
 */
#ifndef TAPE_SIMULATED_H
#define TAPE_SIMULATED_H

/* runtime/core/ticks.h, and abi.h, handles.h, next.h and virtual.h of
 * runtime/mpi are here */
#define TAPE_CLOCK_H
#define TAPE_ABI_H
#define TAPE_HANDLES_H
#define TAPE_NEXT_H
/* requests are asked by PMPI_Request_get_status, and handles are addresses */
#define OPEN_MPI
#define TAPE_RIG_ASKS_AHEAD
/* what SMPI's functions for Fortran are in, if not in the program's reach */
#define TAPE_FORTRAN_PART "libsimgrid"
#define TAPE_FORTRAN_PART_F08 "libsimgrid"

/*
 * Its declarations are weak and of some calls lack "const": hidden here, with
 * those of the catalogue in their place.
 */
#include "tape_smpi_hide.h"
#define smpi_sample_cond tape_hidden_sample_cond /* sample.c */
#define smpi_sample_iter tape_hidden_sample_iter
#include <mpi.h>
#undef smpi_sample_cond
#undef smpi_sample_iter
#include "tape_smpi_calls.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "compiler.h"
/* A program's calls come here although libsimgrid is loaded before it. */
#undef TAPE_EXPORT
#define TAPE_EXPORT __attribute__((visibility("hidden")))

/* One kernel thread runs all ranks; each has its own copy of the variables. */
#define __thread

/* What stands for something in Fortran: addresses of these (fortran.h). */
#define mpi_fortran_bottom_ mpi_bottom_
#define mpi_fortran_in_place_ mpi_in_place_
extern MPI_Fint mpi_status_ignore_[], mpi_statuses_ignore_[];
#undef MPI_F_STATUS_IGNORE
#undef MPI_F_STATUSES_IGNORE
#define MPI_F_STATUS_IGNORE mpi_status_ignore_
#define MPI_F_STATUSES_IGNORE mpi_statuses_ignore_

/* ---- the clock ---- */

enum tape_clock_source { TAPE_CLOCK_AUTO, TAPE_CLOCK_TSC, TAPE_CLOCK_RAW };

extern int tape_clock_is_tsc;

/* Simulated time, to the nearest ns. To read it takes none. */
uint64_t tape_tick(void);
#define tape_raw_ns tape_tick

int tape_clock_choose(enum tape_clock_source wanted);
void tape_clock_anchor(uint64_t *tick, uint64_t *ns, uint32_t *slack);
double tape_clock_hz(void);
void tape_clock_domain(char *name, unsigned n);
int64_t tape_clock_asleep_ns(void);

/* A host of the simulated platform. */
#define gethostname tape_smpi_hostname
int tape_smpi_hostname(char *name, size_t n);

/* ---- the trace ---- */

/* One clock: what is recorded is global at once (meta.c). */
#ifndef TAPE_META_BASE
#define TAPE_META_BASE "global"
#define TAPE_SMPI_CLOCK "clock 0 0 0 1 0 0\n"
#else
#define TAPE_SMPI_CLOCK ""
#endif
/* The program's file, where /proc/self/exe is SMPI's own. */
#define TAPE_META_PROGRAM tape_smpi_program
void tape_smpi_program(char *path, size_t n);
/* A rank's copy of it, which is gone after the run, is that file (module.c). */
#define TAPE_MODULE_OF tape_smpi_module
void tape_smpi_module(char *path, size_t n);

/* ---- the interface of the library ---- */

/* What the wrappers call (next.c). A rig puts its own in place of some PMPI_.
 */
#ifndef TAPE_NO_LAYERS
extern struct tape_next tape_next __attribute__((visibility("hidden")));
#include "tape_next.h"
#endif
enum { tape_next_has_receives = 0 };

/* SMPI runs one program */
#define TAPE_VIRTUAL_H
#define tape_virtual_world MPI_COMM_WORLD
static inline int tape_virtual_wanted(void)
{
	return 0;
}

static inline int tape_virtual_open(void)
{
	return 0;
}
#define tape_virtual_fortran(call, interface, real) (real)
/* spawn_call.h: nobody spawns processes in a simulation */
#define TAPE_SPAWN_CALL_H
#define tape_spawn_fortran(call, interface, real) (real)
/* order_layer.h: nothing is left to chance */
#define TAPE_ORDER_LAYER_H
#define tape_order_fortran(call, interface, real) (real)
#define tape_order_find_started(request) (request)

static inline void tape_next_bypass_layers(int alone)
{
	(void)alone;
}

static inline void tape_next_set_reached(void)
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
uint64_t *tape_smpi_word(uintptr_t handle, int make);
static inline uint64_t *tape_handles_word(uintptr_t handle)
{
	return tape_smpi_word(handle, 0);
}

static inline uint64_t *tape_handles_make(uintptr_t handle)
{
	return tape_smpi_word(handle, 1);
}

/* SMPI 3.32 stops the program in these. */
#define PMPI_Topo_test tape_smpi_topo_test
#define PMPI_Status_f2c tape_smpi_status_f2c
int tape_smpi_status_f2c(const MPI_Fint *from, MPI_Status *to);
int tape_smpi_topo_test(MPI_Comm comm, int *kind);

#endif
