/* The entries of the functions that leave calls, on x86-64. */
#include "longjmp_entries.h"
#include "arch.h"

#ifdef TAPE_MACHINE_X86_64
/* Up to three arguments; the unwinder must not find us on the stack. */
#define JUMP(name, which)                                                      \
	__asm__(".text\n"                                                      \
		".globl " name "\n"                                            \
		".type " name ", @function\n" name ":\n"                       \
		"	.cfi_startproc\n"                                      \
		"	subq $24, %rsp\n"                                      \
		"	.cfi_adjust_cfa_offset 24\n"                           \
		"	movq %rdi, (%rsp)\n"                                   \
		"	movq %rsi, 8(%rsp)\n"                                  \
		"	movq %rdx, 16(%rsp)\n"                                 \
		"	movl $" #which ", %edi\n"                              \
		"	call tape_find_jump\n"                                 \
		"	movq (%rsp), %rdi\n"                                   \
		"	movq 8(%rsp), %rsi\n"                                  \
		"	movq 16(%rsp), %rdx\n"                                 \
		"	addq $24, %rsp\n"                                      \
		"	.cfi_adjust_cfa_offset -24\n"                          \
		"	jmp *%rax\n"                                           \
		"	.cfi_endproc\n"                                        \
		".hidden tape_find_jump\n"                                     \
		".size " name ", .-" name "\n")

JUMP("longjmp", 0);
JUMP("_longjmp", 1);
JUMP("siglongjmp", 2);
JUMP("__longjmp_chk", 3);
JUMP("_Unwind_RaiseException", 4);
JUMP("_Unwind_Resume_or_Rethrow", 5);
JUMP("_Unwind_ForcedUnwind", 6);
_Static_assert(TAPE_LONGJMP == 0 && TAPE_FORCE == 6, "as numbered here");
#endif
