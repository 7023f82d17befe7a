/*
 * The frame of a wrapper in simulated time, in place of what hooks.h and
 * fortran_names.h have. Included after them, before special.h and the
 * generated wrappers.
 */
#ifndef TAPE_SMPI_FRAME_H
#define TAPE_SMPI_FRAME_H

#include "call_sites.h"
#include "call_entry.h"
#include "flows.h"
#include "hooks.h"
#include "spend.h"

/* ---- the entry points ---- */

#define tape_flow_now() (tape_smpi_arrive(), tape_flow_now())
#define tape_site_here(f, call, address)                                       \
	(tape_smpi_call = (call), tape_site_here(f, call, address))
#define tape_site_source(f, site, call)                                        \
	(tape_smpi_call = (call), tape_site_source(f, site, call))
#define tape_enter_call(call, source, address, frame)                          \
	(tape_smpi_arrive(), tape_smpi_call = (call),                          \
	 tape_enter_call(call, source, address, frame))
#define tape_rare_begin(c, call, source, address, frame)                       \
	(tape_smpi_arrive(), tape_smpi_call = (call),                          \
	 tape_rare_begin(c, call, source, address, frame))

/* ---- between entry point and call, and after the call ---- */

/* The call is recorded: the burst before it, and what a rig wants. */
static inline void tape_smpi_begin(void)
{
	if (tape_smpi_has_bursts)
		tape_smpi_burst();
	tape_rig_before();
}

#undef TAPE_WRAP_BEGIN
#define TAPE_WRAP_BEGIN(f)                                                     \
	const uint64_t entry_ = 0;                                             \
	(void)entry_;                                                          \
	(f)->frame = __builtin_frame_address(0);                               \
	tape_current = NULL;                                                   \
	tape_smpi_begin()
#undef TAPE_WRAP_PUT
#define TAPE_WRAP_PUT(name, f, site, r)                                        \
	do {                                                                   \
		tape_smpi_truth(r, a.end == a.start);                          \
		(f)->extra_after += tape_rig_extra();                          \
		put_##name(f, site, a.start, a.end, r);                        \
	} while (0)
#undef TAPE_WRAP_END
#define TAPE_WRAP_END(f, name)                                                 \
	do {                                                                   \
		tape_rig_after();                                              \
		tape_current = (f)->self;                                      \
		tape_smpi_forget();                                            \
	} while (0)
#undef TAPE_RARE_END
#define TAPE_RARE_END(c)                                                       \
	do {                                                                   \
		tape_rig_after();                                              \
		tape_rare_end(c);                                              \
		tape_smpi_forget();                                            \
	} while (0)

#undef TAPE_WRAP_START
#undef TAPE_RARE_BEGIN
#undef TAPE_RARE_START
#if TAPE_FORTRAN
/* the library's function is called, and dated, by fortran_start */
#define TAPE_WRAP_START(f) ((void)(f), tape_smpi_forget())
#define TAPE_RARE_BEGIN(c)                                                     \
	((c)->flow->frame = __builtin_frame_address(0), tape_current = NULL,   \
	 tape_smpi_begin())
#define TAPE_RARE_START(c) ((void)(c), tape_smpi_forget())
#else
#define TAPE_WRAP_START(f)                                                     \
	do {                                                                   \
		tape_smpi_forget();                                            \
		a.start = tape_tick();                                         \
	} while (0)
#undef TAPE_WRAP_STOP
#define TAPE_WRAP_STOP(f) (a.end = tape_tick())
#define TAPE_RARE_BEGIN(c) tape_smpi_begin()
#define TAPE_RARE_START(c)                                                     \
	do {                                                                   \
		tape_smpi_forget();                                            \
		tape_rare_start(c);                                            \
	} while (0)
#endif

/* ---- whether the message was there ---- */

/*
 * SMPI's MPI_Iprobe finds a message from its send on, and its answer takes
 * simulated time. Delivering an arrived message takes none, so a
 * blocking receive had its message if and only if it ended when it began. A rig
 * asks nevertheless: only the answers are corrected.
 */
#ifdef TAPE_RIG_COSTS
#define TAPE_SMPI_KNOWN(r) ((r)->arrived != 2)
#else
#define TAPE_SMPI_KNOWN(r) ((r)->actual_peer != -2)
#endif

static inline void tape_smpi_truth_recv(void *record, int at_once)
{
	struct tape_recv *r = record;

	if (TAPE_SMPI_KNOWN(r))
		r->arrived = (uint32_t)at_once;
}

static inline void tape_smpi_truth_sendrecv(void *record, int at_once)
{
	struct tape_sendrecv *r = record;

	if (TAPE_SMPI_KNOWN(r))
		r->arrived = (uint32_t)at_once;
}

static inline void tape_smpi_truth_other(void *record, int at_once)
{
	(void)record, (void)at_once;
}

#define tape_smpi_truth(r, at_once)                                            \
	_Generic((r), struct tape_recv *: tape_smpi_truth_recv,                \
		 struct tape_sendrecv *: tape_smpi_truth_sendrecv,             \
		 default: tape_smpi_truth_other)(r, at_once)

#endif
