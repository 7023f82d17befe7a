/*
 * The call sites of Fortran sources that tapepp went through: ahead of a call
 * the program says where it stands,
 *
 *	call tape_mpi_at(120, 120, 12, 'solver.f', 8, 'step', 4)
 *	call mpi_send(...)
 *
 * with numbers of calls, from the first to the last, of which one comes next,
 * line, file and procedure. The wrapper that comes next in the thread takes
 * what was said, and forgets it in any case: what a call did not take that was
 * announced and never made, or made elsewhere, is of no other call.
 */
#ifndef TAPE_FORTRAN_SITE_H
#define TAPE_FORTRAN_SITE_H

#include <stdint.h>

#include "assembler.h"

struct tape_announced {
	uintptr_t address; /* where saying it returns to: no call does */
	uint32_t first, last; /* numbers of the call to come; last 0: none */
	int32_t line;
	int32_t file_bytes, function_bytes;
	const char *file, *function; /* the program's, not ended by NUL */
};

/* Of this thread. Only first and last are changed when it is taken. */
extern __thread struct tape_announced tape_announced
	__attribute__((visibility("hidden"), tls_model("initial-exec")));

/*
 * What stands for the call's site where addresses of return do: that of the
 * announcement if it is of this call, else address.
 */
static inline __attribute__((always_inline)) const void *
tape_announced_or(uint32_t call, const void *address)
{
	struct tape_announced *a = &tape_announced;
	uint32_t last = a->last;

	if (__builtin_expect(!last, 1))
		return address;
	a->last = 0;
	return call >= a->first && call <= last ? (const void *)a->address
						: address;
}

/*
 * The function that says it, name_, with all its arguments by reference; also
 * by the names that other options make of it. Lengths of texts that a compiler
 * passes in addition are not looked at.
 */
#define TAPE_ANNOUNCE(name)                                                    \
	TAPE_EXPORT void name##_(const int32_t *first, const int32_t *last,    \
				 const int32_t *line, const char *file,        \
				 const int32_t *file_bytes,                    \
				 const char *function,                         \
				 const int32_t *function_bytes)                \
	{                                                                      \
		struct tape_announced *a = &tape_announced;                    \
                                                                               \
		a->address = (uintptr_t)__builtin_return_address(0);           \
		a->first = (uint32_t)*first;                                   \
		a->line = *line;                                               \
		a->file = file;                                                \
		a->file_bytes = *file_bytes;                                   \
		a->function = function;                                        \
		a->function_bytes = *function_bytes;                           \
		a->last = (uint32_t)*last;                                     \
	}                                                                      \
	TAPE_SECOND_NAME(#name, #name "_");                                    \
	TAPE_SECOND_NAME(#name "__", #name "_");

#endif
