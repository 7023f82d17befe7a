/*
 * Bodies of the calls that the tables mark "!": wrap_NAME records, and
 * outside_NAME runs while nothing is recorded. Included once, by wrap.c,
 * before the generated entry points.
 */
#ifndef TAPE_SPECIAL_H
#define TAPE_SPECIAL_H

#include "buffer.h"
#include "call_entry.h"
#include "hooks_all.h"
#include "start_stop.h"
#include "process.h"
#include "region.h"
#include "call_sites.h"

/* The call site that an entry point passes when it cannot record. */
#define WHERE struct tape_site *source_, const void *address_
#define UNUSED_WHERE (void)source_, (void)address_

/* ---- start and end ---- */

/*
 * A call that starts or ends a part of MPI while something is traced already,
 * or is still: an event like any other.
 */
#define AMONG_OTHERS(f, site, rc, real)                                        \
	do {                                                                   \
		struct tape_mpi_args a = { 0 };                                \
		struct tape_local r = { 0 };                                   \
		TAPE_WRAP_BEGIN(f);                                            \
                                                                               \
		TAPE_WRAP_START(f);                                            \
		a.rc = real;                                                   \
		TAPE_WRAP_STOP(f);                                             \
		TAPE_WRAP_PUT(local, f, site, &r);                             \
		TAPE_WRAP_END(f, LOCAL);                                       \
		rc = a.rc;                                                     \
	} while (0)

/* What starts MPI, or a session of it; parameters without the first ones. */
#define STARTS(call_, session_, parameters, arguments)                         \
	static int outside_##call_(WHERE, UNPACK parameters)                   \
	{                                                                      \
		uint64_t start = tape_start_tick(), end;                       \
		int rc = TAPE_REAL(call_) arguments;                           \
                                                                               \
		end = tape_start_tick();                                       \
		if (rc == MPI_SUCCESS && tape_mpi_opened(session_))            \
			tape_start_tracing(start, end, TAPE_CALL_##call_,      \
					   source_, address_);                 \
		return rc;                                                     \
	}                                                                      \
	static inline int wrap_##call_(struct tape_flow *f, uint32_t site,     \
				       UNPACK parameters)                      \
	{                                                                      \
		int rc;                                                        \
                                                                               \
		AMONG_OTHERS(f, site, rc, TAPE_REAL(call_) arguments);         \
		if (rc == MPI_SUCCESS)                                         \
			tape_mpi_opened(session_);                             \
		return rc;                                                     \
	}
#define UNPACK(...) __VA_ARGS__

STARTS(MPI_Init, 0, (int *argc, char ***argv), (argc, argv))
STARTS(MPI_Init_thread, 0,
       (int *argc, char ***argv, int required, int *provided),
       (argc, argv, required, provided))

static inline int end_world(void *unused)
{
	(void)unused;
	return TAPE_REAL(MPI_Finalize)();
}

/* The end of the run is recorded also where a region keeps a thread silent. */
static inline int end_outside(WHERE, uint32_t call, int (*real)(void *),
			      void *of)
{
	struct tape_flow *f = tape_region_stop();
	uint32_t site = 0;

	if (f)
		site = source_ ? tape_site_source(f, source_, call)
			       : tape_site_here(f, call, address_);
	return tape_stop_tracing(site ? f : NULL, site, real, of);
}

static int outside_MPI_Finalize(WHERE)
{
	if (!tape_mpi_closing(0))
		return end_world(NULL);
	return end_outside(source_, address_, TAPE_CALL_MPI_Finalize,
			   end_world, NULL);
}

static inline int wrap_MPI_Finalize(struct tape_flow *f, uint32_t site)
{
	int rc;

	if (tape_mpi_closing(0))
		return tape_stop_tracing(f, site, end_world, NULL);
	AMONG_OTHERS(f, site, rc, end_world(NULL));
	return rc;
}

#ifdef TAPE_HAS_MPI_Session_init
STARTS(MPI_Session_init, 1,
       (MPI_Info info, MPI_Errhandler handler, MPI_Session *session),
       (info, handler, session))

static inline int end_session(void *session)
{
	return TAPE_REAL(MPI_Session_finalize)(session);
}

static int outside_MPI_Session_finalize(WHERE, MPI_Session *session)
{
	if (!tape_mpi_closing(1))
		return end_session(session);
	return end_outside(source_, address_, TAPE_CALL_MPI_Session_finalize,
			   end_session, session);
}

