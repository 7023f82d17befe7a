/* What the assembler and the optimizer are told, the same on all machines. */
#ifndef TAPE_ASSEMBLER_H
#define TAPE_ASSEMBLER_H

/* The compiler takes the integer x for changed: it computes x here. */
#define TAPE_OPAQUE(x) __asm__ volatile("" : "+r"(x))

/* Exports a function of this file by a second name; both names are texts. */
#define TAPE_SECOND_NAME(name, function)                                       \
	__asm__(".globl " name "\n\t.type " name ", %function\n\t"             \
		".set " name ", " function)

/* The same by the names that compilers of Fortran make of name. */
#define TAPE_FORTRAN_NAMES(name, function)                                     \
	TAPE_SECOND_NAME(name "_", function);                                  \
	TAPE_SECOND_NAME(name "__", function)

#endif
