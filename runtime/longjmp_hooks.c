/*
 * Intercepts longjmp and the functions that throw exceptions. If the thread is
 * inside of a traced call, that call may have ended (nonlocal_exit.c). Each
 * hook then jumps to the real function, on the same stack.
 */
#include <dlfcn.h>
#include <stddef.h>

#include "core.h"

enum jump {
	LONGJMP,
	LONGJMP_BSD,
	SIGLONGJMP,
	LONGJMP_CHECKED,
	RAISE,
	RAISE_AGAIN,
	FORCE,
	JUMPS
};

/* Notes the jump and returns the real function; called by the hooks below. */
void *tape_find_jump(enum jump which) __attribute__((visibility("hidden")));

void *tape_find_jump(enum jump which)
{
	static const char *const names[JUMPS] = {
		"longjmp", "_longjmp", "siglongjmp", "__longjmp_chk",
		"_Unwind_RaiseException", "_Unwind_Resume_or_Rethrow",
		"_Unwind_ForcedUnwind",
	};
	static void *real[JUMPS];
	struct tape_flow *f = tape_own;
	void *to = __atomic_load_n(&real[which], __ATOMIC_RELAXED);

	if (f && f->self && !tape_current)
		f->jumped = 1;
	if (!to) {
		to = dlsym(RTLD_NEXT, names[which]);
		/* the unwinder came with a library that was opened later */
		if (!to)
			to = dlsym(dlopen("libgcc_s.so.1", RTLD_LAZY),
				   names[which]);
		__atomic_store_n(&real[which], to, __ATOMIC_RELAXED);
	}
	return to;
}

/* Up to three arguments; the unwinder must not find us on the stack. */
#ifdef __x86_64__
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
		".size " name ", .-" name "\n")

JUMP("longjmp", 0);
JUMP("_longjmp", 1);
JUMP("siglongjmp", 2);
JUMP("__longjmp_chk", 3);
JUMP("_Unwind_RaiseException", 4);
JUMP("_Unwind_Resume_or_Rethrow", 5);
JUMP("_Unwind_ForcedUnwind", 6);
_Static_assert(LONGJMP == 0 && FORCE == 6, "as numbered here");
#endif