static inline int wrap_MPI_Session_finalize(struct tape_flow *f, uint32_t site,
					    MPI_Session *session)
{
	int rc;

	if (tape_mpi_closing(1))
		return tape_stop_tracing(f, site, end_session, session);
	AMONG_OTHERS(f, site, rc, end_session(session));
	return rc;
}
#endif

static int outside_MPI_Abort(WHERE, MPI_Comm comm, int code)
{
	UNUSED_WHERE;
	tape_core_stop(TAPE_END_ABORT);
	return TAPE_REAL(MPI_Abort)(comm, code);
}

TAPE_PUT(abort)

static inline int wrap_MPI_Abort(struct tape_flow *f, uint32_t site,
				 MPI_Comm comm, int code)
{
	struct tape_abort r = { 0 };
	uint64_t now = tape_tick();

	tape_put_abort(f, site, now, now, &r);
	tape_core_stop(TAPE_END_ABORT);
	return TAPE_REAL(MPI_Abort)(comm, code);
}

/* ---- names ---- */

#define NAMES(call_, Handle)                                                   \
	static inline int wrap_##call_(struct tape_flow *f, uint32_t site,     \
				       Handle handle, const char *name)        \
	{                                                                      \
		struct tape_mpi_args a = { 0 };        \
		struct tape_local r = { 0 };                                   \
		uint64_t t0;                                                   \
		TAPE_WRAP_BEGIN(f);                                            \
                                                                               \
		TAPE_WRAP_START(f);                                            \
		a.rc = TAPE_REAL(call_)(handle, name);                         \
		TAPE_WRAP_STOP(f);                                             \
		if (a.rc == MPI_SUCCESS) {                                     \
			t0 = tape_tick();                                      \
			tape_comm_named((uintptr_t)handle, name);              \
			f->extra_after += tape_tick() - t0;                    \
		}                                                              \
		TAPE_WRAP_PUT(local, f, site, &r);                             \
		TAPE_WRAP_END(f, LOCAL);                                       \
		return a.rc;                                                   \
	}                                                                      \
	static inline int outside_##call_(WHERE, Handle handle,                \
					  const char *name)                    \
	{                                                                      \
		struct tape_flow *f =                                          \
			tape_pass_begin(__builtin_frame_address(0));           \
		int rc = TAPE_REAL(call_)(handle, name);                       \
                                                                               \
		tape_pass_end(f);                                              \
		UNUSED_WHERE;                                                  \
		if (rc == MPI_SUCCESS)                                         \
			tape_comm_named((uintptr_t)handle, name);              \
		return rc;                                                     \
	}

NAMES(MPI_Comm_set_name, MPI_Comm)
NAMES(MPI_Win_set_name, MPI_Win)

/* ---- error handlers, which asking has to know ---- */

#define HANDLERS(call_)                                                        \
	static inline int wrap_##call_(struct tape_flow *f, uint32_t site,     \
				       MPI_Comm comm, MPI_Errhandler handler)  \
	{                                                                      \
		struct tape_mpi_args a = { 0 };        \
		struct tape_local r = { 0 };                                   \
		TAPE_WRAP_BEGIN(f);                                            \
                                                                               \
		TAPE_WRAP_START(f);                                            \
		a.rc = TAPE_REAL(call_)(comm, handler);                        \
		TAPE_WRAP_STOP(f);                                             \
		tape_handlers_changed();                                       \
		TAPE_WRAP_PUT(local, f, site, &r);                             \
		TAPE_WRAP_END(f, LOCAL);                                       \
		return a.rc;                                                   \
	}                                                                      \
	static inline int outside_##call_(WHERE, MPI_Comm comm,                \
					  MPI_Errhandler handler)              \
	{                                                                      \
		struct tape_flow *f =                                          \
			tape_pass_begin(__builtin_frame_address(0));           \
		int rc = TAPE_REAL(call_)(comm, handler);                      \
                                                                               \
		tape_pass_end(f);                                              \
		UNUSED_WHERE;                                                  \
		tape_handlers_changed();                                       \
		return rc;                                                     \
	}

HANDLERS(MPI_Comm_set_errhandler)
HANDLERS(MPI_Errhandler_set)

#endif
