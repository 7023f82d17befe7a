/*
 * For the wrappers that Fortran programs call: how the bodies that C has
 * (hooks.h, special.h) reach the library, by real_NAME (fortran.h) instead of
 * PMPI_NAME, and where they are.
 */
#ifndef TAPE_FORTRAN_NAMES_H
#define TAPE_FORTRAN_NAMES_H

#include "assembler.h"

#define TAPE_FORTRAN 1
#define TAPE_REAL(name) real_##name
#define TAPE_WRAP_ENTRY(f) tape_fortran_now->entry
#define TAPE_WRAP_START(f) (void)(f)
#define TAPE_WRAP_STARTED(f) (void)(f) /* fortran_start stores the tick */
#define TAPE_WRAP_STOP(f)                                                      \
	a.start = tape_fortran_now->start, a.end = tape_fortran_now->end
#define TAPE_RARE_BEGIN(c)                                                     \
	(c)->flow->frame = __builtin_frame_address(0), tape_current = NULL
#define TAPE_RARE_START(c) (void)(c)
#define TAPE_RARE_STOP(c)                                                      \
	(c)->start = tape_fortran_now->start, (c)->end = tape_fortran_now->end

/* The same function by the names that other compilers or options make. */
#define FORTRAN_ALIAS(function, name) TAPE_SECOND_NAME(name, #function);

#endif
