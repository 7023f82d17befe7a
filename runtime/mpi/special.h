/*
 * Bodies of the calls that the tables mark "!": wrap_NAME records, and
 * outside_NAME runs while nothing is recorded. Included once, by wrap.c,
 * before the generated doors.
 */
#ifndef TAPE_SPECIAL_H
#define TAPE_SPECIAL_H

#include "hooks.h"
#include "life.h"

/* What a door knows of the call site when it cannot record. */
#define WHERE struct tape_site *source_, const void *address_
#define UNUSED_WHERE (void)source_, (void)address_

/* ---- start and end ---- */

static int outside_MPI_Init(WHERE, int *argc, char ***argv)
{
	uint64_t start = tape_life_tick(), end;
	int rc = TAPE_REAL(MPI_Init)(argc, argv);

	end = tape_life_tick();
	if (rc == MPI_SUCCESS)
		tape_life_start(start, end, TAPE_CALL_MPI_Init, source_,
				address_);
	return rc;
}

static inline int wrap_MPI_Init(struct tape_flow *f, uint32_t site, int *argc,
				char ***argv)
{
	(void)f, (void)site;
	return TAPE_REAL(MPI_Init)(argc, argv);
}

static int outside_MPI_Init_thread(WHERE, int *argc, char ***argv, int required,
				   int *provided)
{
	uint64_t start = tape_life_tick(), end;
	int rc = TAPE_REAL(MPI_Init_thread)(argc, argv, required, provided);

	end = tape_life_tick();
	if (rc == MPI_SUCCESS)
		tape_life_start(start, end, TAPE_CALL_MPI_Init_thread, source_,
				address_);
	return rc;
}

static inline int wrap_MPI_Init_thread(struct tape_flow *f, uint32_t site,
				       int *argc, char ***argv, int required,
				       int *provided)
{
	(void)f, (void)site;
	return TAPE_REAL(MPI_Init_thread)(argc, argv, required, provided);
}

/* The end of the run is recorded also where a region keeps a thread silent. */
static int outside_MPI_Finalize(WHERE)
{
	struct tape_flow *f = tape_region_stop();
	uint32_t site = 0;

	if (f)
		site = source_ ? tape_site_source(f, source_,
						  TAPE_CALL_MPI_Finalize)
			       : tape_site_here(f, TAPE_CALL_MPI_Finalize,
						address_);
	return tape_life_finalize(site ? f : NULL, site,
				  TAPE_REAL(MPI_Finalize));
}

static inline int wrap_MPI_Finalize(struct tape_flow *f, uint32_t site)
{
	return tape_life_finalize(f, site, TAPE_REAL(MPI_Finalize));
}

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
		TAPE_WRAP_END(f);                                              \
		return a.rc;                                                   \
	}                                                                      \
	static inline int outside_##call_(WHERE, Handle handle,                \
					  const char *name)                    \
	{                                                                      \
		int rc = TAPE_REAL(call_)(handle, name);                       \
                                                                               \
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
		TAPE_WRAP_END(f);                                              \
		return a.rc;                                                   \
	}                                                                      \
	static inline int outside_##call_(WHERE, MPI_Comm comm,                \
					  MPI_Errhandler handler)              \
	{                                                                      \
		int rc = TAPE_REAL(call_)(comm, handler);                      \
                                                                               \
		UNUSED_WHERE;                                                  \
		tape_handlers_changed();                                       \
		return rc;                                                     \
	}

HANDLERS(MPI_Comm_set_errhandler)
HANDLERS(MPI_Errhandler_set)

#endif
